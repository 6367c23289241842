"""How far positions turn, from the ``rope_…`` keys of a ``config.json``, old and new.

Older checkpoints have ``rope_theta`` and ``rope_scaling``, newer ones ``rope_parameters`` with both
inside. No key is passed over: one that isn't understood, or that another one contradicts, is
refused. ``transformers`` takes one of two contradicting keys without a word, and whoever edited
the other believes in a model that doesn't run.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from paged_attention.model.settings import UnsupportedModel, number, optional

_LLAMA3 = ("factor", "low_freq_factor", "high_freq_factor", "original_max_position_embeddings")
# Keys that ask for nothing when they have these values.
_NEUTRAL = {"factor": 1.0, "attention_factor": 1.0, "partial_rotary_factor": 1.0}
_TOP_LEVEL = ("rope_theta", "rope_scaling", "rope_parameters")


@dataclass(frozen=True)
class Llama3Scaling:
    """Llama 3.1's way to stretch rotary positions; wavelengths and lengths are in tokens."""

    factor: float
    low_freq_factor: float
    high_freq_factor: float
    original_max_positions: int


def rope_settings(raw: Mapping[str, Any], max_positions: int) -> tuple[float, Llama3Scaling | None]:
    """The base of the angles and their scaling, or ``UnsupportedModel`` naming a key.

    Where ``original_max_position_embeddings`` is missing, ``max_positions`` stands for it, as in
    ``transformers``.
    """
    _refuse_other_keys(raw)
    key, rope = _table(raw)
    theta = number(rope, "rope_theta", number(raw, "rope_theta", 10_000.0))
    if raw.get("rope_theta") is not None and theta != raw["rope_theta"]:
        raise UnsupportedModel(
            f"rope_theta is {raw['rope_theta']!r}, but {key} has {theta:g}: they are one setting, "
            "so remove one of them"
        )
    kind = _kind(key, rope)
    known = {"rope_theta", "rope_type", "type"} | (set(_LLAMA3) if kind == "llama3" else set())
    for name, value in rope.items():
        if name not in known and value is not None and value != _NEUTRAL.get(name):
            raise UnsupportedModel(
                f"{key} asks for {name} {value!r}: with rope_type {kind!r} nothing reads it here"
            )
    return theta, None if kind == "default" else _llama3(key, rope, raw, max_positions)


def _refuse_other_keys(raw: Mapping[str, Any]) -> None:
    """Raise on a key about rotary positions that belongs to another architecture."""
    for key, value in raw.items():
        about_rope = key.startswith(("rope", "rotary")) or key == "partial_rotary_factor"
        asks = value is not None and value is not False and value != _NEUTRAL.get(key)
        if about_rope and asks and key not in _TOP_LEVEL:
            raise UnsupportedModel(
                f"{key} is {value!r}: this decoder turns every head whole, half by half, as "
                "rope_theta and rope_scaling or rope_parameters say, and reads no other key"
            )


def _table(raw: Mapping[str, Any]) -> tuple[str, Mapping[str, Any]]:
    """The one object that describes the scaling, and its key."""
    found: dict[str, Mapping[str, Any]] = {}
    for key in ("rope_scaling", "rope_parameters"):
        table = optional(raw, key, {})
        if not isinstance(table, Mapping):
            raise UnsupportedModel(f"{key} is {table!r}; it must be an object, or null")
        for name, value in table.items():
            if isinstance(value, Mapping | list):
                raise UnsupportedModel(
                    f"{key} holds {name} {value!r}: settings of their own for some layers or parts "
                    "of a head are not built"
                )
        if table:
            found[key] = table
    if len(found) == 2 and found["rope_scaling"] != found["rope_parameters"]:
        raise UnsupportedModel(
            "config.json has both rope_scaling and rope_parameters, and they differ: newer "
            "configurations keep all of it in rope_parameters, so remove one of them"
        )
    return next(iter(found.items()), ("rope_parameters", {}))


def _kind(key: str, rope: Mapping[str, Any]) -> str:
    """The type of scaling, under its new name or its old one."""
    names = {str(rope[name]) for name in ("rope_type", "type") if isinstance(rope.get(name), str)}
    kinds = names or {"default"}
    if len(kinds) > 1:
        raise UnsupportedModel(f"{key} has rope_type {rope['rope_type']!r}, type {rope['type']!r}")
    (kind,) = kinds
    if kind not in ("default", "llama3"):
        raise UnsupportedModel(
            f"{key} asks for rope_type {kind!r}: only 'default' and 'llama3' are built"
        )
    for name in ("rope_type", "type"):
        if rope.get(name) not in (None, kind):
            raise UnsupportedModel(f"{key} has {name} {rope[name]!r}; it must be a text")
    return kind


def _llama3(
    key: str, rope: Mapping[str, Any], raw: Mapping[str, Any], max_positions: int
) -> Llama3Scaling:
    trained = "original_max_position_embeddings"
    rope = {trained: optional(raw, trained, max_positions)} | {
        name: value for name, value in rope.items() if value is not None
    }
    for name in _LLAMA3:
        if rope.get(name) is None:
            raise UnsupportedModel(f"{key} has rope_type 'llama3' but no {name!r}")
    if rope[trained] != optional(raw, trained, rope[trained]):
        raise UnsupportedModel(
            f"{trained} is {raw[trained]!r}, but {key} has {rope[trained]!r}: remove one of them"
        )
    factor, low, high, original = (number(rope, name, 0.0) for name in _LLAMA3)
    if high < low:
        raise UnsupportedModel(
            f"{key} has high_freq_factor {high:g} below low_freq_factor {low:g}: the ramp between "
            "them would run backwards"
        )
    return Llama3Scaling(factor, low, high, int(original))

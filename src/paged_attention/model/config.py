"""What a decoder must know about itself, read from the ``config.json`` of a Hugging Face
checkpoint.

Two families are understood: Llama (with or without Llama 3's stretched rotary positions) and
Qwen3. A checkpoint that asks for anything else is refused by the key that asks for it: a model
that runs with a setting ignored still writes fluent text, and nobody notices that it is the wrong
text.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from paged_attention.errors import PagedAttentionError


class UnsupportedModel(PagedAttentionError, ValueError):
    """A checkpoint's configuration lacks a key or asks for something this decoder does not do."""


@dataclass(frozen=True)
class Llama3Scaling:
    """Llama 3.1's way to stretch rotary positions; wavelengths and lengths are in tokens."""

    factor: float
    low_freq_factor: float
    high_freq_factor: float
    original_max_positions: int


@dataclass(frozen=True)
class ModelConfig:
    """Sizes and switches of a decoder; ``heads`` query heads share ``kv_heads`` KV heads."""

    vocab_size: int
    hidden_size: int
    intermediate_size: int
    layers: int
    heads: int
    kv_heads: int
    head_dim: int
    max_positions: int
    rms_eps: float = 1e-6
    rope_theta: float = 10_000.0
    rope_scaling: Llama3Scaling | None = None
    tie_embeddings: bool = False
    qk_norm: bool = False
    attention_bias: bool = False
    mlp_bias: bool = False

    def __post_init__(self) -> None:
        sizes = ("vocab_size", "hidden_size", "intermediate_size", "layers", "heads", "kv_heads")
        for name in (*sizes, "head_dim", "max_positions"):
            value = getattr(self, name)
            if not isinstance(value, int) or isinstance(value, bool) or value < 1:
                raise UnsupportedModel(f"{name} must be a positive integer, got {value!r}")
        if self.heads % self.kv_heads:
            raise UnsupportedModel(
                f"{self.heads} query heads can't share {self.kv_heads} KV heads evenly: "
                "heads must be a multiple of kv_heads"
            )
        if self.head_dim % 2:
            raise UnsupportedModel(
                f"head_dim {self.head_dim} is odd: rotary positions turn pairs of numbers"
            )

    def kv_bytes_per_token(self, bytes_per_number: int = 4) -> int:
        """Bytes of keys and values that one token leaves in the cache, over all layers."""
        return 2 * self.layers * self.kv_heads * self.head_dim * bytes_per_number

    @classmethod
    def from_hf(cls, raw: Mapping[str, Any]) -> "ModelConfig":
        """Read a Llama's or Qwen3's parsed ``config.json``; refuses what it can't honour."""
        family = raw.get("model_type")
        if family not in ("llama", "qwen3"):
            raise UnsupportedModel(
                f"model_type is {family!r}: this decoder runs 'llama' and 'qwen3' checkpoints"
            )
        _refuse_unsupported(raw)
        heads = _required(raw, "num_attention_heads")
        hidden = _required(raw, "hidden_size")
        theta, scaling = _rope(raw)
        return cls(
            vocab_size=_required(raw, "vocab_size"),
            hidden_size=hidden,
            intermediate_size=_required(raw, "intermediate_size"),
            layers=_required(raw, "num_hidden_layers"),
            heads=heads,
            kv_heads=_optional(raw, "num_key_value_heads", heads),
            head_dim=_head_dim(raw, family, hidden, heads),
            max_positions=_optional(raw, "max_position_embeddings", 2048),
            rms_eps=float(_optional(raw, "rms_norm_eps", 1e-6)),
            rope_theta=theta,
            rope_scaling=scaling,
            tie_embeddings=bool(_optional(raw, "tie_word_embeddings", False)),
            qk_norm=family == "qwen3",
            attention_bias=bool(_optional(raw, "attention_bias", False)),
            mlp_bias=family == "llama" and bool(_optional(raw, "mlp_bias", False)),
        )


def _required(raw: Mapping[str, Any], key: str) -> Any:
    if raw.get(key) is None:
        raise UnsupportedModel(f"config.json has no {key!r}, so the model's shape is unknown")
    return raw[key]


def _optional(raw: Mapping[str, Any], key: str, default: Any) -> Any:
    """The value of ``key``; a missing key and JSON's ``null`` both mean the default."""
    value = raw.get(key)
    return default if value is None else value


def _head_dim(raw: Mapping[str, Any], family: str, hidden: int, heads: int) -> int:
    if raw.get("head_dim") is None and family == "llama" and hidden % heads:
        raise UnsupportedModel(
            f"config.json has no 'head_dim', and hidden_size {hidden} is no multiple of "
            f"num_attention_heads {heads}"
        )
    return int(_optional(raw, "head_dim", 128 if family == "qwen3" else hidden // heads))


def _refuse_unsupported(raw: Mapping[str, Any]) -> None:
    """Raise on the first key that asks for a feature this decoder would silently ignore."""
    if (act := _optional(raw, "hidden_act", "silu")) not in ("silu", "swish"):
        raise UnsupportedModel(f"hidden_act is {act!r}: only 'silu' (SwiGLU) is built")
    if raw.get("use_sliding_window") or (
        raw.get("sliding_window") is not None and "use_sliding_window" not in raw
    ):
        raise UnsupportedModel(
            f"use_sliding_window with sliding_window {raw.get('sliding_window')!r}: every layer of "
            "this decoder looks at the whole history"
        )
    for kind in raw.get("layer_types") or []:
        if kind != "full_attention":
            raise UnsupportedModel(f"layer_types holds {kind!r}: only 'full_attention' is built")
    if raw.get("quantization_config") is not None:
        raise UnsupportedModel(
            "quantization_config is set: quantised weights can't be read; use a checkpoint in "
            "float32, float16 or bfloat16"
        )
    if (partial := _optional(raw, "partial_rotary_factor", 1.0)) != 1.0:
        raise UnsupportedModel(f"partial_rotary_factor is {partial}: heads are rotated whole here")


def _rope(raw: Mapping[str, Any]) -> tuple[float, Llama3Scaling | None]:
    """Base and scaling, from ``rope_parameters`` or its older form in two keys."""
    key = "rope_parameters" if raw.get("rope_parameters") is not None else "rope_scaling"
    rope: Mapping[str, Any] = raw.get(key) or {}
    theta = float(rope.get("rope_theta") or _optional(raw, "rope_theta", 10_000.0))
    kind = rope.get("rope_type", rope.get("type", "default"))
    if _optional(rope, "partial_rotary_factor", 1.0) != 1.0:
        raise UnsupportedModel(
            f"{key} asks for partial_rotary_factor: heads are rotated whole here"
        )
    if kind == "default":
        return theta, None
    if kind != "llama3":
        raise UnsupportedModel(
            f"{key} asks for rope_type {kind!r}: only 'default' and 'llama3' are built"
        )
    needed = ("factor", "low_freq_factor", "high_freq_factor", "original_max_position_embeddings")
    for name in needed:
        if rope.get(name) is None:
            raise UnsupportedModel(f"{key} has rope_type 'llama3' but no {name!r}")
    factor, low, high, original = (rope[name] for name in needed)
    return theta, Llama3Scaling(float(factor), float(low), float(high), int(original))

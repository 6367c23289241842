"""Single settings of a ``config.json``, each of the right kind or refused by its key."""

import math
from collections.abc import Mapping
from typing import Any

from paged_attention.errors import PagedAttentionError


class UnsupportedModel(PagedAttentionError, ValueError):
    """A checkpoint's configuration lacks a key or asks for something this decoder does not do."""


def required(raw: Mapping[str, Any], key: str) -> Any:
    """The value of ``key``, which can't be guessed."""
    if raw.get(key) is None:
        raise UnsupportedModel(f"config.json has no {key!r}, so the model's shape is unknown")
    return raw[key]


def optional(raw: Mapping[str, Any], key: str, default: Any) -> Any:
    """The value of ``key``; a missing key and JSON's ``null`` both mean the default."""
    value = raw.get(key)
    return default if value is None else value


def flag(raw: Mapping[str, Any], key: str) -> bool:
    """``true`` or ``false``, which a missing key means. The text "false" would count as true."""
    value = optional(raw, key, False)
    if not isinstance(value, bool):
        raise UnsupportedModel(f"{key} is {value!r}; it must be true or false")
    return value


def number(raw: Mapping[str, Any], key: str, default: float, least: float = 0.0) -> float:
    """A finite number above ``least``; JSON as Python writes it also knows NaN and Infinity."""
    value = optional(raw, key, default)
    if not isinstance(value, int | float) or isinstance(value, bool):
        raise UnsupportedModel(f"{key} is {value!r}; it must be a number")
    if not math.isfinite(value) or value <= least:
        raise UnsupportedModel(f"{key} is {value!r}; it must be finite and above {least:g}")
    return float(value)

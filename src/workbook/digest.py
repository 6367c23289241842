"""A short fingerprint of data, by which two runs, or two machines, can be compared."""

import hashlib
import json
from typing import Any


def digest(data: Any) -> str:
    """The first 12 hex digits of SHA-256 over the data as JSON; floats count to 6 decimals."""
    text = json.dumps(_plain(data), sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    return hashlib.sha256(text.encode()).hexdigest()[:12]


def _plain(data: Any) -> Any:
    if hasattr(data, "tolist"):  # a tensor or an array
        data = data.tolist()
    if isinstance(data, float):
        return round(data, 6)
    if isinstance(data, dict):
        return {str(key): _plain(value) for key, value in data.items()}
    if isinstance(data, (list, tuple)):
        return [_plain(value) for value in data]
    if data is None or isinstance(data, (int, str)):
        return data
    raise TypeError(f"the data behind a picture is numbers, texts, lists and dicts, got {data!r}")

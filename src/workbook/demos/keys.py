"""Tokens written so that reading them back tells what they were: what the demos of sharing use."""

from collections.abc import Hashable
from typing import Any


def append(cache: Any, seq: Hashable, tokens: list[int]) -> None:
    """Write ``tokens`` after ``seq``; a token's key is its number, its value minus that."""
    import torch

    start = cache.lengths[seq]
    cache.reserve(seq, len(tokens))
    cache.set_batch([seq])
    k = torch.tensor(tokens, dtype=torch.float32)[None, None, :, None]  # [1, 1, T, 1]
    cache.update(0, k, -k, torch.arange(start, start + len(tokens)))


def read(cache: Any, seq: Hashable) -> list[int]:
    """The tokens of ``seq``, from their keys, read through its table."""
    keys = cache.k_pool[0][cache.tables[seq]][:, 0, :, 0].flatten()
    found: list[int] = keys[: cache.lengths[seq]].int().tolist()
    return found

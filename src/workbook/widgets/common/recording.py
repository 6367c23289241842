"""Short ways to record something: a cache, tokens in it, a name for the next sequence."""

from collections.abc import Collection, Iterable
from itertools import chain, count

import torch

from workbook.trace import RecordingPagedKVCache

LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"


def write(cache: RecordingPagedKVCache, seq: str, tokens: int) -> None:
    """Write ``tokens`` reserved tokens of ``seq``: zeros, since only the bookkeeping is watched."""
    cache.set_batch([seq])
    kv = torch.zeros(1, cache.kv_heads, tokens, cache.head_dim, dtype=cache.dtype)
    start = cache.lengths[seq]
    for layer in range(cache.layers):
        cache.update(layer, kv, kv, torch.arange(start, start + tokens))


def grow(cache: RecordingPagedKVCache, seq: str, tokens: int) -> None:
    """Reserve and write."""
    cache.reserve(seq, tokens)
    write(cache, seq, tokens)


def cache_with(
    num_blocks: int, block_size: int, order: Iterable[int] = ()
) -> RecordingPagedKVCache:
    """A cache whose pool hands out the blocks of ``order`` first, as a pool in use would."""
    cache = RecordingPagedKVCache(1, num_blocks, block_size, 1, 1)
    cache.allocator.allocate_many(num_blocks)
    first = list(order)
    rest = [block for block in range(num_blocks) if block not in first]
    cache.allocator.release_many([*reversed(rest), *reversed(first)])
    cache.start_trace()
    return cache


def next_name(taken: Collection[str]) -> str:
    """The first letter that no sequence has had yet, then S26, S27 and so on."""
    numbers = (f"S{number}" for number in count(len(LETTERS)))
    return next(name for name in chain(LETTERS, numbers) if name not in taken)

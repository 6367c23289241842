"""The book's own examples, recorded from the engine."""

from collections.abc import Iterable, Sequence

import torch

from paged_attention.errors import BlockPoolExhausted
from workbook.trace import RecordingPagedKVCache, RecordingPrefixCache


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


def pool_scene() -> RecordingPrefixCache:
    """12 blocks of 4: A over 7 2 11 5 9 0, B, its fork C, and block 4, which only the index holds.

    Step 9 is the fork.
    """
    cache = cache_with(12, 4, [4, 7, 2, 11, 5, 9, 3, 8, 0, 1, 6, 10])
    prefix = RecordingPrefixCache(cache)
    cache.create("earlier")
    grow(cache, "earlier", 4)
    prefix.remember("earlier", [1, 2, 3, 4])
    cache.free("earlier")
    prefix.start_trace()
    cache.create("A")
    grow(cache, "A", 20)
    cache.create("B")
    grow(cache, "B", 7)
    grow(cache, "A", 2)
    cache.fork("B", "C")
    grow(cache, "C", 1)
    cache.free("B")
    cache.reserve("A", 18)
    try:
        cache.reserve("C", 4)
    except BlockPoolExhausted:
        return prefix
    raise AssertionError("the last step of the scene is a refusal")


__all__: Sequence[str] = ["cache_with", "grow", "pool_scene", "write"]

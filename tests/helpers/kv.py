"""For tests of caches: recognisable keys and values, pools full of NaN, scrambled blocks."""

import random
from collections.abc import Hashable, Sequence

import torch
from torch import Tensor

from paged_attention.cache import PagedKVCache
from paged_attention.contiguous import ContiguousKVCache


def paged(
    *,
    layers: int = 2,
    num_blocks: int = 8,
    block_size: int = 4,
    kv_heads: int = 2,
    head_dim: int = 3,
) -> PagedKVCache:
    """A small paged cache whose unwritten slots are NaN, so that reading one shows."""
    cache = PagedKVCache(layers, num_blocks, block_size, kv_heads, head_dim)
    cache.k_pool.fill_(float("nan"))
    cache.v_pool.fill_(float("nan"))
    return cache


def scramble(cache: PagedKVCache, seed: int = 0) -> None:
    """Put the free blocks in random order, so that no table counts up by luck."""
    blocks = cache.allocator.allocate_many(cache.allocator.num_free)
    random.Random(seed).shuffle(blocks)
    cache.allocator.release_many(blocks)


def random_kv(
    rows: int, tokens: int, cache: PagedKVCache | ContiguousKVCache
) -> tuple[Tensor, Tensor]:
    """Fresh keys and values [B, Hkv, T, D] from torch's global generator."""
    shape = (rows, cache.kv_heads, tokens, cache.head_dim)
    return torch.randn(shape, dtype=cache.dtype), torch.randn(shape, dtype=cache.dtype)


def write(
    cache: PagedKVCache | ContiguousKVCache,
    seqs: Sequence[Hashable],
    positions: Tensor,
    layers: Sequence[tuple[Tensor, Tensor]],
) -> list[tuple[Tensor, Tensor, Tensor]]:
    """One whole step without the reserve: set the batch, update every layer."""
    cache.set_batch(seqs)
    return [cache.update(layer, k, v, positions) for layer, (k, v) in enumerate(layers)]


def append(
    cache: PagedKVCache | ContiguousKVCache, seqs: Sequence[Hashable], tokens: int
) -> list[tuple[Tensor, Tensor, Tensor]]:
    """Reserve and write ``tokens`` new random tokens for each of ``seqs``; return what was read."""
    for seq in seqs:
        cache.reserve(seq, tokens)
    starts = torch.tensor([cache.lengths[seq] for seq in seqs])
    positions = starts[:, None] + torch.arange(tokens)
    layers = [random_kv(len(seqs), tokens, cache) for _ in range(cache.layers)]
    return write(cache, seqs, positions, layers)


def snapshot(cache: PagedKVCache) -> tuple[object, ...]:
    """Everything a refused call must leave alone, pools included (bytes, so NaN equals NaN)."""
    return (
        {seq: table.copy() for seq, table in cache.tables.items()},
        cache.lengths.copy(),
        cache.allocator.refs.copy(),
        cache.allocator._free.copy(),
        cache.k_pool.numpy().tobytes(),
        cache.v_pool.numpy().tobytes(),
    )

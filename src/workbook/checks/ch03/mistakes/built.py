"""The cache of chapter 03 in one piece: right, and there to be spoilt."""

from typing import Any

import torch
from torch import Tensor

from paged_attention.allocator import BlockAllocator
from paged_attention.tables import ceil_div


class MyPagedKVCache:
    """With the book's pieces; ``scatter`` and ``commit`` are cells of ``update`` there."""

    def __init__(
        self, layers: int, num_blocks: int, block_size: int, kv_heads: int, head_dim: int
    ) -> None:
        self.block_size = block_size
        self.allocator = BlockAllocator(num_blocks)
        self.tables: dict[Any, list[int]] = {}
        self.lengths: dict[Any, int] = {}
        self.k_pool = torch.zeros(layers, num_blocks, kv_heads, block_size, head_dim)
        self.v_pool = torch.zeros_like(self.k_pool)

    def create(self, seq: Any) -> None:
        self.tables[seq], self.lengths[seq] = [], 0

    def free(self, seq: Any) -> None:
        for block in self.tables.pop(seq):
            self.allocator.release(block)
        del self.lengths[seq]

    def reserve(self, seq: Any, new_tokens: int) -> None:
        needed = ceil_div(self.lengths[seq] + new_tokens, self.block_size)
        missing = needed - len(self.tables[seq])
        if missing > 0:
            self.tables[seq].extend(self.allocator.allocate_many(missing))

    def truncate(self, seq: Any, length: int) -> None:
        if not 0 <= length <= self.lengths[seq]:
            raise ValueError(f"{seq!r} can't be cut to {length}")
        kept = ceil_div(length, self.block_size)
        for block in self.tables[seq][kept:]:
            self.allocator.release(block)
        del self.tables[seq][kept:]
        self.lengths[seq] = length

    def set_batch(self, seqs: list[Any]) -> None:
        self.batch = list(seqs)
        width = max(len(self.tables[seq]) for seq in seqs)
        rows = [self.tables[seq] + [0] * (width - len(self.tables[seq])) for seq in seqs]
        self.batch_tables = torch.tensor(rows)

    def scatter(self, pool: Tensor, positions: Tensor, new: Tensor) -> None:
        rows = torch.arange(len(positions))[:, None]
        blocks = self.batch_tables[rows, positions // self.block_size]
        pool[blocks, :, positions % self.block_size] = new.transpose(1, 2)

    def gather(self, pool: Tensor, ends: Tensor) -> Tensor:
        longest = int(ends.max())
        history = pool[self.batch_tables].transpose(1, 2).flatten(2, 3)[:, :, :longest]
        past_end = torch.arange(longest) >= ends[:, None]
        return history.masked_fill(past_end[:, None, :, None], 0)

    def update(self, layer: int, k: Tensor, v: Tensor, positions: Tensor) -> tuple[Any, Any, Any]:
        positions = positions.expand(k.shape[0], k.shape[2])
        ends = positions.amax(dim=1) + 1
        self.scatter(self.k_pool[layer], positions, k)
        self.scatter(self.v_pool[layer], positions, v)
        keys = self.gather(self.k_pool[layer], ends)
        values = self.gather(self.v_pool[layer], ends)
        self.commit(layer, ends)
        return keys, values, torch.arange(int(ends.max()))

    def commit(self, layer: int, ends: Tensor) -> None:
        if layer == len(self.k_pool) - 1:
            self.lengths.update(zip(self.batch, ends.tolist(), strict=True))

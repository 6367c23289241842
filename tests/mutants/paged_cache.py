"""Caches as a chapter's reader might build them, wrong in one place each."""

from typing import Any

import torch
from torch import Tensor

from paged_attention.allocator import BlockAllocator
from paged_attention.cache import PagedKVCache
from paged_attention.tables import ceil_div


class Right:
    """The cache of chapter 03 in one piece, to be spoilt by each class below."""

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


class CommitsAtOnce(Right):
    def commit(self, layer: int, ends: Tensor) -> None:
        self.lengths.update(zip(self.batch, ends.tolist(), strict=True))


class NeverCommits(Right):
    def commit(self, layer: int, ends: Tensor) -> None:
        pass


class CountsTwice(Right):
    def commit(self, layer: int, ends: Tensor) -> None:
        if layer == len(self.k_pool) - 1:
            for seq, end in zip(self.batch, ends.tolist(), strict=True):
                self.lengths[seq] += end


class IgnoresTheTable(Right):
    def scatter(self, pool: Tensor, positions: Tensor, new: Tensor) -> None:
        blocks, offsets = positions // self.block_size, positions % self.block_size
        pool[blocks, :, offsets] = new.transpose(1, 2)


class NotZeroed(Right):
    def gather(self, pool: Tensor, ends: Tensor) -> Tensor:
        return pool[self.batch_tables].transpose(1, 2).flatten(2, 3)[:, :, : int(ends.max())]


class ZeroedByProduct(NotZeroed):
    def gather(self, pool: Tensor, ends: Tensor) -> Tensor:
        inside = torch.arange(int(ends.max())) < ends[:, None]
        return super().gather(pool, ends) * inside[:, None, :, None]


class FirstRowForAll(Right):
    def set_batch(self, seqs: list[Any]) -> None:
        super().set_batch(seqs)
        self.batch_tables = self.batch_tables[:1].expand(len(seqs), -1).clone()


class SortedBatch(Right):
    def set_batch(self, seqs: list[Any]) -> None:
        super().set_batch(sorted(seqs))


class OnlyTheNew(Right):
    def update(self, layer: int, k: Tensor, v: Tensor, positions: Tensor) -> tuple[Any, Any, Any]:
        super().update(layer, k, v, positions)
        return k, v, positions


class ValuesAreKeys(Right):
    def update(self, layer: int, k: Tensor, v: Tensor, positions: Tensor) -> tuple[Any, Any, Any]:
        return super().update(layer, k, k, positions)


class LayerZeroOnly(Right):
    def update(self, layer: int, k: Tensor, v: Tensor, positions: Tensor) -> tuple[Any, Any, Any]:
        keys, values, where = super().update(0, k, v, positions)
        self.commit(layer, positions.expand(k.shape[0], k.shape[2]).amax(dim=1) + 1)
        return keys, values, where


class OneBlockMore(Right):
    def reserve(self, seq: Any, new_tokens: int) -> None:
        super().reserve(seq, new_tokens + 1)


class OneByOne(Right):
    def reserve(self, seq: Any, new_tokens: int) -> None:
        needed = ceil_div(self.lengths[seq] + new_tokens, self.block_size)
        while len(self.tables[seq]) < needed:
            self.tables[seq].append(self.allocator.allocate())


class NeverReleases(Right):
    def free(self, seq: Any) -> None:
        del self.tables[seq], self.lengths[seq]


MUTANTS = [
    ("paged_cache", "commits at once", CommitsAtOnce, "Layer 1 has no keys yet"),
    ("paged_cache", "never commits", NeverCommits, "written and never count"),
    ("paged_cache", "counts twice", CountsTwice, "lengths [0, 5, 5, 11]"),
    ("paged_cache", "ignores the table", IgnoresTheTable, "k_pool[0] holds"),
    ("paged_cache", "values are keys", ValuesAreKeys, "v_pool[0] holds"),
    ("paged_cache", "not zeroed", NotZeroed, "belongs to A"),
    ("paged_cache", "zeroed by a product", ZeroedByProduct, "past its end: nan, 0"),
    ("paged_cache", "first row for all", FirstRowForAll, "another row wrote to its slot"),
    ("paged_cache", "sorted batch", SortedBatch, "Row 0 does not read the history of B"),
    ("paged_cache", "only the new", OnlyTheNew, "keys [[[5.0], [105.0]]]"),
    ("paged_cache", "forgets layer 1", LayerZeroOnly, "layer 0: the keys of C aren't its own"),
    ("paged_cache", "one block more", OneBlockMore, "2 blocks for 4 tokens"),
    ("paged_cache", "one by one", OneByOne, "Refused, yet the table grew"),
    ("paged_cache", "never releases", NeverReleases, "5 of 8 blocks free"),
]
FINISHED = {"paged_cache": PagedKVCache}

"""Mistakes with forking_cache, as readers make them."""

from typing import Any

from paged_attention.cache import PagedKVCache
from workbook.checks.ch04.forking_cache import forking_cache


@forking_cache.mistake("Whoever releases it first frees it, while others still read it.")
class NoShare(PagedKVCache):
    def fork(self, parent: Any, child: Any) -> None:
        self.tables[child] = list(self.tables[parent])
        self.lengths[child] = self.lengths[parent]


@forking_cache.mistake(
    "Nobody ever copies: all three write position 6 into the same slot. `reserve` must copy the "
    "block that it is about to write when others hold it, too."
)
class NoCopy(PagedKVCache):
    def _shared_tail(self, seq: Any, new_tokens: int) -> list[int]:
        return []


@forking_cache.mistake(
    "`fork` copies every block at once. Nothing is different yet, so there is nothing to copy."
)
class CopiesAlways(PagedKVCache):
    def fork(self, parent: Any, child: Any) -> None:
        blocks = self.allocator.allocate_many(len(self.tables[parent]))
        for pool in (self.k_pool, self.v_pool):
            pool[:, blocks] = pool[:, self.tables[parent]]
        self.tables[child], self.lengths[child] = blocks, self.lengths[parent]


@forking_cache.mistake("A hold that nobody has will never be released: the block is lost.")
class CutForgets(PagedKVCache):
    def truncate(self, seq: Any, length: int) -> None:
        del self.tables[seq][self.blocks_needed(length) :]
        self.lengths[seq] = length


@forking_cache.mistake("A copy takes every layer, every head, keys and values.")
class CopiesOneHead(PagedKVCache):
    """Its copy takes head 0 alone; the other heads go on in a block that holds anything."""

    def reserve(self, seq: Any, new_tokens: int) -> None:
        before = list(self.tables[seq])
        super().reserve(seq, new_tokens)
        for old, new in zip(before, self.tables[seq], strict=False):
            if old != new:
                self.k_pool[:, new, 1:] = self.v_pool[:, new, 1:] = 0


forking_cache.finished = PagedKVCache

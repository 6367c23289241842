"""Host memory for preempted requests: their keys and values go out in blocks and come back.

The host's blocks are counted by an allocator of their own, under the same law. A copy belongs to
one request: a block that several sequences share is copied once for each of them.
"""

from collections.abc import Hashable

import torch

from paged_attention.allocator import BlockAllocator
from paged_attention.cache import PagedKVCache
from paged_attention.errors import InvariantBroken, SequenceExists, UnknownSequence
from paged_attention.journal import all_or_nothing


class HostStore:
    """``num_blocks`` blocks beside the pool of ``cache``, in the computer's own memory.

    ``kept[name]``: the blocks of a copy, and its length in tokens.
    """

    def __init__(self, cache: PagedKVCache, num_blocks: int) -> None:
        self.journal = cache.journal
        self.allocator = BlockAllocator(num_blocks, self.journal)
        shape = (cache.layers, num_blocks, *cache.k_pool.shape[2:])
        pinned = cache.device.type == "cuda"
        self.k = torch.zeros(shape, dtype=cache.dtype, pin_memory=pinned)
        self.v = torch.zeros(shape, dtype=cache.dtype, pin_memory=pinned)
        self.kept: dict[Hashable, tuple[list[int], int]] = {}

    def __contains__(self, name: Hashable) -> bool:
        return name in self.kept

    @all_or_nothing
    @torch.no_grad()
    def swap_out(self, cache: PagedKVCache, name: Hashable) -> bool:
        """Copy the written blocks of ``name``, which keeps them.

        ``False``, and nothing done, if the copy doesn't fit or nothing is written.
        """
        if name in self.kept:
            raise SequenceExists(f"host memory holds a copy of {name!r} already; drop it first")
        table, length = cache.table(name), cache.lengths[name]
        table = table[: cache.blocks_needed(length)]
        if not table or not self.allocator.can_allocate(len(table)):
            return False
        blocks = self.allocator.allocate_many(len(table))
        self.k[:, blocks] = cache.k_pool[:, table].to(self.k.device)
        self.v[:, blocks] = cache.v_pool[:, table].to(self.v.device)
        self.journal.keep_key(self.kept, name)
        self.kept[name] = blocks, length
        return True

    @all_or_nothing
    @torch.no_grad()
    def swap_in(self, cache: PagedKVCache, name: Hashable) -> None:
        """Bring the copy back, behind what ``name`` holds already, and drop it.

        Raises ``BlockPoolExhausted``, and changes nothing, if the pool has no room.
        """
        if name not in self.kept:
            raise UnknownSequence(
                f"host memory holds no copy of {name!r}: never swapped out, back already, or "
                "dropped; its tokens must be run again"
            )
        blocks, length = self.kept[name]
        table, found = cache.table(name), cache.lengths[name]
        if found < length:
            cache.reserve(name, length - found)
            first = found // cache.block_size  # an earlier block is whole in the pool
            places = table[first : len(blocks)]
            cache.journal.keep_blocks((cache.k_pool, cache.v_pool), places)
            cache.k_pool[:, places] = self.k[:, blocks[first:]].to(cache.device)
            cache.v_pool[:, places] = self.v[:, blocks[first:]].to(cache.device)
            cache.advance({name: length})
        self.drop(name)

    @all_or_nothing
    def drop(self, name: Hashable) -> None:
        """Forget the copy of ``name``, if there is one."""
        if name in self.kept:
            self.journal.keep_key(self.kept, name)
            blocks, _ = self.kept.pop(name)
            self.allocator.release_many(blocks)

    def check_invariants(self) -> None:
        """Raise ``InvariantBroken`` unless each block in use belongs to one copy."""
        self.allocator.check_invariants()
        named = sorted(block for blocks, _ in self.kept.values() for block in blocks)
        used = [block for block, refs in enumerate(self.allocator.refs) if refs]
        if named != used:
            raise InvariantBroken(f"copies name host blocks {named}, in use are {used}")

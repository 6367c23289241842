"""The block allocator: which blocks are free, and how many holders each of the others has.

It moves ids, never tensors. Free ids form a stack, so taking and giving back cost the same in a
pool of a hundred blocks and of a hundred thousand, and a block freed last is reused first (an early
reuse makes a wrong release show early). Every operation either succeeds whole or changes nothing,
interrupted ones too (``journal.py``).

A prefix index (chapter 5) may hold blocks too. One that it alone still holds is *cached*: its
content may serve again, and it is given up, least recently used first, when the free blocks don't
suffice.
"""

from collections.abc import Callable, Sequence
from copy import deepcopy
from typing import Self

from paged_attention.errors import BlockNotHeld, BlockPoolExhausted, InvariantBroken, UnknownBlock
from paged_attention.idle import IdleQueue
from paged_attention.journal import Journal, all_or_nothing


class BlockAllocator:
    """Hands out the blocks ``0 … num_blocks - 1``; ``refs[b]`` counts the holders of block ``b``.

    The law: free + held + cached == total, each block in one state. Free: on the stack once,
    ``refs`` 0. Cached: only the prefix index holds it, ``refs`` 1. Held: any other.

    It belongs to the thread that uses it first. A copy, shallow or deep, has counts of its own.
    ``journal``: that of the cache whose blocks these are, or none for an allocator of its own.
    """

    def __init__(self, num_blocks: int, journal: Journal | None = None) -> None:
        if num_blocks < 1:
            raise ValueError(f"a pool needs at least one block, got num_blocks={num_blocks}")
        self.num_blocks = num_blocks
        self.refs = [0] * num_blocks
        # Highest id at the bottom: a fresh pool hands out 0, 1, 2 …
        self._free = list(range(num_blocks - 1, -1, -1))
        self.indexed = bytearray(num_blocks)  # 1 where the prefix index is among the holders
        self._forget: Callable[[list[int]], None] | None = None
        self.journal = Journal() if journal is None else journal
        self._cached = IdleQueue(self.refs, self.journal)  # least recently used first

    def __copy__(self) -> Self:
        return deepcopy(self)

    @property
    def num_free(self) -> int:
        """Blocks nobody holds."""
        return len(self._free)

    @property
    def num_cached(self) -> int:
        """Blocks that only the prefix index holds; they count as room."""
        return len(self._cached)

    @property
    def num_held(self) -> int:
        """Blocks that some sequence holds."""
        return self.num_blocks - self.num_free - self.num_cached

    def can_allocate(self, n: int) -> bool:
        """Whether ``allocate_many(n)`` would succeed now. Changes nothing."""
        return 0 <= n <= self.num_free + self.num_cached

    def allocate(self) -> int:
        """Take one block; the caller is its only holder and owes one ``release``."""
        if self._free and not self.journal.notes:
            block = self._free[-1]
            self._free[-1:], self.refs[block] = (), 1  # in one statement: nothing to take back
            return block
        if not self.can_allocate(1):
            raise BlockPoolExhausted(
                f"no free block: all {self.num_blocks} are held; free a sequence first"
            )
        return self.allocate_many(1)[0]

    @all_or_nothing
    def allocate_many(self, n: int) -> list[int]:
        """Take ``n`` blocks, or raise and take none; each is owed one ``release``.

        Free blocks go first, so nothing cached is given up while a block without content is left.
        """
        if n < 0:
            raise ValueError(f"cannot allocate {n} blocks")
        if not self.can_allocate(n):
            raise BlockPoolExhausted(
                f"{n} blocks wanted, {self.num_free + self.num_cached} of {self.num_blocks} free "
                "or cached: none was taken; free a sequence first"
            )
        start = max(0, self.num_free - n)
        fresh = self._free[start:]
        self.journal.keep_items(self.refs, fresh)
        self.journal.keep_end(self._free, start)
        del self._free[start:]
        refs = self.refs
        for block in fresh:
            refs[block] = 1
        # From the top of the stack down. What the index drops passes its one hold on to the caller.
        return fresh[::-1] + self._drop_oldest(n - len(fresh))

    def share(self, block: int) -> None:
        """Add one holder to a held or cached block; each holder owes one ``release``."""
        self.share_many([block])

    @all_or_nothing
    def share_many(self, blocks: Sequence[int]) -> None:
        """Add one holder to each of these held or cached blocks, or raise and add none."""
        refs, indexed = self.refs, self.indexed
        holders = self._keep_counts(blocks)
        if 0 in holders:
            free = blocks[holders.index(0)]
            raise BlockNotHeld(
                f"block {free} is free and cannot be shared: its next owner would overwrite it; "
                "share a block while someone still holds it"
            )
        if 1 in holders and self.num_cached:
            self._cached.taken_up(len({b for b in blocks if refs[b] == 1 and indexed[b]}))
        for block in blocks:
            refs[block] += 1

    @all_or_nothing
    def reuse_many(self, blocks: Sequence[int]) -> None:
        """``share_many``, unchecked, for what the index has just found: its own blocks, once each.

        A long hit is little more than this one loop.
        """
        refs = self.refs
        self._cached.taken_up(self.journal.keep_items(refs, blocks).count(1))
        for block in blocks:
            refs[block] += 1

    def release(self, block: int) -> None:
        """Give up one hold; the last holder's release returns the block to the free stack."""
        known = 0 <= block < self.num_blocks and not self.indexed[block]
        if known and self.refs[block] == 1 and not self.journal.notes:
            self._free[self.num_free :], self.refs[block] = (block,), 0  # as in allocate
        else:
            self.release_many([block])

    @all_or_nothing
    def release_many(self, blocks: Sequence[int]) -> None:
        """Give up one hold on each of these blocks, or raise and give up none.

        Blocks left to the prefix index become cached, the last of ``blocks`` the first to be
        evicted: a sequence's tail is useless without its beginning, never the other way round.
        """
        refs, indexed = self.refs, self.indexed
        self._keep_counts(blocks)
        freed: list[int] = []
        left: list[int] = []
        for block in blocks:
            holders = refs[block]
            if holders > 1:
                if holders == 2 and indexed[block]:
                    left.append(block)
            elif holders == 1 and not indexed[block]:
                freed.append(block)
            else:  # nobody but the index, if even that
                raise BlockNotHeld(
                    f"block {block} is released more often than it is held: freeing it twice would "
                    "give one block to two sequences; release once for each allocate or share"
                )
            refs[block] = holders - 1
        self.journal.keep_end(self._free, len(self._free))
        self._free.extend(freed)
        if left:
            self._cached.add(left[::-1])

    def connect_index(self, forget: Callable[[list[int]], None]) -> None:
        """Let one prefix index hold blocks; ``forget(blocks)`` is called before it loses some."""
        if self._forget is not None:
            raise ValueError("this pool has a prefix index already, and it can serve only one")
        self._forget = forget

    @all_or_nothing
    def index_many(self, blocks: Sequence[int]) -> None:
        """Add the prefix index to the holders of these held blocks, or raise and add it to none."""
        refs, indexed = self.refs, self.indexed
        holders = self._keep_counts(blocks)
        known = self.journal.keep_items(indexed, blocks)
        if 0 in holders or 1 in known:
            wrong = next(b for b in blocks if not refs[b] or indexed[b])
            state = "in the index already" if indexed[wrong] else "free"
            raise BlockNotHeld(f"block {wrong} is {state}; index a block once, while it is held")
        for block in blocks:
            refs[block] += 1
            indexed[block] = 1

    @all_or_nothing
    def evict(self, n: int) -> int:
        """Free up to ``n`` cached blocks, least recently used first; returns how many."""
        dropped = self._drop_oldest(n)
        self.journal.keep_items(self.refs, dropped)
        self.journal.keep_end(self._free, len(self._free))
        for block in dropped:
            self.refs[block] = 0
        self._free.extend(reversed(dropped))
        return len(dropped)

    def _drop_oldest(self, n: int) -> list[int]:
        """Take up to ``n`` cached blocks from the index, least recently used first.

        Each still counts one holder: whoever called this has taken over the index's hold.
        """
        dropped = self._cached.pop(n)
        if dropped:
            assert self._forget is not None
            self._forget(dropped)
            self.journal.keep_items(self.indexed, dropped)
            for block in dropped:
                self.indexed[block] = 0
        return dropped

    def check_invariants(self) -> None:
        """Raise ``InvariantBroken`` naming the first block that breaks the law. Walks the pool."""
        self._cached.check_invariants()
        free: set[int] = set()
        for block in self._free:
            if block in free:
                raise InvariantBroken(f"block {block} is in the free list twice")
            free.add(block)
        for block, holders in enumerate(self.refs):
            if holders < 0:
                raise InvariantBroken(f"block {block} has {holders} holders")
            if holders and block in free:
                raise InvariantBroken(f"block {block} is free, yet has {holders} holders")
            if not holders and block not in free:
                raise InvariantBroken(f"block {block} is lost: nobody holds it and it is not free")
            if (block in self._cached) != (holders == 1 and self.indexed[block] == 1):
                place = "in the index" if self.indexed[block] else "not in the index"
                wrong = "is" if block in self._cached else "is not"
                raise InvariantBroken(
                    f"block {block} has {holders} holders and is {place}, yet it {wrong} cached"
                )

    def _keep_counts(self, blocks: Sequence[int]) -> Sequence[int]:
        """How many holders each of them has, noted in the journal; raises for a wrong id."""
        if blocks and min(blocks) < 0:  # it would count from the end
            raise self._unknown(min(blocks))
        try:
            return self.journal.keep_items(self.refs, blocks)
        except IndexError:
            raise self._unknown(max(blocks)) from None

    def _unknown(self, block: int) -> UnknownBlock:
        return UnknownBlock(
            f"there is no block {block}: the pool has blocks 0 to {self.num_blocks - 1}"
        )

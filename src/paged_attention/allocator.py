"""The block allocator: which blocks are free, and how many holders each of the others has.

It moves ids, never tensors. Free ids form a stack, so taking and giving back cost the same in a
pool of a hundred blocks and of a hundred thousand, and a block freed last is reused first (an early
reuse makes a wrong release show early). Every operation either succeeds whole or changes nothing,
interrupted ones too (``journal.py``).

A prefix index (chapter 5) may hold blocks too. One that it alone still holds is *cached*: its
content may serve again, and it is given up, least recently used first, when the free blocks don't
suffice.
"""

from collections import OrderedDict
from collections.abc import Callable, Sequence
from copy import deepcopy
from itertools import count, islice
from typing import Self

from paged_attention.errors import (
    BlockNotHeld,
    BlockPoolExhausted,
    InvariantBroken,
    UnknownBlock,
)
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
        # By block: its turn, a number that only rises. Least recently used first.
        self._cached: OrderedDict[int, int] = OrderedDict()
        self._forget: Callable[[list[int]], None] | None = None
        self.journal = Journal() if journal is None else journal

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
        taken = fresh[::-1]  # from the top of the stack down
        taken += self._drop_oldest(n - len(fresh))
        for block in taken:
            self.refs[block] = 1
        return taken

    def share(self, block: int) -> None:
        """Add one holder to a held or cached block; each holder owes one ``release``."""
        self.share_many([block])

    @all_or_nothing
    def share_many(self, blocks: Sequence[int]) -> None:
        """Add one holder to each of these held or cached blocks, or raise and add none."""
        self._check_ids(blocks)
        refs, cached = self.refs, self._cached
        holders = list(map(refs.__getitem__, blocks))
        if not all(holders):
            free = next(block for block in blocks if not refs[block])
            raise BlockNotHeld(
                f"block {free} is free and cannot be shared: its next owner would overwrite it; "
                "share a block while someone still holds it"
            )
        self.journal.keep_items(refs, blocks)
        for block in blocks:
            refs[block] += 1
        if cached:
            hit = {block: cached[block] for block in blocks if block in cached}
            self.journal.note(self._cache_again, hit)
            for block in hit:
                del cached[block]

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
        self._check_ids(blocks)
        refs, indexed, cached = self.refs, self.indexed, self._cached
        self.journal.keep_items(refs, blocks)
        freed, left = [], []
        for block in blocks:
            holders = refs[block]
            if holders == 1 and not indexed[block]:
                freed.append(block)
            elif holders == indexed[block]:  # nobody but the index, if even that
                raise BlockNotHeld(
                    f"block {block} is released more often than it is held: freeing it twice would "
                    "give one block to two sequences; release once for each allocate or share"
                )
            elif holders == 2 and indexed[block]:
                left.append(block)
            refs[block] = holders - 1
        self.journal.keep_end(self._free, len(self._free))
        self._free.extend(freed)
        if left:
            self.journal.note(self._uncache, left)
            turns = count(next(reversed(cached.values()), 0) + 1)
            cached.update(zip(reversed(left), turns, strict=False))

    def connect_index(self, forget: Callable[[list[int]], None]) -> None:
        """Let one prefix index hold blocks; ``forget(blocks)`` is called before it loses some."""
        if self._forget is not None:
            raise ValueError("this pool has a prefix index already, and it can serve only one")
        self._forget = forget

    @all_or_nothing
    def index_many(self, blocks: Sequence[int]) -> None:
        """Add the prefix index to the holders of these held blocks, or raise and add it to none."""
        self._check_ids(blocks)
        for block in blocks:
            if not self.refs[block] or self.indexed[block]:
                state = "in the index already" if self.indexed[block] else "free"
                raise BlockNotHeld(
                    f"block {block} is {state}; index a block once, while it is held"
                )
        self.journal.keep_items(self.refs, blocks)
        self.journal.keep_items(self.indexed, blocks)
        for block in blocks:
            self.refs[block] += 1
            self.indexed[block] = 1

    @all_or_nothing
    def evict(self, n: int) -> int:
        """Free up to ``n`` cached blocks, least recently used first; returns how many."""
        dropped = self._drop_oldest(n)
        self.journal.keep_end(self._free, len(self._free))
        self._free.extend(reversed(dropped))
        return len(dropped)

    def _drop_oldest(self, n: int) -> list[int]:
        """Take up to ``n`` cached blocks from the index, least recently used first; ``refs`` 0."""
        dropped = list(islice(self._cached, n if n > 0 else 0))
        if not dropped:
            return dropped
        assert self._forget is not None
        self._forget(dropped)
        self.journal.keep_items(self.refs, dropped)
        self.journal.keep_items(self.indexed, dropped)
        self.journal.note(self._cache_again, {block: self._cached[block] for block in dropped})
        for block in dropped:
            del self._cached[block]
            self.indexed[block] = self.refs[block] = 0
        return dropped

    def _cache_again(self, turns: dict[int, int]) -> None:
        """Put blocks back where they stood among the cached ones."""
        self._cached.update(turns)
        for block in sorted(self._cached, key=self._cached.__getitem__):
            self._cached.move_to_end(block)

    def _uncache(self, blocks: Sequence[int]) -> None:
        for block in blocks:
            self._cached.pop(block, None)

    def check_invariants(self) -> None:
        """Raise ``InvariantBroken`` naming the first block that breaks the law. Walks the pool."""
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

    def _check_ids(self, blocks: Sequence[int]) -> None:
        """Raise for an id outside the pool; a negative one would index from its end."""
        if blocks and (min(blocks) < 0 or max(blocks) >= self.num_blocks):
            wrong = next(b for b in blocks if not 0 <= b < self.num_blocks)
            raise UnknownBlock(
                f"there is no block {wrong}: the pool has blocks 0 to {self.num_blocks - 1}"
            )

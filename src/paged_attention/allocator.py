"""The block allocator: which blocks are free, and how many holders each of the others has.

It moves ids, never tensors. Free ids form a stack, so taking and giving back cost the same in a
pool of a hundred blocks and of a hundred thousand, and a block freed last is reused first (an early
reuse makes a wrong release show early). Every operation either succeeds whole or changes nothing.

A prefix index (chapter 5) may hold blocks too. One that it alone still holds is *cached*: its
content may serve again, and it is given up, least recently used first, when the free blocks don't
suffice.
"""

from collections import OrderedDict
from collections.abc import Callable, Sequence
from itertools import islice

from paged_attention.errors import (
    BlockNotHeld,
    BlockPoolExhausted,
    InvariantBroken,
    UnknownBlock,
)


class BlockAllocator:
    """Hands out the blocks ``0 … num_blocks - 1``; ``refs[b]`` counts the holders of block ``b``.

    The law: free + held + cached == total, each block in one state. Free: on the stack once,
    ``refs`` 0. Cached: only the prefix index holds it, ``refs`` 1. Held: any other.
    """

    def __init__(self, num_blocks: int) -> None:
        if num_blocks < 1:
            raise ValueError(f"a pool needs at least one block, got num_blocks={num_blocks}")
        self.num_blocks = num_blocks
        self.refs = [0] * num_blocks
        # Highest id at the bottom: a fresh pool hands out 0, 1, 2 …
        self._free = list(range(num_blocks - 1, -1, -1))
        self.indexed = bytearray(num_blocks)  # 1 where the prefix index is among the holders
        self._cached: OrderedDict[int, None] = OrderedDict()  # least recently used first
        self._forget: Callable[[int], None] | None = None

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
        if not self._free and not self.evict(1):
            raise BlockPoolExhausted(
                f"no free block: all {self.num_blocks} are held; free a sequence first"
            )
        block = self._free.pop()
        self.refs[block] = 1
        return block

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
        from_free = min(n, self.num_free)
        taken = self._free[: -from_free - 1 : -1]  # from the top of the stack down
        del self._free[len(self._free) - from_free :]
        taken += self._drop_oldest(n - from_free)
        for block in taken:
            self.refs[block] = 1
        return taken

    def share(self, block: int) -> None:
        """Add one holder to a held or cached block; each holder owes one ``release``."""
        self.share_many([block])

    def share_many(self, blocks: Sequence[int]) -> None:
        """Add one holder to each of these held or cached blocks, or raise and add none."""
        self._check_ids(blocks)
        refs, cached = self.refs, self._cached
        if not all(map(refs.__getitem__, blocks)):
            free = next(block for block in blocks if not refs[block])
            raise BlockNotHeld(
                f"block {free} is free and cannot be shared: its next owner would overwrite it; "
                "share a block while someone still holds it"
            )
        for block in blocks:
            count = refs[block]
            refs[block] = count + 1
            if count == 1:
                cached.pop(block, None)

    def release(self, block: int) -> None:
        """Give up one hold; the last holder's release returns the block to the free stack."""
        self.release_many([block])

    def release_many(self, blocks: Sequence[int]) -> None:
        """Give up one hold on each of these blocks, or raise and give up none.

        Blocks left to the prefix index become cached, the last of ``blocks`` the first to be
        evicted: a sequence's tail is useless without its beginning, never the other way round.
        """
        self._check_ids(blocks)
        refs, indexed = self.refs, self.indexed
        freed, left = [], []
        for done, block in enumerate(blocks):
            count = refs[block]
            if count == 1 and not indexed[block]:
                freed.append(block)
            elif count == indexed[block]:  # nobody but the index, if even that
                for earlier in blocks[:done]:
                    refs[earlier] += 1
                raise BlockNotHeld(
                    f"block {block} is released more often than it is held: freeing it twice would "
                    "give one block to two sequences; release once for each allocate or share"
                )
            elif count == 2 and indexed[block]:
                left.append(block)
            refs[block] = count - 1
        self._free.extend(freed)
        for block in reversed(left):
            self._cached[block] = None

    def connect_index(self, forget: Callable[[int], None]) -> None:
        """Let one prefix index hold blocks; ``forget(block)`` is called before it loses one."""
        if self._forget is not None:
            raise ValueError("this pool has a prefix index already, and it can serve only one")
        self._forget = forget

    def index_many(self, blocks: Sequence[int]) -> None:
        """Add the prefix index to the holders of these held blocks, or raise and add it to none."""
        self._check_ids(blocks)
        for block in blocks:
            if not self.refs[block] or self.indexed[block]:
                state = "in the index already" if self.indexed[block] else "free"
                raise BlockNotHeld(
                    f"block {block} is {state}; index a block once, while it is held"
                )
        for block in blocks:
            self.refs[block] += 1
            self.indexed[block] = 1

    def evict(self, n: int) -> int:
        """Free up to ``n`` cached blocks, least recently used first; returns how many."""
        dropped = self._drop_oldest(n)
        self._free.extend(reversed(dropped))
        return len(dropped)

    def _drop_oldest(self, n: int) -> list[int]:
        """Take up to ``n`` cached blocks from the index, least recently used first; ``refs`` 0."""
        dropped = list(islice(self._cached, n if n > 0 else 0))
        for block in dropped:
            assert self._forget is not None
            self._forget(block)
            del self._cached[block]
            self.indexed[block] = self.refs[block] = 0
        return dropped

    def check_invariants(self) -> None:
        """Raise ``InvariantBroken`` naming the first block that breaks the law. Walks the pool."""
        free: set[int] = set()
        for block in self._free:
            if block in free:
                raise InvariantBroken(f"block {block} is in the free list twice")
            free.add(block)
        for block, count in enumerate(self.refs):
            if count < 0:
                raise InvariantBroken(f"block {block} has {count} holders")
            if count and block in free:
                raise InvariantBroken(f"block {block} is free, yet has {count} holders")
            if not count and block not in free:
                raise InvariantBroken(f"block {block} is lost: nobody holds it and it is not free")
            if (block in self._cached) != (count == 1 and self.indexed[block] == 1):
                place = "in the index" if self.indexed[block] else "not in the index"
                wrong = "is" if block in self._cached else "is not"
                raise InvariantBroken(
                    f"block {block} has {count} holders and is {place}, yet it {wrong} cached"
                )

    def _check_ids(self, blocks: Sequence[int]) -> None:
        """Raise for an id outside the pool; a negative one would index from its end."""
        if blocks and (min(blocks) < 0 or max(blocks) >= self.num_blocks):
            wrong = next(b for b in blocks if not 0 <= b < self.num_blocks)
            raise UnknownBlock(
                f"there is no block {wrong}: the pool has blocks 0 to {self.num_blocks - 1}"
            )

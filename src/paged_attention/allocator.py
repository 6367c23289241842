"""The block allocator: which blocks of the pool are free, and how many holders each of the others
has.

It moves ids, never tensors. Free ids form a stack, so taking and giving back cost the same in a
pool of a hundred blocks and of a hundred thousand, and a block freed last is reused first (an early
reuse makes a wrong release show early). Every operation either succeeds whole or changes nothing.
"""

from collections.abc import Sequence

from paged_attention.errors import (
    BlockNotHeld,
    BlockPoolExhausted,
    InvariantBroken,
    UnknownBlock,
)


class BlockAllocator:
    """Hands out the blocks ``0 … num_blocks - 1``; ``refs[b]`` counts the holders of block ``b``.

    The law: every block is either free (on the stack once, ``refs`` 0) or held (``refs`` at least
    1).
    """

    def __init__(self, num_blocks: int) -> None:
        if num_blocks < 1:
            raise ValueError(f"a pool needs at least one block, got num_blocks={num_blocks}")
        self.num_blocks = num_blocks
        self.refs = [0] * num_blocks
        # Highest id at the bottom: a fresh pool hands out 0, 1, 2 …
        self._free = list(range(num_blocks - 1, -1, -1))

    @property
    def num_free(self) -> int:
        """Blocks nobody holds."""
        return len(self._free)

    def can_allocate(self, n: int) -> bool:
        """Whether ``allocate_many(n)`` would succeed now. Changes nothing."""
        return 0 <= n <= self.num_free

    def allocate(self) -> int:
        """Take one free block; the caller is its only holder and owes one ``release``."""
        if not self._free:
            raise BlockPoolExhausted(
                f"no free block: all {self.num_blocks} are held; free a sequence first"
            )
        block = self._free.pop()
        self.refs[block] = 1
        return block

    def allocate_many(self, n: int) -> list[int]:
        """Take ``n`` free blocks, or raise and take none; each is owed one ``release``."""
        if n < 0:
            raise ValueError(f"cannot allocate {n} blocks")
        if n > self.num_free:
            raise BlockPoolExhausted(
                f"{n} blocks wanted, {self.num_free} of {self.num_blocks} free: none was taken; "
                "free a sequence first"
            )
        taken = self._free[: -n - 1 : -1]  # from the top of the stack down
        del self._free[len(self._free) - n :]
        for block in taken:
            self.refs[block] = 1
        return taken

    def share(self, block: int) -> None:
        """Add one holder to a held block; each holder owes one ``release``."""
        self.share_many([block])

    def share_many(self, blocks: Sequence[int]) -> None:
        """Add one holder to each of these held blocks, or raise and add none."""
        self._check_ids(blocks)
        refs = self.refs
        for block in blocks:
            if not refs[block]:
                raise BlockNotHeld(
                    f"block {block} is free and cannot be shared: its next owner would overwrite "
                    "it; share a block while someone still holds it"
                )
        for block in blocks:
            refs[block] += 1

    def release(self, block: int) -> None:
        """Give up one hold; the last holder's release returns the block to the free stack."""
        self.release_many([block])

    def release_many(self, blocks: Sequence[int]) -> None:
        """Give up one hold on each of these blocks, in order, or raise and give up none."""
        self._check_ids(blocks)
        refs, freed = self.refs, []
        for done, block in enumerate(blocks):
            count = refs[block]
            if not count:
                for earlier in blocks[:done]:
                    refs[earlier] += 1
                raise BlockNotHeld(
                    f"block {block} is released more often than it is held: freeing it twice "
                    "would give one block to two sequences; release once for each allocate or share"
                )
            refs[block] = count - 1
            if count == 1:
                freed.append(block)
        self._free.extend(freed)

    def check_invariants(self) -> None:
        """Raise ``InvariantBroken`` naming the first block that breaks the law. Walks the whole
        pool.
        """
        seen: set[int] = set()
        for block in self._free:
            if block in seen:
                raise InvariantBroken(f"block {block} is in the free list twice")
            seen.add(block)
        for block, count in enumerate(self.refs):
            if count < 0:
                raise InvariantBroken(f"block {block} has {count} holders")
            if count and block in seen:
                raise InvariantBroken(f"block {block} is free, yet has {count} holders")
            if not count and block not in seen:
                raise InvariantBroken(f"block {block} is lost: nobody holds it and it is not free")

    def _check_ids(self, blocks: Sequence[int]) -> None:
        # Negative ids would silently index from the end of the list.
        if blocks and not (min(blocks) >= 0 and max(blocks) < self.num_blocks):
            wrong = next(b for b in blocks if not 0 <= b < self.num_blocks)
            raise UnknownBlock(
                f"there is no block {wrong}: the pool has blocks 0 to {self.num_blocks - 1}"
            )

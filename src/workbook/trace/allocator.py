"""An allocator that notes which block each of its operations touched, in order."""

from collections.abc import Sequence
from typing import Literal

from paged_attention.allocator import BlockAllocator
from paged_attention.journal import Journal, all_or_nothing

# "drop": the index gives up its hold on a block it has just forgotten ("evict").
Move = Literal["allocate", "share", "release", "publish", "evict", "drop"]


class RecordingAllocator(BlockAllocator):
    """The engine's allocator; ``drain`` hands over what moved since it was last called."""

    def __init__(self, num_blocks: int, journal: Journal | None = None) -> None:
        super().__init__(num_blocks, journal)
        self._moves: list[tuple[Move, int]] = []

    def drain(self) -> list[tuple[Move, int]]:
        """The moves since the last call, each of one block; forgets them."""
        moves = self._moves.copy()
        self.journal.keep_end(self._moves, 0)
        self._moves.clear()
        return moves

    def free_order(self) -> list[int]:
        """The free blocks in the order in which they will be handed out."""
        return self._free[::-1]

    def cached_order(self) -> list[int]:
        """The blocks that only the index holds, next to be evicted first."""
        return list(self._cached)

    @all_or_nothing
    def allocate(self) -> int:
        """As the engine's, noted."""
        return self.allocate_many(1)[0]

    @all_or_nothing
    def allocate_many(self, n: int) -> list[int]:
        """As the engine's, noted: each evicted block where it is handed on."""
        before = len(self._moves)
        blocks = super().allocate_many(n)
        evicted = {block for _, block in self._moves[before:]}
        del self._moves[before:]
        for block in blocks:
            if block in evicted:
                self._note(("evict", block), ("drop", block))
            self._note(("allocate", block))
        return blocks

    @all_or_nothing
    def share_many(self, blocks: Sequence[int]) -> None:
        """As the engine's, noted."""
        super().share_many(blocks)
        self._note(*(("share", block) for block in blocks))

    @all_or_nothing
    def reuse_many(self, blocks: Sequence[int]) -> None:
        """As the engine's, noted."""
        super().reuse_many(blocks)
        self._note(*(("share", block) for block in blocks))

    def release(self, block: int) -> None:
        """As the engine's, noted."""
        self.release_many([block])

    @all_or_nothing
    def release_many(self, blocks: Sequence[int]) -> None:
        """As the engine's, noted: what is left to the index comes last, the tail of it first."""
        super().release_many(blocks)
        left = [block for block in blocks if block in self._cached]
        self._note(*(("release", block) for block in blocks if block not in self._cached))
        self._note(*(("release", block) for block in reversed(left)))

    @all_or_nothing
    def index_many(self, blocks: Sequence[int]) -> None:
        """As the engine's, noted."""
        super().index_many(blocks)
        self._note(*(("publish", block) for block in blocks))

    @all_or_nothing
    def evict(self, n: int) -> int:
        """As the engine's, noted: the block forgotten first is the next to be handed out."""
        before = len(self._moves)
        evicted = super().evict(n)
        self._note(*(("drop", block) for _, block in reversed(self._moves[before:])))
        return evicted

    def _drop_oldest(self, n: int) -> list[int]:
        """As the engine's, noted: every block the index loses, whoever asked for it."""
        dropped = super()._drop_oldest(n)
        self._note(*(("evict", block) for block in dropped))
        return dropped

    def _note(self, *moves: tuple[Move, int]) -> None:
        self.journal.keep_end(self._moves, len(self._moves))
        self._moves += moves

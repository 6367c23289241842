"""An allocator that notes which block each of its operations touched, in order."""

from collections.abc import Callable, Sequence
from typing import Literal

from paged_attention.allocator import BlockAllocator

# "drop": the index gives up its hold on a block it has just forgotten ("evict").
Move = Literal["allocate", "share", "release", "publish", "evict", "drop"]


class RecordingAllocator(BlockAllocator):
    """The engine's allocator; ``drain`` hands over what moved since it was last called."""

    def __init__(self, num_blocks: int) -> None:
        super().__init__(num_blocks)
        self._moves: list[tuple[Move, int]] = []

    def drain(self) -> list[tuple[Move, int]]:
        """The moves since the last call, each of one block; forgets them."""
        moves, self._moves = self._moves, []
        return moves

    def free_order(self) -> list[int]:
        """The free blocks in the order in which they will be handed out."""
        return self._free[::-1]

    def cached_order(self) -> list[int]:
        """The blocks that only the index holds, next to be evicted first."""
        return list(self._cached)

    def allocate(self) -> int:
        """As the engine's, noted."""
        block = super().allocate()
        self._moves.append(("allocate", block))
        return block

    def allocate_many(self, n: int) -> list[int]:
        """As the engine's, noted: each evicted block where it is handed on."""
        before = len(self._moves)
        blocks = super().allocate_many(n)
        evicted = {block for _, block in self._moves[before:]}
        del self._moves[before:]
        for block in blocks:
            if block in evicted:
                self._moves += [("evict", block), ("drop", block)]
            self._moves.append(("allocate", block))
        return blocks

    def share_many(self, blocks: Sequence[int]) -> None:
        """As the engine's, noted."""
        super().share_many(blocks)
        self._moves += [("share", block) for block in blocks]

    def release_many(self, blocks: Sequence[int]) -> None:
        """As the engine's, noted: what is left to the index comes last, the tail of it first."""
        super().release_many(blocks)
        left = [block for block in blocks if block in self._cached]
        self._moves += [("release", block) for block in blocks if block not in self._cached]
        self._moves += [("release", block) for block in reversed(left)]

    def index_many(self, blocks: Sequence[int]) -> None:
        """As the engine's, noted."""
        super().index_many(blocks)
        self._moves += [("publish", block) for block in blocks]

    def evict(self, n: int) -> int:
        """As the engine's, noted: the block forgotten first is the next to be handed out."""
        before = len(self._moves)
        evicted = super().evict(n)
        self._moves += [("drop", block) for _, block in reversed(self._moves[before:])]
        return evicted

    def connect_index(self, forget: Callable[[int], None]) -> None:
        """As the engine's; every block the index loses is noted, whoever asked for it."""

        def noted(block: int) -> None:
            self._moves.append(("evict", block))
            forget(block)

        super().connect_index(noted)

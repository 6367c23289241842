"""Which cached blocks may be evicted, and in which order: a queue that nothing is taken out of.

A block joins at the end when its last holder leaves. When it is used again its entry stays where it
is and is *void*: the counts say that somebody holds the block, and its latest entry is another.
Whoever looks for the oldest passes void entries over, and each of them only once.

Every step is O(1), amortised. An entry is passed over or handed out once. When the queue is longer
than twice the pool it closes up, which leaves one entry a block at most; so at least as many blocks
as the pool has must join between two closings, and they pay for the walk.
"""

from collections.abc import Iterator, Sequence

from paged_attention.errors import InvariantBroken
from paged_attention.journal import Journal


class IdleQueue:
    """Blocks in the order in which they were left, the one left first in front.

    ``refs`` are the allocator's own counts: a block waits here while it has one holder, the index.
    The allocator says when that begins (``add``) and how many it has ended for (``taken_up``).
    """

    def __init__(self, refs: list[int], journal: Journal) -> None:
        self._refs = refs
        self._queue: list[int] = []
        self._place = [-1] * len(refs)  # by block: where its latest entry is
        self._head = 0  # all entries before this one are done with
        self._length = 0
        self._journal = journal

    def __len__(self) -> int:
        return self._length

    def __contains__(self, block: int) -> bool:
        at = self._place[block]
        if not self._head <= at < len(self._queue) or self._queue[at] != block:
            return False
        return self._refs[block] == 1

    def __iter__(self) -> Iterator[int]:
        return iter(self._valid(self._head, len(self._queue)))

    def add(self, blocks: Sequence[int]) -> None:
        """``blocks``, each of which has just lost its last holder but the index, join in order."""
        start = len(self._queue)
        self._journal.keep_attributes(self, "_queue", "_head", "_length")
        self._journal.keep_end(self._queue, start)
        self._journal.keep_items(self._place, blocks)
        self._queue += blocks
        place = self._place
        for at, block in enumerate(blocks, start):
            place[block] = at
        self._length += len(blocks)
        if len(self._queue) > 2 * len(place):
            self._close_up()

    def taken_up(self, n: int) -> None:
        """Somebody is about to hold ``n`` of these blocks, which makes their entries void."""
        self._journal.keep_attributes(self, "_length")
        self._length -= n

    def pop(self, n: int) -> list[int]:
        """Take out up to ``n`` from the front; none of them is the index's any more."""
        self._journal.keep_attributes(self, "_head", "_length")
        taken: list[int] = []
        while len(taken) < n and self._head < len(self._queue):
            end = min(self._head + n - len(taken), len(self._queue))
            taken += self._valid(self._head, end)
            self._head = end
        self._length -= len(taken)
        return taken

    def check_invariants(self) -> None:
        """Raise ``InvariantBroken`` unless it has each block once and as many as it says."""
        blocks = list(self)
        for block in blocks:
            if block not in self:
                raise InvariantBroken(f"block {block} waits for eviction in two places")
        if len(blocks) != self._length:
            raise InvariantBroken(
                f"{self._length} blocks are said to wait for eviction, and these do: {blocks}"
            )

    def _valid(self, start: int, end: int) -> list[int]:
        """The blocks whose latest entry is one of these, and which nobody has taken up since."""
        place, refs = self._place, self._refs
        entries = enumerate(self._queue[start:end], start)
        return [block for at, block in entries if place[block] == at and refs[block] == 1]

    def _close_up(self) -> None:
        """Leave out what is void or done with."""
        queue = list(self)
        self._journal.keep_items(self._place, queue)
        for at, block in enumerate(queue):
            self._place[block] = at
        self._queue, self._head = queue, 0

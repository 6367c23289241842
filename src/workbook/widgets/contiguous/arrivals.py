"""Requests that come one after the other and end in that order, on both memory managers.

The engine's own pools decide: ``SlotPool`` hands each request one run as long as it may become,
``BlockAllocator`` as many blocks as its tokens fill. Requests wait in line, first come, first
served. No tensors: only who has what.
"""

from collections.abc import Hashable, Sequence
from typing import Protocol

from paged_attention.allocator import BlockAllocator
from paged_attention.slots import SlotPool
from paged_attention.tables import blocks_needed
from workbook.trace import Recorder, Trace


class Side(Protocol):
    """A memory manager that requests ask for room."""

    recorder: Recorder

    def room(self, length: int) -> tuple[bool, int, int]:
        """Whether a request fits now, what it wants, and what is there for it."""
        ...

    def admit(self, seq: int, length: int) -> None:
        """Take the memory of a request and write its tokens."""
        ...

    def release(self, seq: int) -> None:
        """Give back the memory of a request."""
        ...


class ContiguousSide:
    """Each request reserves one run of ``most`` slots."""

    def __init__(self, slots: int, most: int) -> None:
        self._pool = SlotPool(slots)
        self._most = most
        self._starts: dict[int, int] = {}
        self.recorder = Recorder("contiguous", slots, 1)

    def room(self, length: int) -> tuple[bool, int, int]:
        """Every request wants ``most`` slots in one piece, however short it turns out."""
        del length
        longest = self._pool.longest_run
        return longest >= self._most, self._most, longest

    def admit(self, seq: int, length: int) -> None:
        """Reserve the run, write the tokens at its beginning."""
        start = self._starts[seq] = self._pool.reserve(self._most)
        self.recorder.add("create", seq)
        self.recorder.add("allocate", seq, start, n=self._most)
        self.recorder.add("write", seq, start, n=length)

    def release(self, seq: int) -> None:
        """Give back the run."""
        start = self._starts.pop(seq)
        self._pool.release(start)
        self.recorder.add("release", seq, start)


class PagedSide:
    """Each request takes the blocks that its tokens fill."""

    def __init__(self, slots: int, block_size: int) -> None:
        self._pool = BlockAllocator(slots // block_size)
        self._size = block_size
        self._tables: dict[int, list[int]] = {}
        self.recorder = Recorder(
            "paged", slots // block_size, block_size, range(slots // block_size)
        )

    def room(self, length: int) -> tuple[bool, int, int]:
        """A request wants as many blocks as its tokens fill, anywhere."""
        wanted = blocks_needed(length, self._size)
        return self._pool.can_allocate(wanted), wanted, self._pool.num_free

    def admit(self, seq: int, length: int) -> None:
        """Take the blocks, write the tokens."""
        table = self._pool.allocate_many(blocks_needed(length, self._size))
        self._tables[seq] = table
        self.recorder.add("create", seq)
        for i, block in enumerate(table):
            self.recorder.add("allocate", seq, block, i)
        for i, block in enumerate(table):
            filled = min(self._size, length - i * self._size)
            self.recorder.add("write", seq, block, n=filled)

    def release(self, seq: int) -> None:
        """Give back the blocks."""
        table = self._tables.pop(seq)
        self._pool.release_many(table)
        for i, block in enumerate(table):
            self.recorder.add("release", seq, block, i)


def serve(side: Side, lengths: Sequence[int], names: Sequence[Hashable]) -> Trace:
    """All requests arrive, a step each, then all end; those that wait enter when they fit."""
    recorder = side.recorder
    seqs = [recorder.seq(name) for name in names]
    waiting: list[int] = []

    def enter(seq: int) -> None:
        _, wanted, room = side.room(lengths[seq])
        recorder.add("admit", seq, n=wanted, i=room)
        side.admit(seq, lengths[seq])

    for seq in seqs:
        with recorder.step("arrive", seq, lengths[seq]):
            fits, wanted, room = side.room(lengths[seq])
            if fits and not waiting:
                enter(seq)
            else:
                recorder.add("refuse", seq, n=wanted, i=room)
                waiting.append(seq)
    for seq in seqs:
        with recorder.step("end", seq):
            side.release(seq)
            while waiting and side.room(lengths[waiting[0]])[0]:
                enter(waiting.pop(0))
    return recorder.trace

"""Contiguous reservations: the memory manager that paging replaces.

A pool of token slots hands out runs of neighbouring slots, first fit. A run must be as long as the
sequence may ever become, because it can't grow later. Kept as the baseline and the naive twin of
the block allocator.
"""

from copy import deepcopy
from typing import Self

from paged_attention.errors import InvariantBroken, SlotNotHeld, SlotsExhausted
from paged_attention.journal import Journal, all_or_nothing


class SlotPool:
    """Runs of slots ``start … start + length - 1``; ``held`` maps a run's start to its length.

    The law: free runs and held runs tile the pool, and no two free runs touch. ``journal``: that
    of the cache whose slots these are, or none for a pool of its own.
    """

    def __init__(self, num_slots: int, journal: Journal | None = None) -> None:
        if num_slots < 1:
            raise ValueError(f"a pool needs at least one slot, got num_slots={num_slots}")
        self.num_slots = num_slots
        self.runs: list[tuple[int, int]] = [(0, num_slots)]  # free, as (start, length), by start
        self.held: dict[int, int] = {}
        self.journal = Journal() if journal is None else journal

    def __copy__(self) -> Self:
        return deepcopy(self)

    @property
    def num_free(self) -> int:
        """Free slots, in however many runs."""
        return sum(length for _, length in self.runs)

    @property
    def longest_run(self) -> int:
        """The longest reservation that would succeed now."""
        return max((length for _, length in self.runs), default=0)

    @all_or_nothing
    def reserve(self, length: int) -> int:
        """Take the first free run of at least ``length`` slots; returns its start."""
        if length < 1:
            raise ValueError(f"a reservation needs at least one slot, got {length}")
        for index, (start, free) in enumerate(self.runs):
            if free >= length:
                self.journal.keep_end(self.runs, index)
                self.journal.keep_key(self.held, start)
                self.runs[index : index + 1] = [(start + length, free - length)] * (free > length)
                self.held[start] = length
                return start
        raise SlotsExhausted(
            f"{length} slots wanted in one run: {self.num_free} of {self.num_slots} are free, the "
            f"longest run has {self.longest_run}; wait for a neighbour to finish"
        )

    @all_or_nothing
    def release(self, start: int) -> None:
        """Give back the run that begins at ``start`` and join it with its free neighbours."""
        if start not in self.held:
            raise SlotNotHeld(
                f"no reservation begins at slot {start}; release each once, by its start"
            )
        joined: list[tuple[int, int]] = []
        for begin, length in sorted([*self.runs, (start, self.held[start])]):
            if joined and sum(joined[-1]) == begin:
                joined[-1] = (joined[-1][0], joined[-1][1] + length)
            else:
                joined.append((begin, length))
        self.journal.keep_attributes(self, "runs")
        self.journal.keep_key(self.held, start)
        self.runs = joined
        del self.held[start]

    def check_invariants(self) -> None:
        """Raise ``InvariantBroken`` naming the first slot that is lost or in two runs."""
        expected = 0
        was_free = False
        free = set(self.runs)
        for start, length in sorted([*self.runs, *self.held.items()]):
            if start != expected:
                raise InvariantBroken(
                    f"slots {expected} and {start} should meet: lost or overlapping"
                )
            is_free = (start, length) in free
            if was_free and is_free:
                raise InvariantBroken(f"two free runs touch at slot {start}")
            expected, was_free = start + length, is_free
        if expected != self.num_slots:
            raise InvariantBroken(f"runs end at slot {expected} in a pool of {self.num_slots}")

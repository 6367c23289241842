"""The sequences of a cache, without a tensor: their lengths, and which of them a step runs."""

from collections.abc import Hashable, Mapping, Sequence
from copy import deepcopy
from typing import TYPE_CHECKING, Self

from paged_attention.errors import BadBatch, PositionNotReserved, SequenceExists, UnknownSequence
from paged_attention.journal import Journal

if TYPE_CHECKING:  # bookkeeping doesn't load torch
    from paged_attention.cache_step import Step


class CachedSequences:
    """How many tokens each sequence has, and the batch being run.

    One cache belongs to one thread, the first that uses it: the batch is the cache's, so two
    threads would run each other's rows. A second one gets ``WrongThread``, unless ``hand_over`` was
    called in between. Every verb reaches its end or, failing or interrupted, changes nothing. A
    copy, shallow, deep or pickled, holds memory of its own.
    """

    def __init__(self) -> None:
        self.lengths: dict[Hashable, int] = {}
        self._batch: list[Hashable] | None = None
        self._step: Step | None = None
        self.journal = Journal()

    def __copy__(self) -> Self:
        return deepcopy(self)

    def hand_over(self) -> None:
        """Let the next thread that uses the cache have it; the present one must be done."""
        self.journal.hand_over()

    def capacity(self, seq: Hashable) -> int:
        """Tokens that ``seq`` has room for, those it holds included."""
        raise NotImplementedError

    def check_writable(self, seq: Hashable, start: int, end: int) -> None:
        """Raise unless ``seq`` may write positions ``start`` to ``end - 1`` now. Changes nothing.

        All of them need a slot, and no unwritten slot may be left before them.
        """
        self._check_known(seq)
        length, capacity = self.lengths[seq], self.capacity(seq)
        if start < 0 or end > capacity:
            raise PositionNotReserved(
                f"sequence {seq!r} has no slot for position {start if start < 0 else end - 1}: it "
                f"holds {length} tokens and has room for {capacity}; reserve more before the update"
            )
        if start > length:
            raise PositionNotReserved(
                f"sequence {seq!r} holds {length} tokens; writing positions {start} to {end - 1} "
                "would leave an unwritten slot before them, which attention would read"
            )

    def advance(self, lengths: Mapping[Hashable, int]) -> None:
        """Make these the new lengths: up to there every layer's keys and values are written.

        For all of them or, raising, for none. A length never falls here; ``truncate`` does that.
        """
        for seq, length in lengths.items():
            self._check_known(seq)
            if not self.lengths[seq] <= length <= self.capacity(seq):
                raise PositionNotReserved(
                    f"sequence {seq!r} can't advance to {length} tokens: it holds "
                    f"{self.lengths[seq]} and has room for {self.capacity(seq)}"
                )
        self.journal.note(self.lengths.update, {seq: self.lengths[seq] for seq in lengths})
        self._step = None  # it was planned for the lengths of before
        self.lengths.update(lengths)

    def _check_new(self, seq: Hashable) -> None:
        if seq in self.lengths:
            raise SequenceExists(
                f"sequence {seq!r} exists already, with {self.lengths[seq]} tokens; "
                "free it first or choose another name"
            )

    def _check_known(self, seq: Hashable) -> None:
        if seq not in self.lengths:
            raise UnknownSequence(
                f"no sequence {seq!r} in this cache: never created, or freed; create it first"
            )

    def _choose_batch(self, seqs: Sequence[Hashable]) -> list[Hashable]:
        """The checked batch; row ``i`` of every later tensor belongs to ``seqs[i]``."""
        batch = list(seqs)
        if not batch:
            raise BadBatch("an empty batch has nothing to run; name at least one sequence")
        for seq in batch:
            self._check_known(seq)
        if len(set(batch)) < len(batch):
            twice = next(s for s in batch if batch.count(s) > 1)
            raise BadBatch(
                f"sequence {twice!r} is in the batch twice: both rows would write its slots"
            )
        return batch

    def leave_batch(self, seq: Hashable) -> None:
        """Called when the memory of ``seq``, or who holds it, changes: its batch is set anew."""
        if self._batch is not None and seq in self._batch:
            self.journal.keep_attributes(self, "_batch", "_step")
            self._batch = self._step = None

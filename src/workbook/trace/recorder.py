"""Write a trace: open a step for a call, add the events it caused."""

from collections.abc import Hashable, Sequence
from types import TracebackType
from typing import Any, Literal

from paged_attention.journal import Journal
from workbook.trace.schema import CALLS, NONE, OPS, Trace


class Recorder:
    """Appends to ``trace``. Names of sequences, any hashable, become numbers here.

    Two names that look alike, such as ``1`` and ``"1"``, stay two sequences. ``journal`` is that of
    the cache whose calls are recorded: a call that it takes back leaves the trace too.
    """

    def __init__(
        self,
        layout: Literal["paged", "contiguous"],
        num_blocks: int,
        block_size: int,
        free_order: Sequence[int] | None = None,
        journal: Journal | None = None,
    ) -> None:
        self.journal = Journal() if journal is None else journal
        order = None if free_order is None else list(free_order)
        self.trace = Trace(layout, block_size, num_blocks, order)
        self._seqs: dict[Hashable, int] = {}
        self._keys: dict[str, int] = {}
        self.recording = False  # a step is open
        self.open("start", ())

    def seq(self, name: Hashable) -> int:
        """The number of this sequence, the same for the whole trace."""
        return self._number(self._seqs, name, self.trace.seqs)

    def name(self, seq: int) -> Hashable:
        """The name of the sequence with this number."""
        return list(self._seqs)[seq]

    def key(self, text: str) -> int:
        """The number of this key of the prefix index."""
        return self._number(self._keys, text, self.trace.keys)

    def step(self, call: str, *args: int) -> "Step":
        """A step made by ``call``, for ``with``; a call inside another belongs to the outer step.

        A call that raises leaves no step.
        """
        return Step(self, call, args)

    def add(
        self,
        op: str,
        seq: int = NONE,
        block: int = NONE,
        i: int = NONE,
        n: int = NONE,
        src: int = NONE,
    ) -> None:
        """One event of the open step, or of the last one."""
        values = (self.trace.last, OPS.index(op), seq, block, i, n, src)
        for column, value in zip(self.trace.columns.values(), values, strict=True):
            column.append(value)

    def cut(self, steps: int, events: int, recording: bool) -> None:
        """Leave the trace with so many steps and events."""
        del self.trace.calls[steps:], self.trace.args[steps:]
        for column in self.trace.columns.values():
            del column[events:]
        self.recording = recording

    def open(self, call: str, args: tuple[int, ...]) -> None:
        """Begin the next step."""
        self.trace.calls.append(CALLS.index(call))
        self.trace.args.append(args)

    def _number(self, numbers: dict[Any, int], name: Any, names: list[str]) -> int:
        """The number of ``name``; a new one gets the next and is added to ``names``."""
        if name not in numbers:
            self.journal.keep_end(names, len(numbers))
            self.journal.keep_key(numbers, name)
            names.append(_spelled(name))
            numbers[name] = len(numbers)
        return numbers[name]


def _spelled(name: object) -> str:
    """A name as text; ``A.2`` for the second sample of A, which an engine calls ``(A, 2)``."""
    match name:
        case (request, int(nth)):
            return f"{request}.{nth}"
    return str(name)


class Step:
    """One step of a recorder, while it is open."""

    def __init__(self, recorder: Recorder, call: str, args: tuple[int, ...]) -> None:
        self._recorder, self._call, self._args = recorder, call, args
        self._before = len(recorder.trace.calls), len(recorder.trace), recorder.recording

    def __enter__(self) -> None:
        recorder = self._recorder
        recorder.journal.note(recorder.cut, *self._before)
        if not recorder.recording:
            recorder.open(self._call, self._args)
            recorder.recording = True

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        tb: TracebackType | None,
    ) -> None:
        if error is not None:
            self._recorder.cut(*self._before)
        self._recorder.recording = self._before[-1]

"""Write a trace: open a step for a call, add the events it caused."""

from collections.abc import Hashable, Iterator, Sequence
from contextlib import contextmanager
from typing import Literal

from workbook.trace.schema import CALLS, NONE, OPS, Trace


class Recorder:
    """Appends to ``trace``. Names of sequences, any hashable, become numbers here.

    Two names that look alike, such as ``1`` and ``"1"``, stay two sequences.
    """

    def __init__(
        self,
        layout: Literal["paged", "contiguous"],
        num_blocks: int,
        block_size: int,
        free_order: Sequence[int] | None = None,
    ) -> None:
        order = None if free_order is None else list(free_order)
        self.trace = Trace(layout, block_size, num_blocks, order)
        self._seqs: dict[Hashable, int] = {}
        self._keys: dict[str, int] = {}
        self._depth = 0
        self._refused = False
        self._open("start", ())

    def seq(self, name: Hashable) -> int:
        """The number of this sequence, the same for the whole trace."""
        if name not in self._seqs:
            self._seqs[name] = len(self._seqs)
            self.trace.seqs.append(str(name))
        return self._seqs[name]

    def name(self, seq: int) -> Hashable:
        """The name of the sequence with this number."""
        return list(self._seqs)[seq]

    def key(self, text: str) -> int:
        """The number of this key of the prefix index."""
        if text not in self._keys:
            self._keys[text] = len(self._keys)
            self.trace.keys.append(text)
        return self._keys[text]

    @contextmanager
    def step(self, call: str, *args: int) -> Iterator[None]:
        """A step made by ``call``; a call made inside another belongs to the outer one's step.

        A call that raises leaves no step, unless it was told to be a refusal (``refuse``).
        """
        if self._depth:
            yield
            return
        events = len(self.trace)
        self._open(call, args)
        self._depth, self._refused = 1, False
        try:
            yield
        except BaseException:
            if not self._refused:
                self.trace.calls.pop()
                self.trace.args.pop()
                for column in self.trace.columns.values():
                    del column[events:]
            raise
        finally:
            self._depth = 0

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

    def refuse(self, seq: int, wanted: int, room: int) -> None:
        """The open step's call is refused: it wanted so much and there is so much room."""
        self._refused = True
        self.add("refuse", seq, n=wanted, i=room)

    def _open(self, call: str, args: tuple[int, ...]) -> None:
        self.trace.calls.append(CALLS.index(call))
        self.trace.args.append(args)

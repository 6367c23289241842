"""Several calls of the engine that a picture shows as one step: a fork, a request's whole run."""

from collections.abc import Iterator
from contextlib import contextmanager

from workbook.trace import Event, State, Trace, replay


class Grouped:
    """A trace that is being recorded, cut into a picture's steps; step 0 is the trace's own."""

    def __init__(self, trace: Trace) -> None:
        self.trace = trace
        self._ends = [trace.last]
        self._states: dict[int, State] = {}  # by step, those that somebody has asked for

    @contextmanager
    def step(self) -> Iterator[None]:
        """The calls made inside belong to one step of the picture."""
        yield
        if self.trace.last > self._ends[-1]:
            self._ends.append(self.trace.last)

    @property
    def last(self) -> int:
        """The picture's last step."""
        return len(self._ends) - 1

    @property
    def text(self) -> str:
        """``0 1-3 4``: the trace's steps, one part a step of the picture."""
        parts = ["0"]
        for before, end in zip(self._ends, self._ends[1:], strict=False):
            parts.append(f"{before + 1}-{end}" if end > before + 1 else str(end))
        return " ".join(parts)

    def steps(self, step: int) -> range:
        """The trace's steps that make up the picture's ``step``."""
        first = self._ends[step - 1] + 1 if step else 0
        return range(first, self._ends[step] + 1)

    def events(self, step: int) -> list[Event]:
        """The events of a step of the picture."""
        return list(self.trace.events(self.steps(step)))

    def calls(self, step: int) -> list[str]:
        """The names of the calls of a step of the picture."""
        return [self.trace.call(at) for at in self.steps(step)]

    def args(self, step: int) -> tuple[int, ...]:
        """The arguments of the first call of a step of the picture."""
        return self.trace.args[self.steps(step)[0]]

    def state(self, step: int) -> State:
        """The state after a step of the picture; ``copied`` is of all its calls."""
        if step not in self._states:
            state = self._states[step] = replay(self.trace, self._ends[step])
            state.copied = {event.block for event in self.events(step) if event.op == "copy"}
        return self._states[step]

"""Who runs, who waits and what each has left to run, after each step of a serving trace."""

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from workbook.trace.replay import states
from workbook.trace.schema import Event, Trace
from workbook.trace.state import State


class Place(NamedTuple):
    """A request after a step, in which ``ran`` of its tokens were run: the last in the cache.

    ``promised``: blocks that it needs for tokens already known and has not taken.
    """

    seq: int
    runs: bool
    known: int
    cached: int
    ran: int
    blocks: int
    promised: int
    preempted: int


class Stand(NamedTuple):
    """The queue after a step, oldest first; tokens run in it; host blocks in use."""

    places: tuple[Place, ...]
    used: int
    host: int


class Queue:
    """Follows a trace's events; ``apply`` each step in turn, after the state has."""

    def __init__(self) -> None:
        self._known: dict[int, int] = {}  # by sequence, those alive, in their order
        self._preempted = Counter[int]()
        self._host: dict[int, int] = {}
        self._samples: dict[int, set[int]] = {}  # by the request that they forked from

    def apply(self, state: State, events: Sequence[Event]) -> Stand:
        """Where everybody stands once ``events`` have led to ``state``."""
        ran = Counter[int]()
        for event in events:
            self._enter(event)
            if event.op == "row":
                ran[event.seq] += event.n
        places = tuple(self._place(seq, state, ran[seq]) for seq in self._known)
        return Stand(places, ran.total(), sum(self._host.values()))

    def _enter(self, event: Event) -> None:
        seq = event.seq
        if event.op == "submit":
            self._known[seq] = event.n
        elif event.op == "create" and event.src in self._known:
            self._insert(seq, event.src)
        elif event.op == "say" and seq in self._known:
            self._known[seq] += 1
        elif event.op == "finish":
            self._known.pop(seq, None)
            self._host.pop(seq, None)
        elif event.op == "preempt":
            self._preempted[seq] += 1
        elif event.op == "swap":
            self._host[seq] = 0 if event.i else event.n

    def _insert(self, seq: int, parent: int) -> None:
        """A sample stands behind its parent, and behind the parent's samples before it."""
        order = list(self._known)
        at = order.index(parent) + 1
        while at < len(order) and order[at] in self._samples.get(parent, ()):
            at += 1
        self._samples.setdefault(parent, set()).add(seq)
        self._known[seq] = self._known[parent]
        order.insert(at, seq)
        self._known = {each: self._known[each] for each in order}

    def _place(self, seq: int, state: State, ran: int) -> Place:
        runs, known = seq in state.tables, self._known[seq]
        cached = state.length(seq) if runs else 0
        blocks = len(state.tables[seq]) if runs else 0
        need = -(-known // state.trace.block_size) - blocks if runs else 0
        done = min(ran, cached)
        return Place(seq, runs, known, cached, done, blocks, max(0, need), self._preempted[seq])


def stands(trace: Trace) -> Iterator[Stand]:
    """The queue after each step."""
    queue = Queue()
    for state, events in zip(states(trace), trace.by_step(), strict=True):
        yield queue.apply(state, events)

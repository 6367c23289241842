"""Play a trace: the engine's bookkeeping after any step, rebuilt from the events alone.

Every event is checked against the state it meets, so a trace that could not have come from an
engine that keeps its laws raises ``Contradiction`` at the step that breaks them.
"""

from collections.abc import Iterator

from paged_attention.errors import InvariantBroken
from workbook.trace.schema import NONE, Event, Trace
from workbook.trace.state import Prefix, State


class Contradiction(InvariantBroken):
    """A trace tells of something the engine could not have done; names step and event."""


class Replay(State):
    """A state that the events of a trace move on, a step at a time."""

    def apply(self, events: list[Event]) -> None:
        """Make the next step: its events, then what its call means for the sequences."""
        self.step += 1
        self._held = None
        self.copied = {event.block for event in events if event.op == "copy"}
        for event in events:
            try:
                getattr(self, f"_{event.op}")(event)
            except (KeyError, IndexError) as error:
                raise Contradiction(
                    f"step {event.step}: {event} names something unknown ({error!r})"
                ) from error
        if self.trace.call(self.step) in ("free", "end"):
            self._end(self.trace.args[self.step][0])
        for seq, table in self.tables.items():
            if NONE in table:
                raise Contradiction(f"step {self.step}: sequence {seq} has a hole: {table}")

    def _fail(self, event: Event, reason: str) -> None:
        raise Contradiction(f"step {event.step}: {event.op} of block {event.block}: {reason}")

    def _create(self, event: Event) -> None:
        if event.seq in self.filled:
            self._fail(event, f"sequence {event.seq} lives already")
        self.filled[event.seq] = [0] if self.trace.layout == "contiguous" else []
        if self.trace.layout == "paged":
            self.tables[event.seq] = []

    def _end(self, seq: int) -> None:
        if self.tables.pop(seq, []) or self.runs.get(seq):
            raise Contradiction(f"step {self.step}: sequence {seq} ends and still holds memory")
        self.filled.pop(seq, None)

    def _allocate(self, event: Event) -> None:
        if self.trace.layout == "contiguous":
            self._allocate_run(event)
            return
        if self.refs[event.block]:
            self._fail(event, f"it has {self.refs[event.block]} holders")
        if self.free is not None and event.step:
            if not self.free or self.free[-1] != event.block:
                self._fail(event, f"the free stack ends in {self.free[-1:]}")
            self.free.pop()
        self.refs[event.block] = 1
        if event.seq == NONE:
            self.cached[event.block] = None
        else:
            self._put(event, 0)

    def _allocate_run(self, event: Event) -> None:
        slots = range(event.block, event.block + event.n)
        if event.n < 1 or slots.stop > self.trace.num_blocks or any(self.refs[s] for s in slots):
            self._fail(event, f"slots to {slots.stop - 1} are not all free")
        for slot in slots:
            self.refs[slot] = 1
        self.runs[event.seq] = (event.block, event.n)

    def _share(self, event: Event) -> None:
        if not self.refs[event.block]:
            self._fail(event, "nobody holds it")
        self.refs[event.block] += 1
        self.cached.pop(event.block, None)
        if event.seq == NONE:
            return
        parent = self.filled.get(event.src, [])
        known = event.i < len(parent) and self.tables[event.src][event.i] == event.block
        self._put(event, parent[event.i] if known else self.trace.block_size)

    def _put(self, event: Event, filled: int) -> None:
        table, fill = self.tables[event.seq], self.filled[event.seq]
        if event.i == len(table):
            table.append(event.block)
            fill.append(filled)
        elif 0 <= event.i < len(table):
            table[event.i], fill[event.i] = event.block, filled
        else:
            self._fail(event, f"entry {event.i} of a table of {len(table)}")

    def _write(self, event: Event) -> None:
        if self.trace.layout == "contiguous":
            if event.n > self.runs[event.seq][1]:
                self._fail(event, f"{event.n} tokens in {self.runs[event.seq][1]} slots")
            self.filled[event.seq] = [event.n]
            return
        if event.block not in self.tables[event.seq] or not 0 <= event.n <= self.trace.block_size:
            self._fail(event, f"sequence {event.seq} can't have {event.n} tokens in it")
        at = self.tables[event.seq].index(event.block)
        if event.n > self.filled[event.seq][at] and self.refs[event.block] > 1:
            self._fail(event, f"written while it has {self.refs[event.block]} holders")
        self.filled[event.seq][at] = event.n

    def _copy(self, event: Event) -> None:
        if self.tables[event.seq][event.i] != event.block or not self.refs[event.src]:
            self._fail(event, f"copied from {event.src} to a place it doesn't have")
        self.filled[event.seq][event.i] = event.n

    def _release(self, event: Event) -> None:
        if self.trace.layout == "contiguous":
            start, length = self.runs.pop(event.seq)
            self.refs[start : start + length] = [0] * length
            return
        if self.refs[event.block] < 1:
            self._fail(event, "nobody holds it")
        self.refs[event.block] -= 1
        if event.seq != NONE:
            self._take(event)
        if not self.refs[event.block]:
            if event.block in self.nodes:
                self._fail(event, "it is free and still in the index")
            if self.free is not None:
                self.free.append(event.block)
        elif self.refs[event.block] == 1 and event.block in self.nodes:
            self.cached[event.block] = None
            self.used[event.block] = event.step

    def _take(self, event: Event) -> None:
        """Take the entry out of the table, unless another block stands there by now."""
        table, fill = self.tables[event.seq], self.filled[event.seq]
        if event.i < len(table) and table[event.i] == event.block:
            table[event.i], fill[event.i] = NONE, 0
            while table and table[-1] == NONE:
                table.pop()
                fill.pop()

    def _hit(self, event: Event) -> None:
        if event.block not in self.nodes:
            self._fail(event, "it is not in the index")
        self.used[event.block] = event.step

    def _publish(self, event: Event) -> None:
        parent = self._parent(event)
        siblings = parent.children if parent else self.roots[event.src].children
        node = siblings.setdefault(event.n, Prefix(parent, event.n))
        if event.block in self.nodes:
            self._fail(event, "it is in the index already")
        node.blocks.append(event.block)
        self.nodes[event.block] = node
        self.used[event.block] = event.step

    def _parent(self, event: Event) -> Prefix | None:
        if event.src < 0:
            self.roots.setdefault(event.src, Prefix(None, event.src))
            return self.roots[event.src]
        if event.src not in self.nodes:
            self._fail(event, f"its parent {event.src} is not in the index")
        return self.nodes[event.src]

    def _evict(self, event: Event) -> None:
        if next(iter(self.cached), None) != event.block:
            self._fail(event, f"the oldest cached block is {next(iter(self.cached), None)}")
        del self.cached[event.block], self.used[event.block]
        node = self.nodes.pop(event.block)
        node.blocks.remove(event.block)
        while node.parent is not None and not node.blocks and not node.children:
            del node.parent.children[node.key]
            node = node.parent

    def _admit(self, event: Event) -> None:
        if event.seq in self.waiting:
            self.waiting.remove(event.seq)

    def _refuse(self, event: Event) -> None:
        # Only a request that has arrived can wait; a refused reserve is told and over.
        if self.trace.call(event.step) == "arrive" and event.seq not in self.waiting:
            self.waiting.append(event.seq)

    def _preempt(self, event: Event) -> None:
        self._row(event)
        self._end(event.seq)
        self.waiting.insert(0, event.seq)

    def _submit(self, event: Event) -> None:
        self.waiting.append(event.seq)

    def _finish(self, event: Event) -> None:
        self._end(event.seq)
        self._admit(event)

    def _row(self, event: Event) -> None:
        if event.seq not in self.filled:
            self._fail(event, f"sequence {event.seq} doesn't live")

    def _promise(self, event: Event) -> None:
        self._row(event)

    def _swap(self, event: Event) -> None:
        """The copy of one that has just been preempted, or is back."""

    def _say(self, event: Event) -> None:
        """Said in the last step of a request, too, when it lives no more."""

    def _read(self, event: Event) -> None:
        if self.tables[event.seq][event.i] != event.block:
            self._fail(event, f"entry {event.i} is {self.tables[event.seq][event.i]}")


def states(trace: Trace) -> Iterator[State]:
    """One ``State``, moved on from step to step; don't keep it."""
    state = Replay(trace)
    for events in trace.by_step():
        state.apply(events)
        yield state


def replay(trace: Trace, step: int | None = None) -> State:
    """The state after ``step``, the last one by default."""
    last = trace.last if step is None else step
    if not 0 <= last <= trace.last:
        raise IndexError(f"there is no step {last}: the trace has steps 0 to {trace.last}")
    return next(state for state in states(trace) if state.step == last)

"""The queue and the line across it.

All requests alive stand in one queue, in the order in which they were submitted. Those before the
line run, those behind it wait. Where the line is, memory knows: who holds a table runs. So nothing
here moves when a request is admitted or preempted, and the two can't disagree.
"""

from collections.abc import Hashable, Iterator, Sequence
from itertools import dropwhile, takewhile

from paged_attention.errors import InvariantBroken
from paged_attention.serving.memory import Memory
from paged_attention.serving.request import Request


class Line:
    """The queue; what changes it is noted in the journal of ``memory``."""

    def __init__(self, memory: Memory) -> None:
        self.memory, self.journal = memory, memory.journal
        self._queue: dict[Hashable, Request] = {}  # oldest first

    def __len__(self) -> int:
        """Requests alive."""
        return len(self._queue)

    def __contains__(self, request: Request) -> bool:
        return self._queue.get(request.name) is request

    def running(self) -> list[Request]:
        """The requests before the line, oldest first."""
        return list(takewhile(self._runs, self._queue.values()))

    def waiting(self) -> list[Request]:
        """The requests behind the line, oldest first."""
        return list(dropwhile(self._runs, self._queue.values()))

    def everybody(self) -> Iterator[Request]:
        """All requests alive, oldest first, samples that have not forked off yet included."""
        for request in self._queue.values():
            yield request
            yield from request.others

    def join(self, request: Request) -> None:
        """Put ``request``, of a name that nobody here has, behind all others."""
        self.journal.keep_key(self._queue, request.name)
        self._queue[request.name] = request

    def insert(self, samples: Sequence[Request]) -> None:
        """Put ``samples`` where they belong: right behind the request that they forked from."""
        queue = [*self._queue.values(), *samples]
        self.journal.keep_attributes(self, "_queue")
        self._queue = {r.name: r for r in sorted(queue, key=lambda request: request.order)}

    def remove(self, request: Request) -> None:
        """Take ``request`` out, wherever it stands; nothing happens if it is not here."""
        if request in self:
            # A new dictionary: put back into the old one, it would stand at the end.
            self.journal.keep_attributes(self, "_queue")
            self._queue = {r.name: r for r in self._queue.values() if r is not request}
        parent = self._queue.get(request.parent)
        if parent is not None:
            self.journal.keep_attributes(parent, "others")
            parent.others = [other for other in parent.others if other is not request]

    def check_invariants(self) -> None:
        """Raise ``InvariantBroken`` unless the queue is in order and the line divides it."""
        orders = [request.order for request in self._queue.values()]
        if orders != sorted(set(orders)):
            raise InvariantBroken(f"somebody overtook: {orders}")
        for request in self.waiting():
            if self.memory.holds(request.name):
                raise InvariantBroken(f"request {request.name!r} runs behind one that waits")
        for request in self.running():
            if self.memory.length(request.name) >= len(request.tokens):
                raise InvariantBroken(f"request {request.name!r} runs, with nothing left to run")
        for request in self._queue.values():
            if request.finish is not None:
                raise InvariantBroken(f"request {request.name!r} is alive after {request.finish!r}")

    def _runs(self, request: Request) -> bool:
        return self.memory.holds(request.name)

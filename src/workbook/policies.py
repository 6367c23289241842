"""The engine's scheduler with its four decisions as methods, each as the engine takes it.

Whoever overrides one may let requests overtake: then those who run are not always the oldest, and
no bound on waiting holds any more.
"""

from collections.abc import Sequence

from paged_attention.errors import NoProgress
from paged_attention.journal import all_or_nothing
from paged_attention.serving.budget import shares
from paged_attention.serving.line import Line
from paged_attention.serving.memory import Memory
from paged_attention.serving.plan import Plan, stuck
from paged_attention.serving.request import Request
from paged_attention.serving.scheduler import Scheduler
from paged_attention.serving.step import Step


class Choices(Scheduler):
    """Override any of ``next_of``, ``victim_of``, ``spare_of``, ``chunk_of``, or all of it."""

    def __init__(self, memory: Memory, **told: object) -> None:
        super().__init__(memory, **told)  # type: ignore[arg-type]
        self.line = OpenLine(memory)

    def next_of(self, waiting: Sequence[Request], running: Sequence[Request]) -> Request:  # noqa: ARG002
        """Who of ``waiting``, oldest first, begins next; if it doesn't fit, nobody does."""
        return waiting[0]

    def victim_of(self, candidates: Sequence[Request]) -> Request:
        """Who gives way, of those without a row in this step, oldest first."""
        return candidates[-1]

    def spare_of(self, running: Sequence[Request]) -> int:
        """Blocks that a newcomer leaves free when ``running`` run, itself included."""
        return int(self.spare * len(running))

    def chunk_of(self, request: Request) -> int:  # noqa: ARG002
        """Tokens of ``request`` that one step runs at most."""
        return self.chunk

    @all_or_nothing
    def schedule(self) -> Step:
        """A step, with these decisions."""
        running = self.line.running()
        plan = Plan(self.memory, self.limits, running)
        still = self._go_on(plan, running)
        waiting = self.line.waiting()
        while waiting and not plan.preempted:
            request = self.next_of(waiting, still)
            waiting.remove(request)
            keep = plan.promised + (self.spare_of([*still, request]) if still else 0)
            if not (plan.takes(request) and self.memory.can_begin(request, keep)):
                break
            plan.limits = self.limits._replace(chunk=self.chunk_of(request))
            plan.begin(request)
            still.append(request)
        if not plan.rows and self.line.waiting():
            raise NoProgress(stuck(self.memory, self.line.waiting()[0], "begin"))
        return plan.step()

    def _go_on(self, plan: Plan, running: Sequence[Request]) -> list[Request]:
        """Rows for those who run; returns who still does."""
        still, done = list(running), list[Request]()
        left = [len(r.tokens) - self.memory.length(r.name) for r in running]
        left = [min(n, max(1, self.chunk_of(r))) for r, n in zip(running, left, strict=True)]
        given = shares(left, self.budget, self.chunk)
        for request, n in zip(running, given, strict=True):
            while request in still and not plan.fits(request, n):
                victim = self.victim_of([r for r in still if r not in done])
                still.remove(victim)
                plan.give_back(victim)
            if request in still:
                plan.add_row(request, n)
                done.append(request)
        return still


class OpenLine(Line):
    """A queue without a line: those who run may stand anywhere in it."""

    def running(self) -> list[Request]:
        """Who runs, oldest first."""
        return [request for request in self._queue.values() if self._runs(request)]

    def waiting(self) -> list[Request]:
        """Who waits, oldest first."""
        return [request for request in self._queue.values() if not self._runs(request)]

"""One step in the making: who gets how many tokens, whose blocks are taken, who crosses the line.

The walk goes from the oldest to the newest and takes blocks at once. Whoever must give way is the
newest, at the other end: it has no row in this step yet.
"""

from collections.abc import Hashable, Sequence
from typing import NamedTuple

from paged_attention.errors import NoProgress
from paged_attention.serving.budget import part, shares
from paged_attention.serving.memory import Memory
from paged_attention.serving.request import Request
from paged_attention.serving.step import Row, Step


class Limits(NamedTuple):
    """What a scheduler was told; see there."""

    max_running: int
    budget: int
    chunk: int
    spare: float


class Plan:
    """``promised``: blocks that the requests with a row here will need for tokens already known.

    Promises bind the young: an older request may take a promised block, a younger one never.
    """

    def __init__(self, memory: Memory, limits: Limits) -> None:
        self.memory, self.journal, self.limits = memory, memory.journal, limits
        self.rows: list[Row] = []
        self.admitted: list[Hashable] = []
        self.preempted: list[Hashable] = []
        self.promised = 0

    def step(self) -> Step:
        """What has been planned."""
        return Step(self.rows, self.admitted, self.preempted)

    def go_on(self, running: Sequence[Request]) -> None:
        """Rows for those who run; the newest give way when blocks run out."""
        still = list(running)
        left = [len(r.tokens) - self.memory.length(r.name) for r in running]
        given = shares(left, self.limits.budget, self.limits.chunk)
        for request, n in zip(running, given, strict=True):
            if request not in still:
                break  # the line has moved across it, so across all that follow
            while not self.memory.can_reserve(request.name, n, self.promised):
                if len(still) == 1:
                    raise NoProgress(stuck(self.memory, request, "go on"))
                victim = still.pop()
                self._preempt(victim)
                if victim is request:
                    break
            else:
                self._add_row(request, n)

    def admit(self, running: Sequence[Request], waiting: Sequence[Request]) -> None:
        """Move the line back while the next request fits: into seats, budget and blocks."""
        seats = self.limits.max_running - sum(request.seats for request in running)
        budget = self.limits.budget - sum(len(row.tokens) for row in self.rows)
        for count, request in enumerate(waiting, start=len(running)):
            # Nothing runs: nobody to leave blocks for, and waiting would not help.
            spare = int(self.limits.spare * (count + 1)) if count else 0
            keep = self.promised + spare
            if budget < 1 or request.seats > seats or not self.memory.can_begin(request, keep):
                break
            found = self.memory.begin(request)
            if not request.stats.preemptions:
                self.journal.keep_attributes(request.stats, "cached_tokens")
                request.stats.cached_tokens = found
            self.admitted.append(request.name)
            n = part(len(request.tokens) - found, budget, self.limits.chunk)
            self._add_row(request, n)
            budget -= n
            seats -= request.seats

    def _add_row(self, request: Request, n: int) -> None:
        """Take the blocks of ``n`` tokens, and promise those of all others that are known."""
        self.memory.reserve(request.name, n)
        if n:
            start = self.memory.length(request.name)
            tokens = request.tokens[start : start + n]
            self.rows.append(Row(request, start, tokens, start + n == len(request.tokens)))
        self.promised += self.memory.missing(request.name, len(request.tokens))

    def _preempt(self, request: Request) -> None:
        """Move the line across ``request``: it loses its blocks and nothing else."""
        swapped = self.memory.preempt(request)
        self.journal.keep_attributes(request.stats, "preemptions", "swaps")
        request.stats.preemptions += 1
        request.stats.swaps += swapped
        self.preempted.append(request.name)


def stuck(memory: Memory, request: Request, verb: str) -> str:
    """Why nobody can go on, in words."""
    return (
        f"request {request.name!r} can't {verb}, and nobody else runs: {memory.room()} of "
        f"{memory.num_blocks} blocks are free or cached. Somebody outside this scheduler holds the "
        "others; free them"
    )

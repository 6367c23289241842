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
    ``budget`` and ``seats``: what is left of both.
    """

    def __init__(self, memory: Memory, limits: Limits, running: Sequence[Request]) -> None:
        self.memory, self.journal, self.limits = memory, memory.journal, limits
        self.running = running  # before this step, oldest first
        self.rows: list[Row] = []
        self.admitted: list[Hashable] = []
        self.preempted: list[Hashable] = []
        self.promised = 0
        self.budget = limits.budget
        self.seats = limits.max_running - sum(request.seats for request in running)

    def step(self) -> Step:
        """What has been planned."""
        return Step(self.rows, self.admitted, self.preempted)

    def go_on(self) -> None:
        """Rows for those who run; the newest give way when blocks run out."""
        still = list(self.running)
        left = [len(r.tokens) - self.memory.length(r.name) for r in still]
        given = shares(left, self.limits.budget, self.limits.chunk)
        for request, n in zip(self.running, given, strict=True):
            if request not in still:
                break  # the line has moved across it, so across all that follow
            while not self.fits(request, n):
                if len(still) == 1:
                    raise NoProgress(stuck(self.memory, request, "go on"))
                victim = still.pop()
                self.give_back(victim)
                if victim is request:
                    break
            else:
                self.add_row(request, n)

    def admit(self, waiting: Sequence[Request]) -> None:
        """Move the line back while the next request fits: into seats, budget and blocks."""
        for count, request in enumerate(waiting, start=len(self.running)):
            # Nothing runs: nobody to leave blocks for, and waiting would not help.
            spare = int(self.limits.spare * (count + 1)) if count else 0
            if not self.takes(request):
                break
            if not self.memory.can_begin(request, self.promised + spare):
                break
            self.begin(request)

    def fits(self, request: Request, n: int) -> bool:
        """Whether there are blocks for ``n`` more tokens, promises to older requests kept."""
        return self.memory.can_reserve(request.name, n, self.promised)

    def takes(self, request: Request) -> bool:
        """Whether seats and budget are left for ``request``."""
        return self.budget > 0 and request.seats <= self.seats

    def begin(self, request: Request) -> None:
        """Let ``request`` run, with as many of its tokens as the budget has left."""
        found = self.memory.begin(request)
        if not request.stats.preemptions:
            self.journal.keep_attributes(request.stats, "cached_tokens")
            request.stats.cached_tokens = found
        self.admitted.append(request.name)
        self.seats -= request.seats
        self.add_row(request, part(len(request.tokens) - found, self.budget, self.limits.chunk))

    def add_row(self, request: Request, n: int) -> None:
        """Take the blocks of ``n`` tokens, and promise those of all others that are known."""
        self.memory.reserve(request.name, n)
        if n:
            start = self.memory.length(request.name)
            tokens = request.tokens[start : start + n]
            self.rows.append(Row(request, start, tokens, start + n == len(request.tokens)))
        self.budget -= n
        self.promised += self.memory.missing(request.name, len(request.tokens))

    def give_back(self, request: Request) -> None:
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

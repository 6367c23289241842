"""A serving loop that believes no scheduler: each step is looked at before it counts.

Nobody can see how long an answer gets; each block remembers the tokens that were written into it,
so whoever reads other keys than its own history's is found out.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from paged_attention.cache import PagedKVCache
from paged_attention.prefix import PrefixCache
from paged_attention.serving.cost import CostModel, Simulation
from paged_attention.serving.load import Arrival, Clock
from paged_attention.serving.loop import Pick
from paged_attention.serving.paged_memory import PagedMemory
from paged_attention.serving.step import Row, Step
from workbook.checks.framework import Rejected

MOST_STEPS = 6_000
GOES_ON, ENDS = 0, 1  # the two words that are said


class Unknown:
    """Whether an answer ends; asked with the answer, and with nothing else."""

    def __call__(self, answer: Sequence[int]) -> bool:
        """Whether its last word is the one that ends."""
        return answer[-1] == ENDS

    def __getattr__(self, name: str) -> Any:
        raise Rejected(
            f"It asks a request's stop rule for {name}: how long an answer gets, nobody knows "
            "before it ends."
        )


class GuardedCache(PagedKVCache):
    """Tokens are written by steps alone."""

    running = False

    def advance(self, lengths: Mapping[Any, int]) -> None:
        """As the engine's, while a step runs."""
        if not self.running:
            raise Rejected("It entered tokens in the cache that no step has run.")
        super().advance(lengths)


class Judged(Simulation):
    """``load`` served by ``scheduler``; request ``i`` is the ``i``-th to arrive."""

    def __init__(self, scheduler: Any, load: Sequence[Arrival], blocks: int, **limits: int) -> None:
        self.load = sorted(load, key=lambda arrival: arrival.time)
        self.said = [0] * len(load)
        self.written: dict[int, int] = {}  # by block: a hash of all tokens up to its last one
        self.kept = GuardedCache(1, blocks, 16, 1, 1)
        memory = PagedMemory(self.kept, PrefixCache(self.kept))
        super().__init__(memory, CostModel.fitted(), scheduler=scheduler, **limits)
        self.limits = limits

    def serve_all(self) -> float:
        """Serve everybody; the second at which the last answer ended."""
        assert isinstance(self.clock, Clock)
        ahead = list(enumerate(self.load))[::-1]
        while ahead or len(self):
            while ahead and ahead[-1][1].time <= self.clock():
                name, due = ahead.pop()
                prompt, most = due.prompt, due.max_new_tokens
                self.submit(prompt, most, name=name, arrived=due.time, stop=Unknown())
            if len(self):
                before = self.seconds
                self.step()
                if (len(self) and self.seconds == before) or len(self.steps) > MOST_STEPS:
                    raise Rejected(
                        "A step runs nothing, or it doesn't end: somebody waits for ever."
                    )
            else:
                self.clock.skip_to(ahead[-1][1].time)
        return self.clock()

    def check_end(self) -> None:
        """Everybody has said all, and the pool is whole."""
        for name, due in enumerate(self.load):
            request = self.requests[name]
            if request.finish != "stop" or len(request.answer) != due.says:
                raise Rejected(
                    f"Request {name} ended with {request.finish!r} after {len(request.answer)} "
                    f"tokens; it has {due.says} to say."
                )
        held = self.kept.allocator.num_held
        if held:
            raise Rejected(f"{held} blocks are still held when all have left.")
        assert self.memory.prefix is not None
        self.memory.prefix.check_invariants()

    def _run(self, step: Step) -> list[Pick]:
        for problem in self._problems(step):
            raise Rejected(f"Step {len(self.steps)}: {problem}.")
        self.kept.running = True
        picks = super()._run(step)
        self.kept.running = False
        for row in step.rows:
            self._write(row)
        return [self._word(pick) for pick in picks]

    def _word(self, pick: Pick) -> Pick:
        """The word that this request says now: its last one ends it."""
        if pick.token is None:
            return pick
        name = int(pick.row.request.name)  # type: ignore[call-overload]
        self.said[name] += 1
        return pick._replace(token=ENDS if self.said[name] == self.load[name].says else GOES_ON)

    def _problems(self, step: Step) -> Iterator[str]:
        """What is wrong with a plan."""
        if step.tokens > self.limits["budget"]:
            yield f"{step.tokens} tokens, and {self.limits['budget']} are allowed"
        names = [row.request.name for row in step.rows]
        if len(names) > self.limits["max_running"] or len(set(names)) < len(names):
            yield f"{len(names)} rows of {len(set(names))} requests"
        for row in step.rows:
            yield from self._row_problems(row)

    def _row_problems(self, row: Row) -> Iterator[str]:
        request, cache = row.request, self.kept
        if self.requests.get(request.name) is not request or request.finish is not None:
            yield f"a row of {request.name!r}, which is not alive"
            return
        due = self.load[int(request.name)]  # type: ignore[call-overload]
        known = [*due.prompt, *[GOES_ON] * self.said[int(request.name)]]  # type: ignore[call-overload]
        if request.tokens != known or row.start != cache.lengths.get(request.name):
            yield f"the row of request {request.name} doesn't begin where the cache ends"
            return
        if row.tokens != known[row.start : row.end] or row.says != (row.end == len(known)):
            yield f"the row of request {request.name} is not what is left of it"
        cache.check_writable(request.name, row.start, row.end)
        size = cache.block_size
        for i, block in enumerate(cache.tables[request.name][: row.start // size]):
            if self.written[block] != hash(tuple(known[: (i + 1) * size])):
                yield f"request {request.name} reads block {block}, which holds other tokens"

    def _write(self, row: Row) -> None:
        size, table = self.kept.block_size, self.kept.tables[row.request.name]
        for i in range(row.start // size, -(-row.end // size)):
            end = min(row.end, (i + 1) * size)
            self.written[table[i]] = hash(tuple(row.request.tokens[:end]))

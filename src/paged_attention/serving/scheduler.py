"""Who runs in the next step. Plain bookkeeping: no tensor, no clock, no model.

Requests stand in one queue (``line``), and nobody overtakes: the running are the oldest, the one to
be preempted is the newest that runs, and whoever was preempted is the next to be admitted. The
oldest is never preempted and runs at least one token a step, so every request ends.

A verb that raises, or is interrupted, leaves requests and memory as they were.
"""

from collections.abc import Hashable, Sequence
from typing import TypedDict, Unpack

from paged_attention.errors import NoProgress, RequestExists, RequestTooLarge
from paged_attention.journal import all_or_nothing
from paged_attention.serving.line import Line
from paged_attention.serving.memory import Memory
from paged_attention.serving.plan import Limits, Plan, stuck
from paged_attention.serving.request import Asked, NewToken, Request, checked_prompt
from paged_attention.serving.step import Row, Step


class Scheduling(TypedDict, total=False):
    """What a ``Scheduler`` may be told; see there."""

    max_running: int
    budget: int
    chunk: int | None
    spare: float


class Scheduler:
    """``budget``: tokens run in one step; ``chunk``: how many of them may be of one prompt (all of
    them, unless given; ``0``: prompts are never cut, and one may break the budget);
    ``max_running``: requests that may run at once; ``spare``: blocks that admission leaves free for
    each request that runs (the watermark).
    """

    def __init__(
        self,
        memory: Memory,
        *,
        max_running: int = 16,
        budget: int = 64,
        chunk: int | None = None,
        spare: float = 1,
    ) -> None:
        if not 1 <= max_running <= budget:
            raise ValueError(
                f"budget={budget} must be at least max_running={max_running}, and that at least 1: "
                "each request that speaks gets a token a step"
            )
        if (chunk is not None and chunk < 0) or not 0 <= spare < float("inf"):
            raise ValueError(f"chunk={chunk} and spare={spare} must be numbers from 0 on")
        self.memory, self.journal = memory, memory.journal
        self.max_running, self.budget, self.spare = max_running, budget, spare
        self.chunk = budget if chunk is None else chunk
        self.line = Line(memory)
        self._born = 0

    @property
    def limits(self) -> Limits:
        """All four in one."""
        return Limits(self.max_running, self.budget, self.chunk, self.spare)

    @property
    def running(self) -> dict[Hashable, Request]:
        """The requests before the line, oldest first, by name."""
        return {request.name: request for request in self.line.running()}

    @property
    def waiting(self) -> dict[Hashable, Request]:
        """The requests behind the line, oldest first, by name."""
        return {request.name: request for request in self.line.waiting()}

    def __len__(self) -> int:
        """Requests alive."""
        return len(self.line)

    def get(self, name: Hashable) -> Request | None:
        """The request alive of this name, samples that have not forked off yet included."""
        return next((r for r in self.line.everybody() if r.name == name), None)

    @all_or_nothing
    def submit(
        self,
        name: Hashable,
        prompt: Sequence[int],
        max_new_tokens: int,
        **asked: Unpack[Asked],
    ) -> Request:
        """Put a new request at the end of the queue, or raise and change nothing.

        Its other samples are named ``(name, 1)``, ``(name, 2)`` … Raises ``RequestTooLarge`` if it
        could not be finished even alone, ``RequestExists``, ``ValueError`` and ``TypeError``.
        """
        tokens = checked_prompt(name, prompt)
        request = Request(name, tokens, max_new_tokens, (self._born, 0), **asked)
        self._check(request)
        request.others = [request.sample(nth) for nth in range(1, request.samples)]
        self.journal.keep_attributes(self, "_born")
        self._born += 1
        self.line.join(request)
        return request

    @all_or_nothing
    def abort(self, name: Hashable) -> bool:
        """End ``name`` and all its samples, and give back what they have.

        In any state and any number of times; ``False`` if it is not alive, or not any more.
        """
        ended = [r for r in self.line.everybody() if name == r.name or r.is_sample_of(name)]
        for request in ended:
            self._leave(request, "abort")
        return bool(ended)

    @all_or_nothing
    def end(self, name: Hashable, finish: str = "stop") -> bool:
        """End ``name`` alone, as if the token it said last had ended it; its samples go on.

        For a caller who sees an end that the request's own rule can't. ``False`` if it is not in
        the queue, or not any more.
        """
        request = self.get(name)
        if request is None:
            return False
        if request.others:
            raise ValueError(
                f"request {name!r} has samples that run its prompt with it, and it has not said a "
                "token yet: abort it, and they end as well"
            )
        self._leave(request, finish)
        return True

    @all_or_nothing
    def schedule(self) -> Step:
        """Choose the rows of the next step and take their blocks.

        If the step is not run after all, the next call plans the same rows again: what is left to
        run is counted from what the cache holds. Raises ``NoProgress`` when somebody outside this
        scheduler holds the pool.
        """
        plan = Plan(self.memory, self.limits, self.line.running())
        plan.go_on()
        if not plan.preempted:
            plan.admit(self.line.waiting())
        if not plan.rows and self.line.waiting():
            raise NoProgress(stuck(self.memory, self.line.waiting()[0], "begin"))
        return plan.step()

    @all_or_nothing
    def complete(self, step: Step, tokens: Sequence[int | None]) -> list[NewToken]:
        """After the step has been run: ``tokens``, one for each row that ``says``, belong to their
        requests (``None``: it failed, and ends here alone). Returns what to tell the callers.

        Finished requests leave; with an index, what they wrote stays findable. Rows of requests
        aborted since are passed over. Raises ``ValueError`` for a step that is not the last one
        run.
        """
        said = self._said(step, tokens)
        for row, token in said:
            self._apply(row, token)
        return [row.news() for row, _ in said if row.says]

    @all_or_nothing
    def split(self, row: Row) -> list[Row]:
        """The rows that come of one that has been run: itself and, when it says the first token of
        several samples, one like it for each of them. They fork off, right behind their request.
        """
        request = row.request
        others = request.others if row.says else []
        if not others:
            return [row]
        for other in others:
            self.journal.keep_attributes(other.stats, "admitted")
            other.stats.admitted = request.stats.admitted
            self.memory.fork(request.name, other.name)
        self.line.insert(others)
        self.journal.keep_attributes(request, "others")
        request.others = []
        return [row, *(row._replace(request=other) for other in others)]

    def check_invariants(self) -> None:
        """Raise ``InvariantBroken`` unless the queue is in order and the line divides it."""
        self.line.check_invariants()

    def _check(self, request: Request) -> None:
        """Raise unless ``request`` can be served some day."""
        name, samples = request.name, request.samples
        if samples > self.max_running:
            raise ValueError(
                f"request {name!r} asks for {samples} samples, and at most {self.max_running} "
                "requests run at once: it would wait for ever; ask for fewer"
            )
        wanted = {name, *((name, nth) for nth in range(1, samples))}
        alive = {n for r in self.line.everybody() for n in (r.name, r.parent)} - {None}
        taken = [n for n in wanted if n in alive or self.memory.holds(n)]
        if taken:
            raise RequestExists(
                f"request {taken[0]!r} or a sample of it is alive, or a sequence of that name is "
                "in the cache: two would write one table; choose another name"
            )
        need = self.memory.blocks(request.most)
        if need > self.memory.num_blocks:
            raise RequestTooLarge(
                f"request {name!r} may reach {len(request.prompt)} + {request.max_new_tokens} "
                f"tokens, which takes {need} blocks, and the pool has {self.memory.num_blocks}: it "
                "would wait for ever; shorten the prompt, ask for fewer tokens, or make the pool "
                "larger"
            )

    def _said(self, step: Step, tokens: Sequence[int | None]) -> list[tuple[Row, int | None]]:
        """Each row with its token, those of requests not alive left out; raises if it can't be."""
        says = sum(row.says for row in step.rows)
        if len(tokens) != says:
            raise ValueError(f"{says} rows say a token, and {len(tokens)} tokens were given")
        picks = iter(tokens)
        said = [(row, next(picks) if row.says else None) for row in step.rows]
        said = [(row, token) for row, token in said if row.request in self.line]
        for row, _ in said:
            name, known = row.request.name, len(row.request.tokens)
            run = self.memory.holds(name) and self.memory.length(name) == row.end
            if not run or (row.says and known != row.end):
                raise ValueError(f"the row of request {name!r} is not the one that was run last")
        return said

    def _apply(self, row: Row, token: int | None) -> None:
        """Enter one row of a completed step."""
        request = row.request
        if self.memory.blocks(row.end + 1) > self.memory.blocks(row.start + 1):
            self.memory.publish(request)  # a block has become full
        if not row.says:
            return
        self.journal.keep_attributes(request, "finish", "error")
        self.journal.keep_end(request.tokens, row.end)
        if token is None:
            request.finish = "error"
        else:
            try:
                request.add(token)
            except Exception as error:  # its own stop rule failed: that ends it alone
                request.finish, request.error = "error", error
        if request.finish is not None:
            self._leave(request, request.finish)

    def _leave(self, request: Request, finish: str) -> None:
        """Give back all that ``request`` has; it is not alive any more."""
        self.journal.keep_attributes(request, "finish")
        request.finish = finish
        self.memory.free(request)
        self.line.remove(request)

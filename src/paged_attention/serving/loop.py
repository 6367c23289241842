"""The loop around a scheduler: requests in, steps, tokens out; what runs the rows is left open.

Whatever fails or is interrupted inside a step leaves every request as it was, and the next step
plans the same rows; or the step is done, and its news come with the next call.
"""

import time
from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from contextlib import suppress
from itertools import count, repeat
from typing import NamedTuple, Unpack

from paged_attention.journal import all_or_nothing
from paged_attention.serving.paged_memory import PagedMemory
from paged_attention.serving.request import Asked, NewToken, Request, TokenLogprobs
from paged_attention.serving.scheduler import Scheduler, Scheduling
from paged_attention.serving.stats import StepStats
from paged_attention.serving.step import Row, Step


class Pick(NamedTuple):
    """A row that has been run and its next token: ``None`` if it is not to say one, or failed."""

    row: Row
    token: int | None
    logprobs: TokenLogprobs | None = None  # where its request asked for them


class ServingLoop:
    """``clock`` gives the time of all statistics, in seconds. ``requests``: everything submitted,
    by name, until ``forget``. ``steps``: what each step did. ``scheduler``: the kind that plans.
    """

    def __init__(
        self,
        memory: PagedMemory,
        *,
        clock: Callable[[], float] = time.perf_counter,
        scheduler: type[Scheduler] = Scheduler,
        **scheduling: Unpack[Scheduling],
    ) -> None:
        self.memory, self.journal, self.clock = memory, memory.journal, clock
        self.scheduler = scheduler(memory, **scheduling)
        self.requests: dict[Hashable, Request] = {}
        self.steps: list[StepStats] = []
        self._news: list[NewToken] = []  # not handed over yet
        self._numbers = count()

    def __len__(self) -> int:
        """Requests alive."""
        return len(self.scheduler)

    @all_or_nothing
    def submit(
        self,
        prompt: Sequence[int],
        max_new_tokens: int,
        *,
        name: Hashable = None,
        arrived: float | None = None,
        **asked: Unpack[Asked],
    ) -> Hashable:
        """Queue a request; returns its name, the next free number unless given.

        Raises as ``Scheduler.submit``, with nothing queued. ``arrived``: when it was sent, if that
        was earlier than now; waiting counts from there.
        """
        if name is None:
            name = next(number for number in self._numbers if number not in self.requests)
        request = self.scheduler.submit(name, prompt, max_new_tokens, **asked)
        for one in (request, *request.others):
            one.stats.arrived = self.clock() if arrived is None else arrived
            self.journal.keep_key(self.requests, one.name)
            self.requests[one.name] = one
        return name

    @all_or_nothing
    def abort(self, name: Hashable) -> bool:
        """End a request and its samples at any time; whether there was anything to end."""
        ended = [r.name for r in self.requests.values() if name == r.name or r.is_sample_of(name)]
        self.journal.keep_attributes(self, "_news")
        self._news = [new for new in self._news if new.request not in ended]
        return self.scheduler.abort(name)

    @all_or_nothing
    def end(self, name: Hashable, finish: str = "stop") -> bool:
        """End one request alone after the token it said last; see ``Scheduler.end``."""
        ended = self.scheduler.end(name, finish)
        if ended:
            self.journal.keep_attributes(self, "_news")
            self._news = [new for new in self._news if new.request != name]
            self.journal.keep_attributes(self.requests[name].stats, "finished")
            self.requests[name].stats.finished = self.clock()
        return ended

    def forget(self, name: Hashable) -> None:
        """Drop the record of a request that has ended; one that has not is left alone."""
        with suppress(KeyError):
            if self.requests[name].finish is not None:
                del self.requests[name]
                if self.memory.prefix is not None:
                    self.memory.prefix.stats.forget(name)

    def take_steps(self) -> list[StepStats]:
        """What the steps did since the last call, and no record is kept of it."""
        taken, self.steps = self.steps, []
        return taken

    def step(self) -> list[NewToken]:
        """Plan a step and run it; the tokens that came out. Without requests nothing happens."""
        if not self._news:
            self._advance()
        # In one line: an interrupt comes before it, and the news are still here, or after it.
        return list(map(self._news.pop, repeat(0, len(self._news))))

    def drain(self) -> Iterator[NewToken]:
        """Each new token until nobody is left. Who stops listening misses nothing: the rest comes
        with the next call.
        """
        while self._news or len(self):
            if not self._news:
                self._advance()
            while self._news:
                yield self._news.pop(0)

    def _run(self, step: Step) -> list[Pick]:
        """Run the rows; a pick for each that comes of them, as ``Scheduler.split`` tells.

        What it changes is noted in the journal.
        """
        raise NotImplementedError

    def _advance(self) -> None:
        """One step, from the plan to the news.

        Planning and running are two pieces of work. Once rows have been run, a plan that took
        blocks from others can't be taken back: what was in them is overwritten.
        """
        step = self.scheduler.schedule()
        if step.rows:
            self._run_and_enter(step)

    @all_or_nothing
    def _run_and_enter(self, step: Step) -> None:
        note = self._note(step)
        picks = self._run(step)
        for row in step.rows:
            self.journal.keep_attributes(row.request.stats, "run_tokens")
            row.request.stats.run_tokens += len(row.tokens)
        rows = [pick.row for pick in picks]
        tokens = [pick.token for pick in picks if pick.row.says]
        news = self.scheduler.complete(step._replace(rows=rows), tokens)
        self._enter(news, {row.request.name: row.request for row in rows})
        for row, _, logprobs in picks:
            if logprobs is not None:
                self.journal.keep_end(row.request.logprobs, len(row.request.logprobs))
                row.request.logprobs.append(logprobs)
        self.journal.keep_end(self.steps, len(self.steps))
        self.steps.append(note)
        self.journal.keep_attributes(self, "_news")
        self._news = news

    def _enter(self, news: Sequence[NewToken], requests: Mapping[Hashable, Request]) -> None:
        """Note when each token came."""
        now = self.clock()
        for new in news:
            stats = requests[new.request].stats
            if new.token is not None:
                self.journal.keep_end(stats.tokens_at, len(stats.tokens_at))
                stats.tokens_at.append(now)
            if new.finish is not None:
                self.journal.keep_attributes(stats, "finished")
                stats.finished = now

    def _note(self, step: Step) -> StepStats:
        now = self.clock()
        for row in step.rows:
            if row.request.stats.admitted is None:
                self.journal.keep_attributes(row.request.stats, "admitted")
                row.request.stats.admitted = now
        pool = self.memory.cache.allocator
        running = len(self.scheduler.running)
        return StepStats(
            time=now,
            running=running,
            waiting=len(self) - running,
            tokens=step.tokens,
            decoding=sum(len(row.tokens) == 1 for row in step.rows),
            admitted=len(step.admitted),
            preempted=len(step.preempted),
            free=pool.num_free,
            held=pool.num_held,
            cached=pool.num_cached,
        )

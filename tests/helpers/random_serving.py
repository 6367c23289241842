"""Random runs of the toy engine, one a seed, and the laws that every run must keep.

    in tests/:  python -m helpers.random_serving RUNS [FIRST]

Requests come and go with shared prompts, salts, samples and stop rules; some are aborted; the model
fails now and then; memory is short.
"""

import random
import sys
from collections.abc import Callable, Hashable, Sequence
from typing import Any, NamedTuple

from paged_attention.errors import RequestTooLarge
from workbook.toy import VOCAB, ToyEngine, alone, toy_memory


class Wanted(NamedTuple):
    prompt: list[int]
    max_new_tokens: int
    seed: int
    stop: Callable[[Sequence[int]], bool] | None

    def alone(self) -> list[int]:
        return alone(*self)


def zero_ends(answer: Sequence[int]) -> bool:
    return answer[-1] == 0


class Run:
    """One random run; ``play`` it. L1 to L11 are the laws of CONTRIBUTING's table."""

    def __init__(self, seed: int) -> None:
        self.draw = draw = random.Random(seed)
        block_size, self.seats = draw.choice([1, 2, 3, 4]), draw.randrange(1, 7)
        self.blocks = draw.randrange(4, 24)
        memory = toy_memory(
            self.blocks, block_size, prefix=draw.random() < 0.6, host=draw.choice([0, 0, 3, 30])
        )
        self.engine = ToyEngine(
            memory,
            max_running=self.seats,
            budget=self.seats + draw.randrange(12),
            chunk=draw.choice([None, None, 0, 1, 3]),
            spare=draw.choice([0, 0.5, 1, 2]),
        )
        self.shared = [self.tokens(13) for _ in range(2)]
        self.coming = draw.randrange(3, 14)
        self.born = self.failures = self.silent = 0
        self.wanted: dict[Hashable, Wanted] = {}
        self.streams: dict[Hashable, list[int]] = {}

    def tokens(self, below: int) -> list[int]:
        return [self.draw.randrange(VOCAB) for _ in range(self.draw.randrange(1, below))]

    def play(self) -> "Run":
        while self.born < self.coming or len(self.engine):
            while self.born < self.coming and (self.draw.random() < 0.4 or not len(self.engine)):
                self.submit()
            if self.draw.random() < 0.08 and len(self.engine):
                self.abort()
            if self.draw.random() < 0.05:
                self.fail()
            if len(self.engine):
                self.step()
        self.end()
        return self

    def submit(self) -> None:
        draw, engine = self.draw, self.engine
        prompt = (draw.choice(self.shared) if draw.random() < 0.6 else []) + self.tokens(9)
        wanted = Wanted(
            prompt, draw.randrange(1, 14), draw.randrange(100), draw.choice([None, None, zero_ends])
        )
        samples = draw.choice([1, 1, 1, 2, 3]) if self.seats >= 3 else 1
        asked: dict[str, Any] = {"salt": draw.choice([None, "x"]), "stop": wanted.stop}
        before = list(engine.memory.cache.allocator.refs), len(engine)
        try:
            engine.ask(self.born, *wanted[:3], samples=samples, **asked)
        except RequestTooLarge:
            assert before == (list(engine.memory.cache.allocator.refs), len(engine))
            most = len(prompt) + wanted.max_new_tokens - 1
            assert engine.memory.blocks(most) > self.blocks
        else:
            for nth in range(samples):
                name = (self.born, nth) if nth else self.born
                self.wanted[name] = wanted._replace(seed=wanted.seed + nth)
        self.born += 1

    def abort(self) -> None:
        engine = self.engine
        name = self.draw.choice([*engine.scheduler.running, *engine.scheduler.waiting])
        if isinstance(name, tuple) and self.draw.random() < 0.5:
            name = name[0]
        engine.abort(name)
        assert not engine.abort(name)
        engine.check()

    def fail(self) -> None:
        """The model fails, or what comes behind it: nothing is lost (the next step shows)."""
        if not len(self.engine):
            return
        self.engine.failing = self.draw.choice(["before", "after"])
        try:
            self.engine.step()
            raise AssertionError("the step should have failed")
        except RuntimeError:
            self.failures += 1
        self.engine.failing = None
        self.engine.check()

    def step(self) -> None:
        engine, scheduler = self.engine, self.engine.scheduler
        due = {
            n for n, r in scheduler.running.items() if len(r.tokens) - engine.memory.length(n) == 1
        }
        news = engine.step()
        engine.check()  # L1 the pool is whole, L2 the queue in order, L3 who waits holds nothing
        step = engine.plans[-1]
        there = {row.request.name for row in step.rows}
        assert due - set(step.preempted) <= there, "L4: somebody who speaks was left out"
        assert not there & set(step.preempted), "a row of somebody preempted in this very step"
        if scheduler.limits.chunk:
            assert step.tokens <= scheduler.limits.budget, "L5: more than the budget"
        for new in news:
            stream = self.streams.setdefault(new.request, [])
            assert new.nth == len(stream), "L6: a gap or a repetition"
            assert new.token is not None
            stream.append(new.token)
        self.silent = 0 if news or any(not row.says for row in step.rows) else self.silent + 1
        assert self.silent < 3, "L11: no progress"
        assert len(engine.plans) < 4000, "endless"

    def end(self) -> None:
        memory = self.engine.memory
        assert memory.cache.allocator.num_held == 0, "L9: blocks are left"
        assert memory.host is None or not memory.host.kept, "L9: copies are left"
        for name, wanted in self.wanted.items():
            stream, right = self.streams.get(name, []), wanted.alone()
            if self.engine.requests[name].finish == "abort":
                right = right[: len(stream)]
            assert stream == right, f"L7: {name!r} says {stream}, alone {right}"
        # The oldest runs a token a step and is never preempted.
        requests = sorted(self.engine.requests.values(), key=lambda request: request.order)
        steps = self.failures
        for request in requests:
            steps += len(request.prompt) + request.max_new_tokens
            if request.stats.finished is not None:
                assert request.stats.finished - request.stats.arrived <= steps, "L10: waited longer"

    @property
    def preemptions(self) -> int:
        return sum(request.stats.preemptions for request in self.engine.requests.values())


def short_answers(seed: int) -> None:
    """L8: when nobody says more than one token, promises keep everybody from being preempted."""
    draw = random.Random(seed)
    seats = draw.randrange(2, 6)
    memory = toy_memory(
        draw.randrange(5, 14), draw.choice([1, 2, 3, 4]), prefix=draw.random() < 0.5
    )
    engine = ToyEngine(
        memory,
        max_running=seats,
        budget=seats + draw.randrange(8),
        chunk=draw.choice([None, 0, 1, 2, 4]),
        spare=0,
    )
    born = 0
    while born < 10 or len(engine):
        if born < 10 and draw.random() < 0.6:
            born += 1
            prompt = [draw.randrange(2) for _ in range(draw.randrange(1, 14))]
            if memory.blocks(len(prompt)) <= memory.num_blocks:
                engine.ask(born, prompt, 1)
        if len(engine):
            engine.step()
            engine.check()
            assert not engine.plans[-1].preempted, "L8: a promise was broken"
        assert len(engine.plans) < 2000, "endless"


def main(runs: int, first: int = 0) -> None:
    preemptions = steps = 0
    for number, seed in enumerate(range(first, first + runs), start=1):
        try:
            run = Run(seed).play()
            short_answers(seed)
        except BaseException:
            print(f"\nseed {seed}")
            raise
        preemptions += run.preemptions
        steps += len(run.engine.plans)
        if number % 100 == 0:
            print(f"\r{number} of {runs} runs, {steps} steps, {preemptions} preemptions", end="")
    print(f"\r{runs} runs, {steps} steps, {preemptions} preemptions: every law kept")


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))

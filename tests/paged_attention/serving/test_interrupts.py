"""Ctrl-C at any line of any verb: everything is as before or as after, and no word is lost."""

from collections.abc import Callable
from typing import Any

import pytest
from helpers.interrupts import interrupt, lines_of

from paged_attention.serving.request import NewToken
from workbook.toy import ToyEngine, alone, toy_memory

PROMPTS = {"A": [1] * 6, "B": [1] * 4 + [2] * 3, "C": [3] * 5, "D": [1] * 4 + [4]}
NEW = {"A": 7, "B": 6, "C": 5, "D": 4}
SAMPLES = {"B": 2}
# Every line takes minutes; the place is the offset, so that each kind is met.
STRIDES = [149, pytest.param(41, marks=pytest.mark.slow)]


class Scenario:
    """Four requests in a pool of ten blocks of two: a shared beginning, samples, prompts in chunks,
    preemptions, an abort. ``verbs`` are its calls in order; each may be called again.
    """

    def __init__(self, *, prefix: bool, host: int) -> None:
        memory = toy_memory(10, 2, prefix=prefix, host=host)
        self.engine = ToyEngine(memory, max_running=4, budget=5, spare=0)
        self.streams: dict[Any, list[int | None]] = {}
        self.verbs: list[Callable[[], None]] = [
            *(lambda name=name: self.submit(name) for name in "ABC"),
            *[self.step] * 6,
            lambda: self.submit("D"),
            *[self.step] * 4,
            self.abort,
            *[self.step] * 24,
        ]

    def submit(self, name: str) -> None:
        if self.engine.scheduler.get(name) is None:
            self.engine.ask(name, PROMPTS[name], NEW[name], ord(name), samples=SAMPLES.get(name, 1))

    def abort(self) -> None:
        self.engine.abort("C")

    def step(self) -> None:
        self.take(self.engine.step())

    def take(self, news: list[NewToken]) -> None:
        for new in news:
            stream = self.streams.setdefault(new.request, [])
            assert new.nth == len(stream), "a gap or a repetition"
            stream.append(new.token)

    def play(self, verbs: list[Callable[[], None]]) -> None:
        for verb in verbs:
            verb()

    def state(self) -> tuple[object, ...]:
        """Everything that a request or a block could get lost in."""
        memory, scheduler = self.engine.memory, self.engine.scheduler
        cache, allocator = memory.cache, memory.cache.allocator
        return (
            {name: list(table) for name, table in cache.tables.items()},
            dict(cache.lengths),
            list(allocator.refs),
            list(allocator._free),
            list(allocator._cached),
            [(r.name, list(r.tokens), r.finish, r.seats, str(r.stats)) for r in everybody(self)],
            list(scheduler.running),
            list(scheduler.waiting),
            memory.host and dict(memory.host.kept),
        )

    def end(self) -> None:
        while len(self.engine):
            self.step()
            self.engine.check()
        self.step()
        memory = self.engine.memory
        assert memory.cache.allocator.num_held == 0
        assert memory.host is None or not memory.host.kept
        for name, request in self.engine.requests.items():
            root, nth = name if isinstance(name, tuple) else (name, 0)
            right = alone(PROMPTS[root], NEW[root], ord(root) + nth)
            if request.finish == "abort":
                right = right[: len(self.streams.get(name, []))]
            assert self.streams.get(name, []) == right, name


def everybody(scenario: Scenario) -> list[Any]:
    return list(scenario.engine.requests.values())


@pytest.mark.parametrize("prefix", [False, True])
@pytest.mark.parametrize("host", [0, 8])
@pytest.mark.parametrize("stride", STRIDES)
def test_an_interrupt_at_any_line_loses_nothing(prefix: bool, host: int, stride: int) -> None:
    def scenario(place: int) -> Scenario:
        fresh = Scenario(prefix=prefix, host=host)
        fresh.play(fresh.verbs[:place])
        return fresh

    preemptions = 0
    for place in range(len(scenario(0).verbs)):
        whole = scenario(place)
        planned = scenario(place)
        states = [whole.state()]
        lines = lines_of(whole.verbs[place])
        states.append(whole.state())
        if lines and whole.verbs[place] == whole.step:  # the plan stays when the run is taken back
            planned.engine.scheduler.schedule()
            states.append(planned.state())
        for line in range(place * 4 % stride, lines, stride):
            cut = scenario(place)
            interrupt(cut.verbs[place], line)
            cut.engine.check()
            assert cut.state() in states
            cut.verbs[place]()  # hands over the news of a step that was done before the interrupt
            cut.play(cut.verbs[place + 1 :])
            cut.end()
            preemptions += sum(request.stats.preemptions for request in everybody(cut))
    assert preemptions

"""A scheduler whose decisions can be overridden: as the engine's, until somebody does."""

from collections.abc import Sequence
from typing import Any

import pytest

from paged_attention.serving import Request, Scheduler
from workbook.policies import Choices
from workbook.toy import ToyEngine, alone, in_words, toy_memory


class Youngest(Choices):
    """The last to come is served first; the one with the longest history gives way."""

    def next_of(self, waiting: Sequence[Request], running: Sequence[Request]) -> Request:
        return waiting[-1]

    def victim_of(self, candidates: Sequence[Request]) -> Request:
        return max(candidates, key=lambda request: len(request.tokens))

    def chunk_of(self, request: Request) -> int:
        return 1 + len(request.prompt) % 3


def served(kind: Any, blocks: int, spare: float) -> ToyEngine:
    memory = toy_memory(blocks, prefix=True)
    engine = ToyEngine(memory, max_running=5, budget=13, spare=spare, scheduler=kind)
    for name in range(24):
        engine.ask(name, [name % 3] * (1 + name * 7 % 11), 1 + name * 5 % 9, name)
        if name % 5 == 4:
            engine.step()
    list(engine.drain())
    return engine


@pytest.mark.parametrize("spare", [0, 1])
@pytest.mark.parametrize("blocks", [6, 12])
def test_it_plans_what_the_engine_plans(blocks: int, spare: float) -> None:
    plans = [
        [
            (in_words(step), step.admitted, step.preempted)
            for step in served(kind, blocks, spare).plans
        ]
        for kind in (Scheduler, Choices)
    ]
    assert plans[0] == plans[1]


@pytest.mark.parametrize("blocks", [6, 9])
def test_whoever_overtakes_says_what_it_says_alone(blocks: int) -> None:
    engine = served(Youngest, blocks, 0)
    for name, request in engine.requests.items():
        assert request.answer == alone(request.prompt, request.max_new_tokens, int(name))  # type: ignore[call-overload]
    assert engine.memory.cache.allocator.num_held == 0
    assert sum(request.stats.preemptions for request in engine.requests.values())
    began = [name for step in engine.plans for name in step.admitted]
    assert began != sorted(began)

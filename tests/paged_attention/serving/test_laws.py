"""The laws of serving, L1 to L11, in random runs; and wrong schedulers, which must break one."""

import math
from collections.abc import Callable

import pytest
from helpers.random_serving import Run, short_answers

from paged_attention.serving import paged_memory, plan, scheduler
from paged_attention.serving.request import Request
from paged_attention.serving.swap import HostStore
from workbook.toy import toy_memory


@pytest.mark.parametrize("first", range(0, 320, 40))
def test_every_law_holds_in_random_runs(first: int) -> None:
    runs = [Run(seed).play() for seed in range(first, first + 40)]
    assert sum(run.preemptions for run in runs) > 5
    assert sum(r.stats.swaps for run in runs for r in run.engine.requests.values()) > 0
    for seed in range(first, first + 40):
        short_answers(seed)


def play_all(seeds: range) -> None:
    for seed in seeds:
        Run(seed).play()
        short_answers(seed)


def forget_the_answer(patch: pytest.MonkeyPatch) -> None:
    right = plan.Plan.give_back

    def wrong(self: plan.Plan, request: Request) -> None:
        right(self, request)
        del request.tokens[len(request.prompt) :]

    patch.setattr(plan.Plan, "give_back", wrong)


def run_the_prompt_only(patch: pytest.MonkeyPatch) -> None:
    right = plan.Plan.add_row

    def wrong(self: plan.Plan, request: Request, n: int) -> None:
        right(self, request, n)
        if n and self.rows[-1].end >= len(request.prompt):
            self.rows[-1] = self.rows[-1]._replace(says=True)

    patch.setattr(plan.Plan, "add_row", wrong)


def promise_nothing(patch: pytest.MonkeyPatch) -> None:
    right = plan.Plan.add_row

    def wrong(self: plan.Plan, request: Request, n: int) -> None:
        right(self, request, n)
        self.promised = 0

    patch.setattr(plan.Plan, "add_row", wrong)


def count_hits_as_room(patch: pytest.MonkeyPatch) -> None:
    def wrong(self: paged_memory.PagedMemory, request: Request, keep: int) -> bool:
        need = self.blocks(len(request.tokens)) - len(self._match(request))
        return need <= self.room() - keep

    patch.setattr(paged_memory.PagedMemory, "can_begin", wrong)


def publish_what_is_not_written(patch: pytest.MonkeyPatch) -> None:
    right = plan.Plan.add_row

    def wrong(self: plan.Plan, request: Request, n: int) -> None:
        right(self, request, n)
        self.memory.cache.advance({request.name: self.rows[-1].end})  # type: ignore[attr-defined]

    patch.setattr(plan.Plan, "add_row", wrong)


def keep_the_copy(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(HostStore, "drop", lambda self, name: None)


def free_before_the_copy(patch: pytest.MonkeyPatch) -> None:
    def wrong(self: HostStore, cache, name):  # type: ignore[no-untyped-def]
        cache.k_pool[:, cache.tables[name]] = 0
        return right(self, cache, name)

    right = HostStore.swap_out
    patch.setattr(HostStore, "swap_out", wrong)


WRONG: list[Callable[[pytest.MonkeyPatch], None]] = [
    forget_the_answer,
    run_the_prompt_only,
    promise_nothing,
    count_hits_as_room,
    publish_what_is_not_written,
    keep_the_copy,
    free_before_the_copy,
]


@pytest.mark.parametrize("wrong", WRONG, ids=lambda wrong: wrong.__name__)
def test_the_laws_reject(
    wrong: Callable[[pytest.MonkeyPatch], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    wrong(monkeypatch)
    with pytest.raises((AssertionError, ValueError, RuntimeError, MemoryError)):
        play_all(range(100))


def test_a_scheduler_is_told_what_cannot_work() -> None:
    memory = toy_memory(4)
    for wrong in (
        {"max_running": 0},
        {"max_running": 9, "budget": 8},
        {"chunk": -1},
        {"spare": -1},
        {"spare": math.nan},
        {"spare": math.inf},
    ):
        with pytest.raises(ValueError, match=str(next(iter(wrong)))):
            scheduler.Scheduler(memory, **wrong)  # type: ignore[arg-type]

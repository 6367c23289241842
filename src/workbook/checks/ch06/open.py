"""Chapter 06, open task: how much room newcomers leave for those who run."""

from collections.abc import Callable
from typing import Any

from workbook.checks.framework import Rejected, open_task

BLOCKS, SLOWEST = 128, 230.0  # blocks of 16 tokens; seconds that the whole load may take
Leave = Callable[[list[tuple[int, int]], int], int]


@open_task(
    "leave_room",
    label="open-06",
    title="No frozen answers",
    asks="a function leave(running, room) -> blocks that must stay free when one more begins; "
    "running has (prompt tokens, tokens said) of each that then runs, room is free now",
    unit="seconds, the longest gap",
    better="less",
    today=(6.4, "three blocks for each that runs"),
    book=(0.3, "a share of what each is expected to say yet, from the trace's lengths"),
)
def leave_room(answer: Any) -> float:
    """The longest gap when chapter 6's 150 requests come at once, on the cost clock."""
    from workbook.loads import conversations, outcome

    load = conversations(150, None, scale=2, cap=512, longest_prompt=64, seed=3)
    engine = _simulation(answer)
    seconds = engine.serve(load)
    if seconds > SLOWEST:
        raise Rejected(f"The load takes {seconds:.0f} seconds, and {SLOWEST:.0f} are allowed.")
    longest = outcome(engine, seconds).summary.longest_gap
    return round(longest or 0.0, 1)


def _simulation(answer: Leave) -> Any:
    from paged_attention.cache import PagedKVCache
    from paged_attention.serving.cost import CostModel, Simulation
    from paged_attention.serving.paged_memory import PagedMemory
    from paged_attention.serving.plan import Plan
    from paged_attention.serving.scheduler import Scheduler
    from paged_attention.serving.step import Step

    class Judged(Scheduler):
        def schedule(self) -> Step:
            plan = Plan(self.memory, self.limits, list(self.running.values()))
            plan.go_on()
            here = [(len(r.prompt), len(r.answer)) for r in plan.running]
            for request in () if plan.preempted else self.waiting.values():
                here.append((len(request.prompt), len(request.answer)))
                keep = _blocks(answer, here, self.memory.room()) if len(here) > 1 else 0
                fits = self.memory.can_begin(request, plan.promised + keep)
                if not (plan.takes(request) and fits):
                    break
                plan.begin(request)
            return plan.step()

    memory = PagedMemory(PagedKVCache(1, BLOCKS, 16, 1, 1))
    limits = {"max_running": 32, "budget": 64, "spare": 0}
    return Simulation(memory, CostModel.fitted(), scheduler=Judged, **limits)


def _blocks(answer: Leave, running: list[tuple[int, int]], room: int) -> int:
    found = answer(list(running), room)
    if type(found) is not int or found < 0:
        raise Rejected(f"A number of blocks is wanted, 0 or more, not {found!r}.")
    return found

"""The scheduler that chapter 6 builds, taken out of its cells, plans what the engine's plans."""

from pathlib import Path
from typing import Any

import jupytext
import pytest
from helpers.random_serving import Run

from workbook.checks import check
from workbook.toy import ToyEngine, in_words, toy_memory

CHAPTER = Path(__file__).parents[2] / "chapters" / "source" / "06_when_memory_runs_out.md"
SOLUTIONS = {
    "shares": "shares_solution",
    "admit": "admit_solution",
    "make_room": "make_room_solution",
    "host": "HostSolution",
    "latencies": "latencies_solution",
}


@pytest.fixture(scope="module")
def chapter() -> dict[str, Any]:
    """The names after the chapter's imports, its solutions and its scheduler."""
    names: dict[str, Any] = {"__name__": "__main__"}
    cells = [cell.source for cell in jupytext.read(CHAPTER).cells if cell.cell_type == "code"]
    heads = tuple(f"{kind} {name}" for kind in ("def", "class") for name in SOLUTIONS.values())
    for source in [cells[0], *(cell for cell in cells if cell.startswith(heads))]:
        exec(compile(source, "cell", "exec"), names)
    names |= {"divide": names["shares_solution"], "let_in": names["admit_solution"]}
    names["walk"] = names["make_room_solution"]
    source = next(cell for cell in cells if "class MyScheduler" in cell)
    exec(compile(source[source.index("class MyScheduler") :], "cell", "exec"), names)
    return names


@pytest.mark.parametrize(("exercise", "name"), SOLUTIONS.items())
def test_the_chapter_s_solutions_pass_the_checks(
    chapter: dict[str, Any], exercise: str, name: str
) -> None:
    report = getattr(check, exercise)(chapter[name])
    assert report.ok, repr(report)


@pytest.mark.parametrize("spare", [0, 0.5, 1, 2])
@pytest.mark.parametrize("blocks", [6, 12, 40])
def test_it_plans_what_the_engine_plans(chapter: dict[str, Any], spare: float, blocks: int) -> None:
    plans = []
    for scheduler in (chapter["MyScheduler"], None):
        kind = {} if scheduler is None else {"scheduler": scheduler}
        engine = ToyEngine(
            toy_memory(blocks), max_running=6, budget=14, chunk=5, spare=spare, **kind
        )
        for name in range(60):
            engine.ask(name, [name % 3] * (1 + name * 7 % 11), 1 + name * 5 % 9)
        list(engine.drain())
        plans.append([(in_words(step), step.admitted, step.preempted) for step in engine.plans])
    assert plans[0] == plans[1]


def test_it_keeps_every_law(chapter: dict[str, Any], monkeypatch: pytest.MonkeyPatch) -> None:
    """Random runs, prompts never cut left out: the chapter's `shares` has no such case."""
    from paged_attention.serving import loop

    monkeypatch.setattr(loop.Scheduler, "schedule", chapter["MyScheduler"].schedule)
    kept = 0
    for seed in range(80):
        run = Run(seed)
        if run.engine.scheduler.limits.chunk:
            run.play()
            kept += 1
    assert kept > 40

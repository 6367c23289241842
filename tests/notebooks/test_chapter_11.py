"""The engine that chapter 11 puts together, taken out of its cells, plans what the engine plans."""

from pathlib import Path
from typing import Any

import jupytext
import pytest
from helpers.random_serving import Run

from workbook.checks import check
from workbook.toy import ToyEngine, alone, in_words, toy_memory

CHAPTER = Path(__file__).parents[2] / "chapters" / "source" / "11_the_whole_engine.md"
SOLUTIONS = {"begin": "begin_solution", "split": "split_solution", "prices": "prices_solution"}
QUESTION = [3, 1, 4, 1, 0, 2, 2, 0, 4, 3, 1, 2, 4]


@pytest.fixture(scope="module")
def chapter() -> dict[str, Any]:
    """The names after the chapter's imports, its solutions, its engine and its *Break it*."""
    cells = [cell.source for cell in jupytext.read(CHAPTER).cells if cell.cell_type == "code"]
    names: dict[str, Any] = {"__name__": "__main__"}
    exec(compile(cells[0], "cell", "exec"), names)
    heads = tuple(f"def {name}" for name in SOLUTIONS.values())
    for source in cells:
        if source.startswith(heads):
            exec(compile(source.split("\ncheck.")[0], "cell", "exec"), names)
    names |= {"let_in": names["begin_solution"], "split_off": names["split_solution"]}
    names["price"] = names["prices_solution"]
    for kind in ("MyPlan(Plan)", "MyScheduler(Scheduler)", "MyMemory(PagedMemory)", "HastyPlan"):
        source = next(cell for cell in cells if f"class {kind}" in cell)
        start = source.index("def hasty" if kind == "HastyPlan" else "class ")
        exec(compile(source[start:], "cell", "exec"), names)
    return names


@pytest.mark.parametrize(("exercise", "name"), SOLUTIONS.items())
def test_the_chapter_s_solutions_pass_the_checks(
    chapter: dict[str, Any], exercise: str, name: str
) -> None:
    report = getattr(check, exercise)(chapter[name])
    assert report.ok, repr(report)


@pytest.mark.parametrize("spare", [0, 1])
@pytest.mark.parametrize("blocks", [8, 14, 40])
def test_it_plans_what_the_engine_plans(chapter: dict[str, Any], spare: float, blocks: int) -> None:
    plans = []
    for kind in ({"scheduler": chapter["MyScheduler"]}, {}):
        memory = toy_memory(blocks, prefix=True)
        engine = ToyEngine(memory, max_running=6, budget=14, chunk=5, spare=spare, **kind)
        for name in range(40):
            engine.ask(name, [name % 2] * (1 + name * 7 % 11), 1 + name % 9, samples=1 + name % 3)
        list(engine.drain())
        plans.append([(in_words(step), step.admitted, step.preempted) for step in engine.plans])
    assert plans[0] == plans[1]


def test_it_keeps_every_law(chapter: dict[str, Any], monkeypatch: pytest.MonkeyPatch) -> None:
    """Random runs with aborts and failures; those without an index left out: `begin` needs one."""
    from paged_attention.serving import loop

    for method in ("schedule", "split"):
        monkeypatch.setattr(loop.Scheduler, method, getattr(chapter["MyScheduler"], method))
    kept = 0
    for seed in range(60):
        run = Run(seed)
        memory = run.engine.memory
        if memory.prefix is not None and run.engine.scheduler.limits.chunk:
            run.play()
            kept += 1
    assert kept > 8


def test_a_price_decides_whether_a_copy_is_kept(chapter: dict[str, Any]) -> None:
    """With a bus that costs nothing the copy is kept; on one that is slow it isn't."""
    for piece, kept in ((0.0, True), (1.0, False)):
        base = toy_memory(6, prefix=True, host=6)
        memory = chapter["MyMemory"](base.cache, base.prefix, base.host)
        memory.machine = memory.machine._replace(piece=piece)
        engine = ToyEngine(memory, max_running=2, budget=40)
        engine.ask("A", QUESTION, 5, 1)
        engine.step()
        assert memory.preempt(engine.requests["A"]) is kept
        assert ("A" in base.host) is kept  # type: ignore[operator]
        list(engine.drain())
        engine.check()
        assert engine.texts()["A"] == alone(QUESTION, 5, 1)


def test_the_broken_one_is_right_in_all_but_its_room(chapter: dict[str, Any]) -> None:
    """GeeeekExplorer/nano-vllm#207, #210: counted before the hit is attached."""
    blocks = {}
    for kind in ("MyScheduler", "Hasty"):
        engine = ToyEngine(
            toy_memory(16, prefix=True),
            scheduler=chapter[kind],
            max_running=8,
            budget=40,
            spare=0,
        )
        for name in "ABCD":
            engine.ask(name, QUESTION, 5, ord(name))
            engine.step()
        blocks[kind] = len(engine.memory.cache.tables["B"])
        list(engine.drain())
        engine.check()
        assert engine.texts() == {name: alone(QUESTION, 5, ord(name)) for name in "ABCD"}
    assert blocks == {"MyScheduler": 4, "Hasty": 7}

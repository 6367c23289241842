"""Known mistakes are rejected, each with its own words; right solutions pass."""

from typing import Any

import pytest

from paged_attention.kernels.cpu import find_compiler
from workbook.checks import check, exercises, load_mistakes, open_tasks
from workbook.checks.framework import Exercise

FEWEST = 3
CHAPTERS = {"01": 15, "03": 15, "04": 15, "06": 15}  # where every exercise has more
BOOK = exercises()
for exercise in BOOK:
    load_mistakes(exercise.label)
MISTAKES = [
    pytest.param(exercise, mistake, id=f"{exercise.name}-{number}")
    for exercise in BOOK
    for number, mistake in enumerate(exercise.mistakes, 1)
]
RIGHT = [
    pytest.param(exercise, right, id=f"{exercise.name}-{number}")
    for exercise in BOOK
    for number, right in enumerate([exercise.finished, *exercise.also_right])
]


def said(exercise: Exercise, solution: Any) -> Any:
    return getattr(check, exercise.name)(solution)


@pytest.mark.parametrize(("exercise", "mistake"), MISTAKES)
def test_a_mistake_is_rejected_with_its_own_words(exercise: Exercise, mistake: Any) -> None:
    report = said(exercise, mistake.wrong)
    assert not report.ok, f"{exercise.name} accepts {mistake.says!r}"
    assert report.failure, repr(report)
    others = report.failure.why.removeprefix("Either: ").split(" Or: ")
    assert mistake.says in others, repr(report)


@pytest.mark.parametrize(("exercise", "right"), RIGHT)
def test_a_right_solution_passes(exercise: Exercise, right: Any) -> None:
    report = said(exercise, right)
    assert report.ok, repr(report)


@pytest.mark.parametrize("exercise", BOOK, ids=lambda e: e.name)
def test_each_exercise_has_mistakes_and_a_right_solution(exercise: Exercise) -> None:
    assert exercise.finished is not None
    assert len(exercise.mistakes) >= CHAPTERS.get(exercise.label[3:5], FEWEST)


@pytest.mark.parametrize("task", open_tasks(), ids=lambda t: t.name)
def test_an_open_task_knows_its_own_result_and_rejects_what_breaks_its_spec(task: Any) -> None:
    if task.measured and find_compiler() is None:
        pytest.skip("no C++ compiler here")
    score = task(task.solved).score
    assert score > 0 if task.measured else score == task.book[0]
    assert task.degenerate
    for mistake in task.degenerate:
        verdict = task(mistake.wrong)
        assert not verdict.ok, f"{task.name} accepts {mistake.says!r}"
        assert mistake.says in verdict.rejected, repr(verdict)

"""Known mistakes are rejected, each with its own words; right solutions pass."""

from typing import Any

import pytest

from paged_attention.kernels.cpu import find_compiler
from workbook.checks import check, exercises, load_mistakes, open_tasks
from workbook.checks.framework import Exercise
from workbook.checks.framework.diagnosis import cause
from workbook.checks.framework.diagnosis.known import outcome_of
from workbook.checks.framework.mistake import Mistake

FEWEST = 15
OF_A_WHOLE = 5  # a class that exercises make together; each of those has its own
BOOK = exercises()
for exercise in BOOK:
    load_mistakes(exercise.label)


ENDLESS = "nothing in it makes the table longer"  # stopped after 5 s; `test_limit` has quicker ones


def is_kernel(exercise: Exercise) -> bool:
    """Whether it is run by Triton's interpreter, which takes a second for it."""
    return hasattr(exercise.finished, "fn")


def marks(exercise: Exercise, mistake: Mistake) -> list[pytest.MarkDecorator]:
    """One worker for all of an exercise: they are compared with each other. Kernels are played by
    `make soak`, and in every run by the test below.
    """
    slow = is_kernel(exercise) or ENDLESS in mistake.says
    return [pytest.mark.xdist_group(exercise.name), *([pytest.mark.slow] if slow else [])]


MISTAKES = [
    pytest.param(
        exercise,
        mistake,
        id=f"{exercise.name}-{number}",
        marks=marks(exercise, mistake),
    )
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


def why_of_kernel(exercise: Exercise, mistake: Mistake) -> str | None:
    """What its check would say; a case's outcome is remembered, and none is played twice."""
    for case in exercise.cases:
        here = outcome_of(mistake, case)
        if here.error is not None and here.text:
            return cause(exercise, case, mistake.wrong, here.error) or case.why
    return None


@pytest.mark.parametrize(("exercise", "mistake"), MISTAKES)
def test_a_mistake_is_rejected_with_its_own_words(exercise: Exercise, mistake: Any) -> None:
    if is_kernel(exercise):
        why = why_of_kernel(exercise, mistake)
    else:
        report = said(exercise, mistake.wrong)
        why = report.failure.why if report.failure else repr(report)
    assert why, f"{exercise.name} accepts {mistake.says!r}"
    assert mistake.says in why.removeprefix("Either: ").split(" Or: ")


@pytest.mark.parametrize(
    "exercise", [exercise for exercise in BOOK if is_kernel(exercise)], ids=lambda e: e.name
)
def test_a_kernel_s_mistake_is_rejected_with_its_own_words(exercise: Exercise) -> None:
    """Each third of those that the first case finds; later cases take seconds for each."""
    first = exercise.cases[0]
    found = [mistake for mistake in exercise.mistakes if outcome_of(mistake, first).text]
    assert len(found) >= 3
    for mistake in found[::3]:
        why = why_of_kernel(exercise, mistake)
        assert why, f"{exercise.name} accepts {mistake.says!r}"
        assert mistake.says in why.removeprefix("Either: ").split(" Or: ")


@pytest.mark.parametrize(("exercise", "right"), RIGHT)
def test_a_right_solution_passes(exercise: Exercise, right: Any) -> None:
    report = said(exercise, right)
    assert report.ok, repr(report)


@pytest.mark.parametrize("exercise", BOOK, ids=lambda e: e.name)
def test_each_exercise_has_mistakes_and_a_right_solution(exercise: Exercise) -> None:
    assert exercise.finished is not None
    whole = exercise.label.startswith("ex-built")
    assert len(exercise.mistakes) >= (OF_A_WHOLE if whole else FEWEST)


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

"""The table: a row for each exercise of each submission, then the submission's total."""

from collections.abc import Iterator, Sequence
from typing import Any

from bookbuild.grading.edition import Chapter, Exercise
from bookbuild.grading.marks import Mark
from workbook import checks

Row = dict[str, Any]
COLUMNS = [
    "submission", "chapter", "exercise", "title", "optional",
    "points", "max", "passed", "of", "stopped", "said",
]  # fmt: skip
LONGEST = 160  # signs of what an answer said


def rows(name: str, chapter: Chapter, marks: Sequence[Mark]) -> Iterator[Row]:
    """The rows of one submission."""
    cases = {each.label: len(each.cases) for each in checks.exercises()}
    for mark in marks:
        exercise, outcome = mark.exercise, mark.outcome
        yield _safe(
            submission=name,
            chapter=chapter.number,
            exercise=exercise.label,
            title=exercise.title,
            optional=_kind(exercise),
            points="" if mark.points is None else f"{mark.points:g}",
            max=exercise.points or "",
            passed=outcome.passed,
            of=outcome.of or cases.get(exercise.label, ""),
            stopped=outcome.stopped,
            said=outcome.said,
        )
    known = [mark for mark in marks if mark.points is not None]
    yield _safe(
        submission=name,
        chapter=chapter.number,
        exercise="total",
        points=f"{round(sum(mark.points or 0 for mark in known), 1):g}",
        max=sum(mark.exercise.points for mark in known),
    )


def _kind(exercise: Exercise) -> str:
    if exercise.check.startswith("judge."):
        return "open task"
    return "optional" if exercise.optional else ""


def problem(name: str, why: str) -> Row:
    """The one row of a file that can't be graded."""
    return _safe(submission=name, exercise="total", points="0", stopped=why)


def _safe(**values: Any) -> Row:
    return {
        name: _text(value) if isinstance(value, str) else value for name, value in values.items()
    }


def _text(value: str) -> str:
    """A text of the learner's that no spreadsheet takes for a formula, and no terminal for more."""
    plain = "".join(sign if sign.isprintable() else " " for sign in value).strip()
    cut = plain if len(plain) <= LONGEST else f"{plain[: LONGEST - 1]}…"
    return f"'{cut}" if cut.startswith(("=", "+", "-", "@")) else cut

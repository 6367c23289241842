"""An exercise is written twice: in its chapter, and in ``workbook.checks``. They agree."""

from collections.abc import Iterator

from bookbuild.rules.exercises import Exercise, check_name, exercises
from bookbuild.rules.page import Page, Problem
from bookbuild.rules.signatures import unfinished
from workbook import checks
from workbook.checks.framework import Exercise as Registered


def agrees(page: Page) -> Iterator[Problem]:
    """The check that runs, the names and the hints that it prints are those of the chapter."""
    known = {exercise.label: exercise for exercise in checks.exercises()}
    written: set[str] = set()
    for exercise in exercises(page):
        label = exercise.spec.options.get("label", "")
        written.add(label)
        if label in known:
            yield from _compare(page, exercise, known[label])
        elif label:
            message = f"workbook.checks knows no exercise {label}; register it there"
            yield page.problem(message, exercise.at)
    for label, registered in known.items():
        if label.startswith(f"ex-{page.number}-") and label not in written:
            message = f"workbook.checks has {registered.title!r} ({label}), which isn't here"
            yield page.problem(message)


def _compare(page: Page, exercise: Exercise, registered: Registered) -> Iterator[Problem]:
    where = "workbook.checks"
    if exercise.spec.title != registered.title:
        yield page.problem(f"{where} calls this exercise {registered.title!r}", exercise.at)
    for at, hint in enumerate(exercise.hints[: len(registered.hints)]):
        if _flat(hint.body) != _flat(registered.hints[at]):
            message = f"hint {at + 1} differs from the one in {where}: {registered.hints[at]!r}"
            yield page.problem(message, exercise.at)
    if exercise.stub is not None:
        names = list(unfinished(page.cells[exercise.stub].source))
        if registered.stub not in names:
            message = f"{where} expects a stub called {registered.stub}, this cell has {names}"
            yield page.problem(message, exercise.stub)
    if exercise.check is not None:
        name = check_name(page.cells[exercise.check].source)
        if name is not None and not hasattr(checks.check, name):
            yield page.problem(f"there is no check.{name} in {where}", exercise.check)


def _flat(text: str) -> str:
    return " ".join(text.split())

"""Checks reject wrong implementations, each with a message of its own, and pass the right one."""

import runpy
from pathlib import Path
from typing import Any

import pytest

from workbook.checks import check, exercises

HERE = Path(__file__)
FILES = [runpy.run_path(str(p)) for p in sorted(HERE.parent.glob("*.py")) if p != HERE]
MUTANTS: list[tuple[str, str, Any, str]] = [m for file in FILES for m in file["MUTANTS"]]
FINISHED = {name: obj for file in FILES for name, obj in file["FINISHED"].items()}


@pytest.mark.parametrize(
    ("exercise", "name", "wrong", "fragment"), MUTANTS, ids=[f"{m[0]}-{m[1]}" for m in MUTANTS]
)
def test_a_mutant_is_rejected_with_its_message(
    exercise: str, name: str, wrong: Any, fragment: str
) -> None:
    report = getattr(check, exercise)(wrong)
    assert not report.ok, f"{exercise} accepts the mutant {name!r}"
    # The report is wrapped for reading; the fragment is not.
    assert fragment in " ".join(repr(report).split()), repr(report)


@pytest.mark.parametrize("exercise", sorted({m[0] for m in MUTANTS}))
def test_mutants_of_one_exercise_have_messages_of_their_own(exercise: str) -> None:
    mutants = [(name, wrong, fragment) for e, name, wrong, fragment in MUTANTS if e == exercise]
    for name, wrong, _ in mutants:
        said = " ".join(repr(getattr(check, exercise)(wrong)).split())
        others = [fragment for other, _, fragment in mutants if other != name]
        assert not [f for f in others if f in said], f"{name} also gets another mutant's message"


@pytest.mark.parametrize("exercise", [e.name for e in exercises()])
def test_each_exercise_has_mutants_and_a_right_implementation(exercise: str) -> None:
    assert len([m for m in MUTANTS if m[0] == exercise]) >= 3
    assert exercise in FINISHED


@pytest.mark.parametrize("exercise", sorted(FINISHED))
def test_the_right_implementation_passes(exercise: str) -> None:
    report = getattr(check, exercise)(FINISHED[exercise])
    assert report.ok, repr(report)

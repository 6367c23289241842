"""Which known mistake has the reader's outcomes?"""

from typing import Any

from workbook.checks.framework.cases import Case
from workbook.checks.framework.diagnosis.outcome import PASSED, Outcome, play
from workbook.checks.framework.exercise import Exercise
from workbook.checks.framework.mistake import Mistake

_outcomes: dict[tuple[Mistake, Case], Outcome] = {}


def outcome_of(mistake: Mistake, case: Case) -> Outcome:
    """What the mistake's solution does in this case; played once a session."""
    if (mistake, case) not in _outcomes:
        _outcomes[mistake, case] = play(case, mistake.wrong)
    return _outcomes[mistake, case]


def alike(exercise: Exercise, case: Case, reader: Any, here: Outcome) -> list[Mistake]:
    """The mistakes that have the reader's outcome ``here`` in this case.

    First those that pass the cases before it, as the reader did; only if there is none, others. Not
    for a kernel: its later cases take seconds, and a mistake shows in an early, small one.
    """
    before = exercise.cases[: exercise.cases.index(case)]
    fit = [m for m in exercise.mistakes if all(outcome_of(m, c).text == PASSED for c in before)]
    found = [m for m in fit if outcome_of(m, case).text == here.text]
    if found or hasattr(reader, "fn"):
        return found
    return [m for m in exercise.mistakes if outcome_of(m, case).text == here.text]


def exact(exercise: Exercise, case: Case, reader: Any, among: list[Mistake]) -> list[Mistake]:
    """Those ``among`` the mistakes that end as the reader does in every other case, too."""
    left = list(among)
    for other in exercise.cases:
        if other is case or not left:
            continue
        mine = play(other, reader)
        left = [m for m in left if outcome_of(m, other).text == mine.text]
    return left

"""Which known mistake has the reader's outcomes?"""

from typing import Any

from workbook.checks.framework.cases import Case
from workbook.checks.framework.diagnosis.outcome import PASSED, Outcome, play
from workbook.checks.framework.diagnosis.probes import asked
from workbook.checks.framework.exercise import Exercise
from workbook.checks.framework.mistake import Mistake

MOST = 3  # causes that one failure may name

_outcomes: dict[tuple[Mistake, Case], Outcome] = {}


def outcome_of(mistake: Mistake, case: Case) -> Outcome:
    """What the mistake's solution does in this case; played once a session."""
    if (mistake, case) not in _outcomes:
        _outcomes[mistake, case] = play(case, mistake.wrong)
    return _outcomes[mistake, case]


def alike(exercise: Exercise, case: Case, here: Outcome) -> list[Mistake]:
    """The mistakes that have the outcome ``here`` in this case and pass those before it.

    The reader passed them, so whatever fails earlier is not what the reader did.
    """
    every = [*exercise.cases, *asked(exercise)]
    before = every[: every.index(case)]
    fit = [m for m in exercise.mistakes if all(outcome_of(m, c).text == PASSED for c in before)]
    return [m for m in fit if outcome_of(m, case).text == here.text]


def exact(
    exercise: Exercise, case: Case, reader: Any, among: list[Mistake]
) -> tuple[list[Mistake], Case | None]:
    """Those ``among`` the mistakes that end as the reader does in all other cases and the probes.

    If none does, also the case in which the last of them differed.
    """
    left = list(among)
    itself = next((mistake for mistake in left if mistake.wrong is reader), None)
    for other in [*exercise.cases, *asked(exercise)]:
        if other is case or not left:
            continue
        mine = outcome_of(itself, other) if itself else play(other, reader)
        left = [m for m in left if outcome_of(m, other).text == mine.text]
        if not left:
            return [], other
    return left, None


def told(mistakes: list[Mistake]) -> str | None:
    """The words for mistakes that nothing tells apart; too many of them say nothing."""
    return either([mistake.says for mistake in mistakes])


def either(words: list[str]) -> str | None:
    """Each of these causes, said once; ``None`` of none or too many."""
    told = list(dict.fromkeys(words))
    if len(told) == 1:
        return told[0]
    return " Or: ".join(["Either: " + told[0], *told[1:]]) if 0 < len(told) <= MOST else None

"""Which known mistake has the reader's outcomes?"""

import copy
from typing import Any

from workbook.checks.framework.cases import Case, CheckFailed, shown
from workbook.checks.framework.diagnosis.outcome import PASSED, Outcome, play
from workbook.checks.framework.exercise import Exercise
from workbook.checks.framework.mistake import Mistake

MOST = 3  # causes that one failure may name

_outcomes: dict[tuple[Mistake, Case], Outcome] = {}
_asked: dict[Exercise, list[Case]] = {}


def outcome_of(mistake: Mistake, case: Case) -> Outcome:
    """What the mistake's solution does in this case; played once a session."""
    if (mistake, case) not in _outcomes:
        _outcomes[mistake, case] = play(case, mistake.wrong)
    return _outcomes[mistake, case]


def alike(exercise: Exercise, case: Case, here: Outcome) -> list[Mistake]:
    """The mistakes that have the outcome ``here`` in this case and pass those before it.

    The reader passed them, so whatever fails earlier is not what the reader did.
    """
    before = exercise.cases[: exercise.cases.index(case)]
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
    for other in [*exercise.cases, *_probes(exercise)]:
        if other is case or not left:
            continue
        mine = outcome_of(itself, other) if itself else play(other, reader)
        left = [m for m in left if outcome_of(m, other).text == mine.text]
        if not left:
            return [], other
    return left, None


def told(mistakes: list[Mistake]) -> str | None:
    """The words for mistakes that nothing tells apart; too many of them say nothing."""
    words = list(dict.fromkeys(mistake.says for mistake in mistakes))
    if len(words) > MOST:
        return None
    return words[0] if len(words) == 1 else " Or: ".join(["Either: " + words[0], *words[1:]])


def _probes(exercise: Exercise) -> list[Case]:
    """The calls that no case makes, as cases that end in the answer."""
    if exercise not in _asked:
        _asked[exercise] = [_asking(exercise, args) for args in exercise.probes]
    return _asked[exercise]


def _asking(exercise: Exercise, args: tuple[Any, ...]) -> Case:
    def body(function: Any) -> None:
        raise CheckFailed(shown(function(*copy.deepcopy(args))))

    call = f"{exercise.stub}({', '.join(shown(arg) for arg in args)})"
    return Case(call, call, "", "", body)

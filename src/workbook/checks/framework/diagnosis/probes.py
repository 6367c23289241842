"""The calls that no case makes, as cases: each compares one answer with the finished one's."""

import copy
from typing import Any

from workbook.checks.framework.cases import Case, CheckFailed, Outcome, shown
from workbook.checks.framework.diagnosis.kind import kind
from workbook.checks.framework.diagnosis.relation import equal
from workbook.checks.framework.exercise import Exercise
from workbook.checks.framework.source import raised_by_hand

_asked: dict[Exercise, list[Case]] = {}


def asked(exercise: Exercise) -> list[Case]:
    """A case for each probe of a function's exercise; made once, with the last case's law."""
    if exercise not in _asked:
        _asked[exercise] = [_case(exercise, args) for args in exercise.probes]
    return _asked[exercise]


def _case(exercise: Exercise, args: tuple[Any, ...]) -> Case:
    call = f"{exercise.stub}({', '.join(shown(arg) for arg in args)})"

    def body(function: Any) -> None:
        right, got = _outcome(exercise.finished, args), _outcome(function, args)
        if right.error is not None:
            if got.raised(type(right.error)):
                return
            raise CheckFailed(_told(got), tried=call, right=type(right.error).__name__)
        words = None if got.error else kind(got.value, right.value)
        if got.error is None and words is None and equal(got.value, right.value):
            return
        came = _told(got) if got.error else shown(got.value)
        raise CheckFailed(came, tried=call, right=shown(right.value), why=words)

    return Case(call, call, "", exercise.cases[-1].why, body)


def _told(got: Outcome) -> str:
    """What came. The words of a refusal are each reader's own, and two are alike without them."""
    by_hand = got.error is not None and raised_by_hand(got.error)
    return type(got.error).__name__ if by_hand else str(got)


def _outcome(function: Any, args: tuple[Any, ...]) -> Outcome:
    """How this call of the function ends; a branch that is still a stub is an error like others."""
    try:
        return Outcome(function(*copy.deepcopy(args)), None)
    except Exception as error:
        return Outcome(None, error)

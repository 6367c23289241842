"""What passed every case, looked at once more: on each call, is the answer of the right kind?"""

import copy
from typing import Any

from workbook.checks.framework.cases import Case, CheckFailed, attempt, shown
from workbook.checks.framework.diagnosis.calls import calls_of, right_calls
from workbook.checks.framework.diagnosis.kind import kind
from workbook.checks.framework.diagnosis.relation import equal
from workbook.checks.framework.exercise import Exercise
from workbook.checks.framework.limit import LOOP, NoEnd, no_end, time_limit


def second_look(exercise: Exercise, reader: Any) -> tuple[Case, CheckFailed] | None:
    """A case and what is wrong there with a function that passed, or ``None``.

    Compared with the finished one are the kinds of its answers in every case, and its answers to
    the probes, which no case asks; a probe's failure is told with the last case.
    """
    if exercise.takes != "function" or exercise.finished is None or hasattr(reader, "fn"):
        return None
    if exercise.any_form:
        return None
    for case in exercise.cases:
        mine, right = calls_of(case, reader, on_fuel=False), right_calls(exercise, case)
        for a, b in zip(mine, right, strict=False):
            if a.error or b.error:
                continue
            if words := kind(a.value, b.value):
                return case, CheckFailed(shown(a.value), right=shown(b.value), why=words)
    for args in exercise.probes:
        if failed := _probed(exercise, reader, args):
            return exercise.cases[-1], failed
    return None


def _probed(exercise: Exercise, reader: Any, args: tuple[Any, ...]) -> CheckFailed | None:
    right = exercise.finished(*copy.deepcopy(args))
    tried = f"{exercise.stub}({', '.join(shown(arg) for arg in args)})"
    try:
        with time_limit():
            got = attempt(reader, *copy.deepcopy(args))
    except NoEnd:
        return CheckFailed(no_end(), tried=tried, right=shown(right), why=LOOP)
    words = None if got.error else kind(got.value, right)
    if got.error is None and words is None and equal(got.value, right):
        return None
    came = str(got) if got.error else shown(got.value)
    return CheckFailed(came, tried=tried, right=shown(right), why=words)

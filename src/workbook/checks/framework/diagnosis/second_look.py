"""What passed every case, looked at once more: on each call, is the answer of the right kind?"""

from typing import Any

from workbook.checks.framework.cases import Case, CheckFailed, shown
from workbook.checks.framework.diagnosis.calls import calls_of, right_calls
from workbook.checks.framework.diagnosis.cause import cause
from workbook.checks.framework.diagnosis.kind import kind
from workbook.checks.framework.diagnosis.probes import asked
from workbook.checks.framework.exercise import Exercise
from workbook.checks.framework.limit import LOOP, NoEnd, no_end, time_limit

_SILENT = "An answer came back, and nothing is asked for: without a `return` it is None."


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
        if failed := _of_another_kind(exercise, case, reader):
            return case, failed
    for probe in asked(exercise):
        try:
            with time_limit():
                probe.body(reader)
        except NoEnd:
            return exercise.cases[-1], CheckFailed(no_end(), tried=probe.tried, why=LOOP)
        except CheckFailed as failed:
            failed.why = cause(exercise, probe, reader, failed) or failed.why
            return exercise.cases[-1], failed
    return None


def _of_another_kind(exercise: Exercise, case: Case, reader: Any) -> CheckFailed | None:
    mine, right = calls_of(case, reader, on_fuel=False), right_calls(exercise, case)
    for a, b in zip(mine, right, strict=False):
        if a.error or b.error:
            continue
        if words := kind(a.value, b.value):
            return CheckFailed(shown(a.value), right=shown(b.value), why=words)
        if not exercise.answers and a.value is not None:
            return CheckFailed(shown(a.value), right="None", why=_SILENT)
    return None

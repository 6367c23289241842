"""Run an exercise's cases on the reader's object. Whatever their code does, a report comes back."""

import inspect
from collections.abc import Callable, Sequence
from typing import Any

from workbook.checks.framework.cases import Case, CheckFailed, NotHere, Skipped, in_words
from workbook.checks.framework.diagnosis import cause, second_look
from workbook.checks.framework.exercise import Exercise
from workbook.checks.framework.limit import LOOP, NoEnd, no_end, time_limit
from workbook.checks.framework.report import Failure, Report
from workbook.checks.framework.source import line_in

Owned = tuple[Exercise, Case]
_LONGEST = 30  # seconds that the search for a cause may take


def run_cases(
    name: str,
    owned: Sequence[Owned],
    reader: Any,
    load_mistakes: Callable[[str], None],
    *,
    explain: bool = True,
) -> Report:
    """Try the cases in order, up to the first not passed; a reader's mistake never raises.

    Of a failure the cause is looked for, unless nobody will read it (``explain``); what passed
    every case is looked at a second time.
    """
    call = f"check.{name}({_name_of(reader, owned[-1][0].stub)})"
    titles = tuple(case.title for _, case in owned)
    if remark := _wrong_kind(name, owned[-1][0], reader):
        return Report(call, titles, 0, remark=remark)
    skipped: dict[int, str] = {}
    for passed, (exercise, case) in enumerate(owned):
        try:
            with time_limit():
                case.body(reader)
        except Skipped as missing:
            skipped[passed] = str(missing)
        except NotImplementedError:
            return Report(call, titles, passed, todo=True)
        except NotHere as missing:
            return Report(call, titles, passed, remark=str(missing), here=False)
        except KeyboardInterrupt as stop:
            remark = (
                f"Stopped by you in case {passed + 1}, {case.title!r}{line_in(stop, reader)}. "
                "If it would not end by itself, look for a loop whose condition never changes."
            )
            return Report(call, titles, passed, remark=remark)
        except (Exception, NoEnd) as error:
            why = _why(exercise, case, reader, error, load_mistakes) if explain else None
            failure = _failure(case, error, reader, why)
            return Report(call, titles, passed, failure=failure, skipped=skipped)
    for exercise in dict.fromkeys(exercise for exercise, _ in owned):
        load_mistakes(exercise.label)
        if found := second_look(exercise, reader):
            case, failed = found
            passed = [known for _, known in owned].index(case)
            return Report(call, titles, passed, failure=_failure(case, failed, reader, None))
    return Report(call, titles, len(owned), skipped=skipped)


def _why(
    exercise: Exercise, case: Case, reader: Any, error: BaseException, load: Callable[[str], None]
) -> str | None:
    """The cause of a failure; a reader who won't wait for it gets the case's own words."""
    try:
        load(exercise.label)
        with time_limit(_LONGEST):
            return cause(exercise, case, reader, error)
    except (KeyboardInterrupt, NoEnd):
        return None


def _failure(case: Case, error: BaseException, reader: Any, why: str | None) -> Failure:
    """The four things; ``why`` is the cause that was found, if any."""
    failed = error
    if isinstance(failed, NoEnd):
        failed = CheckFailed(no_end(error=failed) + line_in(error, reader), why=LOOP)
    elif not isinstance(failed, CheckFailed):
        failed = CheckFailed(in_words(error) + line_in(error, reader))
    return Failure(
        tried=failed.tried or case.tried,
        got=failed.got,
        right=failed.right or case.right,
        why=why or failed.why or case.why,
    )


def _name_of(reader: Any, stub: str) -> str:
    name = stub if isinstance(reader, str) else getattr(reader, "__name__", None)
    return name if isinstance(name, str) else "None" if reader is None else "…"


def _wrong_kind(name: str, exercise: Exercise, reader: Any) -> str | None:
    """A sentence for a call that no case could make sense of, or ``None``."""
    way_out = f"check.{name}({exercise.stub})"
    if reader is None:
        return f"None was passed. Run the cell that defines {exercise.stub}, then {way_out}."
    if exercise.takes == "class" and not inspect.isclass(reader):
        if callable(reader) and hasattr(reader, "__name__"):
            return f"{reader.__name__} is a function, and this check takes a class: {way_out}."
        kind = type(reader).__name__
        return f"An object of type {kind} was passed. Pass the class itself, uncalled: {way_out}."
    if exercise.takes == "text" and not isinstance(reader, str):
        kind = type(reader).__name__
        return f"An object of type {kind} was passed. Pass the text: {way_out}."
    if exercise.takes == "text or function" and not (isinstance(reader, str) or callable(reader)):
        kind = type(reader).__name__
        return f"An object of type {kind} was passed. Pass the text, or a function: {way_out}."
    if exercise.takes == "function":
        if inspect.isclass(reader):
            return f"{reader.__name__} is a class, and this check takes a function: {way_out}."
        if not callable(reader):
            kind = type(reader).__name__
            return f"An object of type {kind} was passed. Pass the function, uncalled: {way_out}."
    return None

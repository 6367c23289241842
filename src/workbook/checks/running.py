"""Run an exercise's cases on the reader's object. Whatever their code does, a report comes back."""

import inspect
import traceback
from collections.abc import Sequence
from typing import Any

from workbook.checks.core import Case, CheckFailed, Exercise, NotHere, in_words
from workbook.checks.report import Failure, Report


def run_cases(name: str, exercise: Exercise, cases: Sequence[Case], reader: Any) -> Report:
    """Try the cases in order, up to the first not passed; a reader's mistake never raises."""
    call = f"check.{name}({_name_of(reader)})"
    titles = tuple(case.title for case in cases)
    if remark := _wrong_kind(name, exercise, reader):
        return Report(call, titles, 0, remark=remark)
    for passed, case in enumerate(cases):
        try:
            case.body(reader)
        except NotImplementedError:
            return Report(call, titles, passed, todo=True)
        except NotHere as missing:
            return Report(call, titles, passed, remark=str(missing))
        except CheckFailed as failed:
            return Report(call, titles, passed, failure=_failure(case, failed))
        except KeyboardInterrupt as stop:
            remark = (
                f"Stopped by you in case {passed + 1}, {case.title!r}{line_in(stop, reader)}. "
                "If it would not end by itself, look for a loop whose condition never changes."
            )
            return Report(call, titles, passed, remark=remark)
        except Exception as error:
            crash = CheckFailed(in_words(error) + line_in(error, reader))
            return Report(call, titles, passed, failure=_failure(case, crash))
    return Report(call, titles, len(cases))


def _failure(case: Case, failed: CheckFailed) -> Failure:
    return Failure(
        tried=failed.tried or case.tried,
        got=failed.got,
        right=failed.right or case.right,
        why=failed.why or case.why,
    )


def _name_of(reader: Any) -> str:
    name = getattr(reader, "__name__", None)
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
    if exercise.takes == "function":
        if inspect.isclass(reader):
            return f"{reader.__name__} is a class, and this check takes a function: {way_out}."
        if not callable(reader):
            kind = type(reader).__name__
            return f"An object of type {kind} was passed. Pass the function, uncalled: {way_out}."
    return None


def line_in(error: BaseException, reader: Any) -> str:
    """`` (line 7 of your cell)`` for the error's last frame in the reader's code, else nothing."""
    files = _files_of(reader)
    lines = [f.lineno for f in traceback.extract_tb(error.__traceback__) if f.filename in files]
    return f" (line {lines[-1]} of your cell)" if lines else ""


def _files_of(reader: Any) -> set[str]:
    members = list(vars(reader).values()) if inspect.isclass(reader) else [reader]
    # A property, a classmethod, a staticmethod and a Triton kernel wrap the function with the code.
    inside = ("fget", "__func__", "fn")
    functions = [next((f for f in (getattr(m, n, None) for n in inside) if f), m) for m in members]
    codes = [getattr(inspect.unwrap(f), "__code__", None) for f in functions if callable(f)]
    return {code.co_filename for code in codes if code is not None}

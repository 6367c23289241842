"""The outcome of a case as a text, by which two solutions are told apart or found alike."""

import contextlib
import io
import re
from dataclasses import dataclass, field
from typing import Any

from workbook.checks.framework.cases import Case, CheckFailed, Skipped, in_words
from workbook.checks.framework.diagnosis.fuel import fuel
from workbook.checks.framework.limit import NoEnd
from workbook.checks.framework.source import files_of, raised_by_hand

PASSED = ""
_LINE = re.compile(r" \(line \d+ of your cell\)")
# What lies next to a tensor differs from run to run, and so does the first program that meets it.
_OUTSIDE = re.compile(r"program .* (reads|writes) .* outside .*(seen from \w+).*")
_FLOAT = re.compile(r"\d+\.\d{10,}(?:e[-+]?\d+)?")  # its last digits depend on the order of sums
_ERROR = re.compile(r"\w*(Error|OutsideMemory)\b")
# The words of a refusal are each reader's own; that it was refused, and what then held, is not.
_REFUSAL = re.compile(r"\b(BlockNotHeld|BlockPoolExhausted): .*?(?=; (?:num_free|refs) |$)")


@dataclass(frozen=True)
class Outcome:
    """What was tried and what came, empty when the case was passed."""

    text: str
    crash: bool = False  # it ended in an error: many causes share one
    error: BaseException | None = field(default=None, compare=False)  # what ended it


def of(error: BaseException | None) -> Outcome:
    """The outcome of a case that ended so; without line numbers, which are the cell's own."""
    if error is None or isinstance(error, Skipped):
        return Outcome(PASSED)
    if isinstance(error, CheckFailed):
        text = _LINE.sub("", f"{error.tried or ''}|{error.got}")
        text = _REFUSAL.sub(r"\1", _OUTSIDE.sub(r"\1 outside, \2", text))
        text = _FLOAT.sub(lambda found: f"{float(found[0]):.9g}", text)
        return Outcome(text, crash=bool(_ERROR.match(error.got)), error=error)
    if isinstance(error, NoEnd):
        return Outcome("|it never ends", error=error)
    if raised_by_hand(error):  # its words are each reader's own, too
        return Outcome(f"|{type(error).__name__}", crash=True, error=error)
    text = _REFUSAL.sub(r"\1", f"|{in_words(error)}").replace("float division", "division")
    return Outcome(text, crash=True, error=error)


def play(case: Case, solution: Any, *, on_fuel: bool = True) -> Outcome:
    """Run one case quietly, on fuel if it may not end; a kernel's lines can't be counted."""
    count = on_fuel and not hasattr(solution, "fn")
    try:
        limit = fuel(files_of(solution)) if count else contextlib.nullcontext()
        with contextlib.redirect_stdout(io.StringIO()), limit:
            case.body(solution)
    except (Exception, NoEnd) as error:
        return of(error)
    return of(None)

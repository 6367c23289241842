"""The cause of a failure, in the order that the package's first lines give."""

from collections.abc import Sequence
from typing import Any

from workbook.checks.framework.cases import Case, CheckFailed
from workbook.checks.framework.diagnosis import known, outcome
from workbook.checks.framework.diagnosis.as_if import as_if
from workbook.checks.framework.diagnosis.calls import Call, calls_of, right_calls
from workbook.checks.framework.diagnosis.error_words import error_words
from workbook.checks.framework.diagnosis.kind import kind, nothing, returned_error
from workbook.checks.framework.diagnosis.mutants import like
from workbook.checks.framework.diagnosis.relation import relation
from workbook.checks.framework.exercise import Exercise


def cause(exercise: Exercise, case: Case, reader: Any, error: BaseException) -> str | None:
    """The words for why this case failed; ``None`` when the case's own are the best there are."""
    here = outcome.of(error)
    alike = known.alike(exercise, case, here)
    certain, parted = alike, None
    if not _tells(reader, here) or len({mistake.says for mistake in alike}) > 1:
        certain, parted = known.exact(exercise, case, reader, alike)
    mine = calls_of(case, reader)
    if words := next((said for call in mine if (said := returned_error(call.value))), None):
        return words
    pairs = _answers(exercise, case, mine)
    for got, _, method in pairs:
        if got is None and not _may_be_none(exercise, method):
            return nothing(method)
    if certain and (words := known.told(certain)):
        return words
    if of_kind := next((words for got, right, _ in pairs if (words := kind(got, right))), None):
        return of_kind
    own = error.why if isinstance(error, CheckFailed) else None  # the case knows this very answer
    if words := _of_nobody_listed(exercise, case, reader, here, own):
        return words
    if words := as_if(exercise, reader):
        return f"{words} {case.why}"
    alone = len({mistake.says for mistake in alike}) == 1
    if parted and alone and not here.crash and (words := known.told(alike)) and words != own:
        differs = f"in the case “{parted.title}” yours ends otherwise"
        return f"{own or case.why} Perhaps it is this, though {differs}: {words}"
    return None if own else _related(pairs, case)


def _of_nobody_listed(
    exercise: Exercise, case: Case, reader: Any, here: outcome.Outcome, own: str | None
) -> str | None:
    """A small change of a right solution that ends alike in every case, else a library's words."""
    if words := like(exercise, case, reader, here):
        return f"{words} {own or case.why}"
    return None if own and here.crash else error_words(here.text.partition("|")[2])


def _related(pairs: Sequence[tuple[Any, Any, str]], case: Case) -> str | None:
    """How the last answer is related to the right one, and the law; ``None`` if none is seen."""
    found = relation(*pairs[-1][:2]) if pairs else None
    return f"{found} {case.why}" if found else None


def _tells(reader: Any, here: outcome.Outcome) -> bool:
    """Whether one case is enough to know a mistake again.

    A kernel's answers are many digits, and its crash says which pointer was followed; its later
    cases take seconds. NaN is NaN whatever made it, and a function's answer is one number.
    """
    return hasattr(reader, "fn") and "nan" not in here.text.lower()


def _may_be_none(exercise: Exercise, method: str) -> bool:
    """Whether the finished one ever answers None: as "there is none", or always."""
    answers = (call for case in exercise.cases for call in right_calls(exercise, case))
    return any(c.value is None and c.error is None for c in answers if c.method == method)


def _answers(exercise: Exercise, case: Case, mine: list[Call]) -> list[tuple[Any, Any, str]]:
    """The reader's answers, of ``mine``, and the right ones in pairs, with the method's name.

    The same case plays with both; where they part, by an error or another call, the list ends.
    """
    if exercise.finished is None or exercise.any_form:
        return []
    pairs: list[tuple[Any, Any, str]] = []
    for a, b in zip(mine, right_calls(exercise, case), strict=False):
        if a.method != b.method or a.error or b.error:
            break
        pairs.append((a.value, b.value, a.method))
    return pairs

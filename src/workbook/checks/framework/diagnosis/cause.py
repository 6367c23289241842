"""The cause of a failure, in the order that the package's first lines give."""

from typing import Any

from workbook.checks.framework.cases import Case, CheckFailed
from workbook.checks.framework.diagnosis import known, outcome
from workbook.checks.framework.diagnosis.calls import Call, calls_of, right_calls
from workbook.checks.framework.diagnosis.error_words import error_words
from workbook.checks.framework.diagnosis.kind import kind, nothing, returned_error
from workbook.checks.framework.diagnosis.relation import relation
from workbook.checks.framework.exercise import Exercise


def cause(exercise: Exercise, case: Case, reader: Any, error: Exception) -> str | None:
    """The words for why this case failed; ``None`` when the case's own are the best there are."""
    here = outcome.of(error)
    kernel = hasattr(reader, "fn")  # its crash says which program read where, and is as good
    alike = known.alike(exercise, case, reader, here)
    sure = len({mistake.says for mistake in alike}) == 1 and (kernel or not here.crash)
    exact = alike if sure else known.exact(exercise, case, reader, alike)
    mine = calls_of(case, reader)
    if words := next((said for call in mine if (said := returned_error(call.value))), None):
        return words
    pairs = _answers(exercise, case, mine)
    for got, _, method in pairs:
        if got is None and not _may_be_none(exercise, method):
            return nothing(method)
    if exact:
        return exact[0].says
    if of_kind := next((words for got, right, _ in pairs if (words := kind(got, right))), None):
        return of_kind
    own = isinstance(error, CheckFailed) and error.why  # the case knows this very answer
    if not (own and here.crash) and (words := error_words(here.text.partition("|")[2])):
        return words
    if not here.crash and len({mistake.says for mistake in alike}) == 1:
        return alike[0].says
    if own:
        return None
    found = relation(*pairs[-1][:2]) if pairs else None
    return f"{found} {case.why}" if found else None


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

"""The cause of a failure, in the order that the package's first lines give."""

from typing import Any

from workbook.checks.framework.cases import Case
from workbook.checks.framework.diagnosis import known, outcome
from workbook.checks.framework.exercise import Exercise


def cause(exercise: Exercise, case: Case, reader: Any, error: Exception) -> str | None:
    """The words for why this case failed; ``None`` when the case's own are the best there are."""
    here = outcome.of(error)
    alike = known.alike(exercise, case, here)
    texts = {mistake.says for mistake in alike}
    exact = alike
    if len(texts) > 1 or here.crash:
        exact = known.exact(exercise, case, reader, alike)
    if exact:
        return exact[0].says
    return None

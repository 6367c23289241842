"""What passed every case, looked at once more: on each call, is the answer of the right kind?"""

from typing import Any

from workbook.checks.framework.cases import Case, CheckFailed
from workbook.checks.framework.exercise import Exercise


def second_look(exercise: Exercise, reader: Any) -> tuple[Case, CheckFailed] | None:
    """A case and what is wrong there with a solution that passed, or ``None``."""
    return None

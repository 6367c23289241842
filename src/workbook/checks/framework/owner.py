"""Whose is it: what the reader wrote, or something of the book's?"""

import sys
from typing import Any

from workbook.checks.framework.exercise import Exercise

_BOOK = {"paged_attention", "workbook", "bookbuild"}


def is_learners(exercise: Exercise, answer: Any) -> bool:
    """Whether ``answer`` is what the learner wrote, and not something of the book's.

    A chapter also checks the book's solutions and its finished classes. The learner's own is what
    the stub's name stands for in the notebook, or at least named so, and from no module of the
    book.
    """
    if answer is None or _is_books(answer):
        return False
    named = getattr(answer, "__name__", None) == exercise.stub
    return named or getattr(sys.modules.get("__main__"), exercise.stub, None) is answer


def _is_books(answer: Any) -> bool:
    name, home = (str(getattr(answer, part, "")) for part in ("__name__", "__module__"))
    return home.split(".")[0] in _BOOK or name.lower().endswith("solution")

"""What an answer is worth: points for cases that pass, and none for what a stub can do."""

from typing import Any

from workbook.checks import check, exercises, load_mistakes
from workbook.checks.framework.calls import Checks
from workbook.checks.framework.limit import no_end
from workbook.checks.framework.registry import registry
from workbook.checks.framework.report import Report


def nobody_reads() -> None:
    """From now on checks of this kernel don't look for the cause of a failure, which takes time."""
    check.explain = False


def points(name: str, answer: Any, *, most: int, of_stub: int = 0) -> float:
    """The points of ``answer`` by a check that nobody has changed, at ``most`` those.

    ``of_stub`` is how many cases the untouched stub passes. A cell that ends in this call is one
    that nbgrader takes its points from.
    """
    exercises()  # registers them all
    fresh = Checks(registry, load_mistakes=load_mistakes, explain=False)
    report: Report = getattr(fresh, name)(answer)
    of = len(report.titles)
    return worth(most, report.passed, of, of_stub=of_stub, endless=is_endless(report))


def is_endless(report: Report) -> bool:
    """Whether the check stopped at what would never have ended."""
    return report.failure is not None and report.failure.got.startswith(no_end())


def worth(most: int, passed: int, of: int, *, of_stub: int, endless: bool) -> float:
    """``most`` shared out by cases, to a tenth; nothing for a loop without end, nor for a stub."""
    if of and passed == of:
        return float(most)
    if endless or passed <= of_stub:
        return 0.0
    return round(most * passed / of, 1)

"""Chapter 08's open task: a walk that takes less time than the engine's."""

from typing import Any

from workbook.checks.framework import NotHere, Rejected, open_task
from workbook.checks.framework.cases import CheckFailed


@open_task(
    "faster",
    label="open-08",
    title="Beat the finished walk",
    asks="a text like WALK, or a Python function of the same name where no compiler is.",
    unit="× its time",
    better="less",
    today=(1.8, "about what exercise 6's solution takes, on the authors' machine"),
    book=(1.0, "the finished walk, kernels/decode.cpp, whatever it takes on yours"),
    measured=True,
)
def faster(answer: Any) -> float:
    """Its time ÷ the finished walk's, warm, best of rounds in turns, two decimals."""
    from workbook.checks.ch08.walk import walk
    from workbook.walk.stopwatch import WARM, NotTimed, timed

    for case in walk.cases:
        try:
            case.body(answer)
        except NotImplementedError:
            raise Rejected("It is not implemented yet.") from None
        except NotHere as reason:
            raise Rejected(str(reason)) from None
        except CheckFailed as failed:
            raise Rejected(f"Its check fails at {case.title!r}: {failed.got}") from None
    try:
        (found,) = timed(answer, loads=[WARM])
    except NotTimed as reason:
        raise Rejected(str(reason)) from None
    return round(float(found["best"]["yours"] / found["best"]["finished"]), 2)

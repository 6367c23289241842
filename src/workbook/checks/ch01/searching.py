"""Chapter 01: room for a request in one run."""

from typing import Any

from workbook.checks.framework import attempt, exercise, expect, shown

first_fit = exercise(
    "first_fit",
    label="ex-01-3",
    title="First fit",
    stub="first_fit",
    takes="function",
    hints=(
        "A request lies in one run. Two runs that are long enough together are of no use to it.",
        "Return inside the loop as soon as a run is long enough, and `None` after it. Slot 0 is a "
        "place like any other, so never ask whether a start is true.",
    ),
)

first_fit.example(
    "six runs, and the third is long enough",
    [(3, 4), (15, 5), (25, 9), (40, 7), (50, 12), (70, 8)],
    6,
    right=25,
    why="The first run with at least 6 slots begins at slot 25.",
)
first_fit.example(
    "an exact fit at slot 0",
    [(0, 20), (40, 24)],
    20,
    right=0,
    why="The first run has exactly 20 slots, and it begins at slot 0.",
)
first_fit.example(
    "an exact fit in the last run",
    [(0, 20), (33, 2), (40, 24)],
    24,
    right=40,
    why="The last run has exactly 24 slots, and it begins at slot 40.",
)


@first_fit.case(
    "the list stays as it was",
    tried="runs = [(0, 6), (20, 20), (50, 24)]; first_fit(runs, 10)",
    right="runs is still [(0, 6), (20, 20), (50, 24)]",
    why="To find is not to take: the pool cuts the run itself, and would lose these slots twice.",
)
def _unchanged(function: Any) -> None:
    runs = [(0, 6), (20, 20), (50, 24)]
    function(runs, 10)
    expect(runs == [(0, 6), (20, 20), (50, 24)], got=f"runs is {shown(runs)}")


@first_fit.case(
    "44 free, and still no",
    tried="first_fit([(0, 20), (40, 24)], 28)",
    right="None",
    why="No single run has 28 slots. From either start, 28 tokens would overwrite somebody.",
)
def _refused(function: Any) -> None:
    outcome = attempt(function, [(0, 20), (40, 24)], 28)
    got = str(outcome) if outcome.error else shown(outcome.value)
    slip = isinstance(outcome.error, NameError)
    expect(
        outcome.error is None,
        got=got,
        why=None if slip else "A refusal is an everyday answer here: return None, don't raise.",
    )
    expect(outcome.value is None, got=got)


first_fit.example(
    "the first, not the tightest",
    [(12, 30), (50, 24), (80, 30)],
    24,
    right=12,
    why="First fit takes the first run that is long enough.",
)
first_fit.example("no run at all", [], 1, right=None, why="A full pool has no runs.")

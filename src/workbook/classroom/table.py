"""The board as text: a row a learner, a line an exercise, and what to explain next."""

import unicodedata

from workbook.classroom.board import Board, Standing, minutes_quiet

WIDEST = 20  # columns of a name
NOBODY = 'Nobody shares yet. A learner does it in a notebook: share_progress("Ada").'


def table(board: Board, now: float | None = None) -> str:
    """The whole board; ``now`` is the time in seconds since 1970."""
    if not board.learners:
        return NOBODY
    heads = [label.removeprefix("ex-") for label in board.labels]
    width = max([9, *(len(head) + 2 for head in heads)])
    rows = [" " * WIDEST + "".join(f"{head:>{width}}" for head in heads) + f"{'quiet':>9}"]
    for learner in board.learners:
        cells = [cell(learner.standings.get(label)) for label in board.labels]
        quiet = f"{minutes_quiet(learner, now)} min"
        name = _fitted(learner.name)
        rows.append(name + "".join(f"{text:>{width}}" for text in cells) + f"{quiet:>9}")
    rows += ["", *map(board.line, board.labels)]
    if stop := board.explain_next():
        of = f"it stops {stop.learners} of {len(board.learners)} in {stop.label}"
        rows += ["", f"Explain next: {stop.title!r}; {of}."]
    return "\n".join(rows)


def cell(standing: Standing | None) -> str:
    """``ok``, ``to do``, ``3/9 ×2`` after two checks, or a dot where nothing was checked."""
    if standing is None:
        return "·"
    if standing.done:
        return "ok"
    if standing.todo:
        return "to do"
    return f"{standing.passed}/{standing.of} ×{standing.tries}"


def _fitted(name: str) -> str:
    """The name in exactly ``WIDEST`` columns; some scripts take two for a sign, marks take none."""
    kept, width = "", 0
    for sign in name:
        wide = (
            0 if unicodedata.combining(sign) else 1 + (unicodedata.east_asian_width(sign) in "WF")
        )
        if width + wide > WIDEST - 1:
            break
        kept, width = kept + sign, width + wide
    return kept + " " * (WIDEST - width)

"""A clock for whoever teaches: the chapter's own minutes, shared out over its sections.

Minutes to read and run go to stretches of cells by their words and lines of code, in whole minutes
that add up to the chapter's; minutes of exercises are the exercises' own. A stretch ends where a
section or an exercise begins, or an exercise ends.
"""

import re
from collections.abc import Sequence
from typing import NamedTuple

from nbformat import NotebookNode

from bookbuild.book import BookError
from bookbuild.editions.parts import Task, tasks
from bookbuild.rules.opening import MINUTES
from bookbuild.rules.page import Page, tags

SECTION = re.compile(r"^## (.+)$", re.MULTILINE)
WORDS_A_LINE = 12  # a line of code takes as long as so many words
OPENING = "Opening"


class Mark(NamedTuple):
    """Before cell ``at`` the clock shows ``starts`` minutes; what begins there takes ``minutes``.

    ``task`` is the exercise that begins there, if one does; an optional one takes none of the
    chapter's minutes.
    """

    at: int
    starts: int
    minutes: int
    title: str
    task: Task | None = None


def marks(page: Page) -> list[Mark]:
    """Sections and exercises in order. The last mark's end is the chapter's own number of minutes.

    A section's minutes are those to read and run in all of it, whatever exercises it has.
    """
    found = MINUTES.search(page.cells[0].source) if page.cells else None
    if found is None:
        raise BookError(f"{page.name}: its first cell doesn't say how many minutes it takes")
    begins = _begins(page)
    ends = [*(at for at, _, _ in begins[1:]), len(page.cells)]
    spans = [(at, end) for (at, _, _), end in zip(begins, ends, strict=True)]
    weights = [sum(_weight(cell) for cell in page.cells[at:end]) for at, end in spans]
    reading = shares(int(found[2]), weights)
    return _on_a_clock(begins, reading)


def _begins(page: Page) -> list[tuple[int, str, Task | None]]:
    """Where a stretch begins: index of its cell, its section's title, its exercise."""
    spec = {task.where.at: task for task in tasks(page)}
    out: list[tuple[int, str, Task | None]] = [(0, OPENING, None)]
    for at, cell in enumerate(page.cells):
        if cell.cell_type == "markdown" and (titles := SECTION.findall(cell.source)):
            out.append((at, ", then ".join(titles), None))  # short sections share a cell
        if at in spec:
            out.append((at, spec[at].title, spec[at]))
    return out


def _on_a_clock(
    begins: Sequence[tuple[int, str, Task | None]], reading: Sequence[int]
) -> list[Mark]:
    """The reading below an exercise belongs to its section, and comes after it."""
    out: list[Mark] = []
    now, section = 0, 0
    for (at, title, task), minutes in zip(begins, reading, strict=True):
        if task is None:
            section = len(out)
            out.append(Mark(at, now, minutes, title))
            now += minutes
        else:
            own = 0 if task.where.optional else task.where.minutes
            out.append(Mark(at, now, own, title, task))
            out[section] = out[section]._replace(minutes=out[section].minutes + minutes)
            now += own + minutes
    return out


def _weight(cell: NotebookNode) -> float:
    """Words that take as long; a solution is for later, and folded code is looked at, if at all."""
    if cell.cell_type == "markdown":
        return len(cell.source.split())
    lines = len(cell.source.splitlines())
    if "solution" in tags(cell):
        return 0
    return WORDS_A_LINE * lines * (0.3 if "hide-input" in tags(cell) else 1)


def shares(minutes: int, weights: Sequence[float]) -> list[int]:
    """``minutes`` in whole numbers that add up, as near to the weights as can be."""
    total = sum(weights) or 1.0
    exact = [minutes * weight / total for weight in weights]
    out = [int(share) for share in exact]
    by_rest = sorted(range(len(out)), key=lambda i: (out[i] - exact[i], i))
    for i in by_rest[: minutes - sum(out)]:
        out[i] += 1
    return out


def shown(minutes: int) -> str:
    """``1:06``."""
    return f"{minutes // 60}:{minutes % 60:02d}"

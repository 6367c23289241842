"""The set for whoever teaches: all printed and open, a clock, and tables of wrong answers."""

import re
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from nbformat import NotebookNode
from nbformat.v4 import new_markdown_cell

from bookbuild.book import BookError, Chapter
from bookbuild.build import read_notebook, written
from bookbuild.dress import UNFOLDED, dressed
from bookbuild.editions.clock import Mark, marks, shown
from bookbuild.editions.folder import Files, page_files, readme
from bookbuild.editions.kept import known_rows
from bookbuild.editions.mistakes import Row, chosen, table
from bookbuild.editions.parts import Task, tasks
from bookbuild.rules.page import Page, tags
from bookbuild.sync import difference

TAG = "instructor"
FOLDED = re.compile(r"(\*\*Solution\*\*) \(folded[^)]*\)")
DROPDOWN = re.compile(r"^(:{3,}\{dropdown\}.*)$", re.MULTILINE)
CLASS = re.compile(r"^:class: *dropdown\n", re.MULTILINE)
STUCK = 3  # who hasn't begun after a third of an exercise's minutes opens the first hint
SPARE = 2  # minutes beyond which waiting for the last ones costs more than it gives

Rows = Callable[[str], list[Row]]


def instructor(book: Sequence[Chapter], root: Path) -> Files:
    """The set of these chapters. Takes minutes when the tables are made anew.

    Raises ``BookError`` for a chapter whose notebook isn't what its text gives.
    """
    files: Files = {}
    for chapter in book:
        notebook = teaching(chapter, book, lambda name: known_rows(name, root))
        files[f"{chapter.name}.ipynb"] = written(notebook)
        files |= page_files(chapter, notebook)
    return files | readme("instructor", book)


def teaching(chapter: Chapter, book: Sequence[Chapter], rows: Rows) -> NotebookNode:
    """A chapter's notebook for teaching; ``rows`` gives what is known of a check's name."""
    notebook = _executed(chapter, book)
    page = Page(chapter.name, chapter.number, notebook.cells)
    clock = marks(page)
    checks = {task.where.check: task for task in tasks(page)}
    out: list[NotebookNode] = []
    for at, cell in enumerate(page.cells):
        for number, mark in enumerate(clock):
            if mark.at == at:
                out.append(_note(f"c{chapter.number}-clock-{number}", _time(mark)))
        out.append(_opened(cell))
        if at in checks:
            out.append(_note(f"{cell.id}-wrong", _wrong(checks[at], rows)))
    end = sum(mark.minutes for mark in clock)
    out.append(
        _note(f"c{chapter.number}-clock-end", _box(end, "The end", "By the chapter's own count."))
    )
    notebook.cells = out
    return notebook


def _executed(chapter: Chapter, book: Sequence[Chapter]) -> NotebookNode:
    """The cells that the text gives, with links inside ``book`` and the outputs of the notebook."""
    if not chapter.notebook.exists():
        raise BookError(f"{chapter.name} has no notebook; make notebooks CHAPTERS={chapter.number}")
    ran = read_notebook(chapter.notebook)
    if (apart := difference(dressed(chapter), ran)) is not None:
        raise BookError(f"{chapter.name}: {apart}; make notebooks CHAPTERS={chapter.number}")
    notebook = dressed(chapter, book)
    before = {cell.id: cell for cell in ran.cells}
    for cell in notebook.cells:
        if cell.cell_type == "code":
            cell.outputs = before[cell.id].outputs
            cell.execution_count = before[cell.id].execution_count
    return notebook


def _note(name: str, words: str) -> NotebookNode:
    cell: NotebookNode = new_markdown_cell(words, id=name, metadata={"tags": [TAG]})
    return cell


def _time(mark: Mark) -> str:
    """A box whose title begins with the clock."""
    if mark.task is None:
        minutes = f"{mark.minutes} min" if mark.minutes else "Under a minute"
        return _box(mark.starts, mark.title, f"{minutes} to read and run.")
    own = mark.task.where.minutes
    optional = ", optional: not in the clock" if mark.task.where.optional else ""
    hint = max(1, own // STUCK)
    return _box(
        mark.starts,
        f"Exercise {mark.task.label.removeprefix('ex-')}, {mark.title}",
        f"{own} min{optional}. Stop at {own + SPARE}; who hasn't begun opens hint 1 at {hint} min.",
    )


def _box(minutes: int, title: str, words: str) -> str:
    return f":::{{admonition}} {shown(minutes)} · {title}\n:class: tip\n{words}\n:::"


def _wrong(task: Task, rows: Rows) -> str:
    found = rows(task.check)
    return table(chosen(found), len(found))


def _opened(cell: NotebookNode) -> NotebookNode:
    if cell.cell_type == "markdown":
        source = cell.source.replace(f"{UNFOLDED}\n\n", "").replace(UNFOLDED, "")
        source = CLASS.sub("", FOLDED.sub(r"\1", source))
        cell.source = DROPDOWN.sub(r"\1\n:open:", source)
        return cell
    kept = list(_not_folding(tags(cell)))
    cell.metadata.pop("jupyter", None)
    cell.metadata.pop("tags", None)
    if kept:
        cell.metadata["tags"] = kept
    return cell


def _not_folding(found: Sequence[str]) -> Iterator[str]:
    return (tag for tag in found if not tag.startswith("hide-"))

"""What a notebook has besides its chapter's text, for those who read it in JupyterLab.

Links to the chapters before and after it, at both ends; exercises that say their title in the
outline; solutions whose output is folded, too. Web pages have all of that of their own, and leave
these out.
"""

import re
from collections.abc import Sequence

from nbformat import NotebookNode
from nbformat.v4 import new_markdown_cell

from bookbuild.book import Chapter, chapters
from bookbuild.text import read_text

# A comment in MyST: JupyterLab hides it where jupyterlab-myst folds hints and solutions, and
# whatever doesn't know MyST shows it, together with all of them.
UNFOLDED = (
    "% If you can read this line, hints, answers and solutions stand open below: this viewer "
    "doesn't fold them. JupyterLab does after `make lab`, and so do the book's web pages."
)
FOLD = re.compile(r"^:{3,}\{(hint|dropdown|solution)\}|^:class: *dropdown", re.MULTILINE)
TITLE = re.compile(r"^# (\d+ · .+)$", re.MULTILINE)
EXERCISE = re.compile(
    r"^### Exercise\n(?=\n*:{3,}\{exercise\} *(?P<title>.+)\n+:label: *ex-\d+-(?P<number>\d+)$)",
    re.MULTILINE,
)


def dressed(chapter: Chapter, among: Sequence[Chapter] | None = None) -> NotebookNode:
    """The cells of the chapter's notebook: those of its text, dressed; without outputs.

    Neighbours are the ones ``among`` these chapters; without it, in the book. Raises ``BookError``
    as ``read_text`` does.
    """
    notebook = read_text(chapter)
    folds = any(FOLD.search(cell.source) for cell in notebook.cells)
    for cell in notebook.cells:
        if cell.cell_type == "markdown":
            cell.source = EXERCISE.sub(_titled, cell.source)
        elif "solution" in cell.metadata.get("tags", []):
            cell.metadata["jupyter"] = cell.metadata.get("jupyter", {}) | {"outputs_hidden": True}
    way = _way(chapter, among or chapters(chapter.text.parents[2]))
    if notebook.cells:
        below_the_title = "\n\n".join(filter(None, [UNFOLDED if folds else "", way]))
        _put_below_the_title(notebook.cells[0], below_the_title)
    if way:
        notebook.cells.append(_end(chapter, way))
    return notebook


def _put_below_the_title(cell: NotebookNode, words: str) -> None:
    found = TITLE.search(cell.source)
    if found and words:
        cell.source = f"{cell.source[: found.end()]}\n\n{words}{cell.source[found.end() :]}"


def _titled(found: re.Match[str]) -> str:
    return f"### Exercise {found['number']} · {found['title'].strip()}\n"


def _end(chapter: Chapter, way: str) -> NotebookNode:
    """A cell after the last one, which web pages leave out: they have a way on of their own."""
    cell: NotebookNode = new_markdown_cell(way, metadata={"tags": ["remove-cell"]})
    cell["id"] = f"c{chapter.number}-end"
    return cell


def _way(chapter: Chapter, book: Sequence[Chapter]) -> str:
    """Links to the neighbours; a chapter without any has none."""
    at = [each.number for each in book].index(chapter.number)
    links = []
    if at > 0:
        links.append(f"[← {_title(book[at - 1])}]({book[at - 1].name}.ipynb)")
    if at + 1 < len(book):
        links.append(f"[{_title(book[at + 1])} →]({book[at + 1].name}.ipynb)")
    return " | ".join(links)


def _title(chapter: Chapter) -> str:
    found = TITLE.search(chapter.text.read_text(encoding="utf-8"))
    return found[1] if found else chapter.name

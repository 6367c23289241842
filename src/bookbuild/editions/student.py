"""The set for learners: nothing printed yet, and solutions in files beside the notebooks.

Stored outputs would answer the predictions. Where later cells need names of a solution, a line runs
its file in the learner's own namespace: so every notebook runs from top to bottom, whatever a
learner has solved.
"""

import re
from collections.abc import Sequence

from nbformat import NotebookNode
from nbformat.v4 import new_code_cell, new_markdown_cell

from bookbuild.book import BookError, Chapter
from bookbuild.build import written
from bookbuild.dress import dressed
from bookbuild.editions.folder import ORIGINALS, SOLUTIONS, Files, page_files, readme
from bookbuild.editions.names import undefined
from bookbuild.editions.parts import Part, parts
from bookbuild.rules.page import Page

FOLDED = re.compile(r"^\*\*Solution\*\* \(folded[^)]*\)$", re.MULTILINE)
YOURS = "# Your way."


def student(book: Sequence[Chapter]) -> Files:
    """The set of these chapters. Raises ``BookError`` where a cell would lack a name."""
    files: Files = {}
    for chapter in book:
        notebook, solutions = open_notebook(chapter, book)
        content = written(notebook)
        files[f"{chapter.name}.ipynb"] = files[f"{ORIGINALS}/{chapter.name}.ipynb"] = content
        for part in solutions:
            files[_file(part)] = part.source.encode()
        files |= page_files(chapter, notebook)
    return files | readme("student", book)


def open_notebook(chapter: Chapter, book: Sequence[Chapter]) -> tuple[NotebookNode, list[Part]]:
    """A chapter's notebook for learners, and what was taken out of it. Links stay in ``book``."""
    notebook = dressed(chapter, book)
    page = Page(chapter.name, chapter.number, notebook.cells)
    taken = parts(page)
    out: list[NotebookNode] = []
    by_cell = {part.at: part for part in taken}
    for at, cell in enumerate(notebook.cells):
        if (part := by_cell.get(at)) is None:
            out.append(cell)
            continue
        _point_to(part, out, cell.id)
        if part.needed:
            out.append(_run(part, cell.id))
    _refuse_lost_names(page, out, taken)
    notebook.cells = out
    return notebook, taken


def _file(part: Part) -> str:
    return f"{SOLUTIONS}/{part.name}.py"


def _point_to(part: Part, out: list[NotebookNode], above: str) -> None:
    """Say above the place of a part where it is now; an answer's place gets a cell to write in."""
    link = f"[`{_file(part)}`]({_file(part)})"
    if part.kind == "answer":
        out.append(new_code_cell(YOURS, id=f"{above}-yours"))
    elif FOLDED.search(out[-1].source):
        out[-1].source = FOLDED.sub(f"**Solution**, to compare: {link}", out[-1].source)
        return
    word = "One way" if part.kind == "answer" else "**Solution**, to compare"
    out.append(new_markdown_cell(f"{word}: {link}", id=f"{above}-where"))


def _run(part: Part, instead_of: str) -> NotebookNode:
    *others, last = part.needed
    names = f"{', '.join(others)} and {last}" if others else last
    source = (
        f"# The book's {names}, so that you can go on with or without your own.\n"
        f"%run -i {_file(part)}"
    )
    cell: NotebookNode = new_code_cell(source, id=f"{instead_of}-run")
    return cell


def _refuse_lost_names(page: Page, out: Sequence[NotebookNode], taken: Sequence[Part]) -> None:
    """A proof without running anything: whatever had a name in the chapter has it here, too."""
    run = {f"%run -i {_file(part)}": part.source for part in taken}
    left = [_as_run(cell.source, run) for cell in out if cell.cell_type == "code"]
    before = {name for _, name in undefined(cell.source for _, cell in page.code())}
    lost = {name for _, name in undefined(left)} - before
    if lost:
        raise BookError(f"{page.name}: in the student edition nothing defines {sorted(lost)}")


def _as_run(source: str, run: dict[str, str]) -> str:
    return run.get(source.rpartition("\n")[2], source)

"""From a chapter's text to the cells of its notebook, with ids that follow from their content."""

import hashlib
import re
from collections import Counter

from nbformat import NotebookNode

from bookbuild.book import BookError, Chapter

try:
    import jupytext
except ModuleNotFoundError as error:  # readers are spared what only texts need
    raise BookError(
        "jupytext isn't installed, so the book's texts can't be read: `make dev` installs it, "
        'or `python -m pip install --constraint constraints.txt --editable ".[dev]"`'
    ) from error

KEPT_CELL_METADATA = {"tags", "jupyter", "reason"}
KEPT_NOTEBOOK_METADATA = {"kernelspec", "title"}
FRONT = re.compile(r"---\n(.*?\n)---\n", re.DOTALL)
RUNS = re.compile(r"^runs-in-browser *:(.*)$", re.MULTILINE)
KERNEL = {"display_name": "Python 3 (ipykernel)", "language": "python", "name": "python3"}


def read_text(chapter: Chapter) -> NotebookNode:
    """The chapter's notebook as its text gives it: no outputs, ids set, metadata filtered.

    Raises ``BookError`` when a cell carries an option that the notebook would not keep.
    """
    notebook: NotebookNode = jupytext.reads(chapter.text.read_text(encoding="utf-8"), fmt="md:myst")
    for at, cell in enumerate(notebook.cells, start=1):
        unknown = sorted(set(cell.metadata) - KEPT_CELL_METADATA)
        if unknown:
            raise BookError(
                f"{chapter.text.name}, cell {at}: the option {', '.join(unknown)} would be lost; "
                f"cells of the book have {', '.join(sorted(KEPT_CELL_METADATA))}"
            )
    _set_ids(notebook, chapter.number)
    kept = {key: notebook.metadata[key] for key in KEPT_NOTEBOOK_METADATA & set(notebook.metadata)}
    notebook.metadata = NotebookNode(
        {"kernelspec": NotebookNode(KERNEL), **kept, "language_info": NotebookNode(name="python")}
    )
    notebook.nbformat, notebook.nbformat_minor = 4, 5
    return notebook


def runs_in_browser(chapter: Chapter) -> bool:
    """Whether the front matter says ``runs-in-browser: true``: the chapter's page can run it.

    Raises ``BookError`` when it says anything but true or false.
    """
    front = FRONT.match(chapter.text.read_text(encoding="utf-8"))
    mark = RUNS.search(front[1]) if front else None
    said = mark[1].strip() if mark else "false"
    if said not in ("true", "false"):
        raise BookError(
            f"{chapter.text.name}: runs-in-browser is true or is left out, got {said!r}"
        )
    return said == "true"


def _set_ids(notebook: NotebookNode, number: str) -> None:
    """Name each cell after its chapter and content, so that an id only changes with its own cell.

    Cells that say the same get an ordinal. Ids are unique in the whole book: MyST needs that.
    """
    seen: Counter[str] = Counter()
    for cell in notebook.cells:
        content = f"{cell.cell_type}\0{cell.source}".encode()
        name = f"c{number}-{hashlib.sha256(content).hexdigest()[:10]}"
        seen[name] += 1
        cell["id"] = name if seen[name] == 1 else f"{name}-{seen[name]}"

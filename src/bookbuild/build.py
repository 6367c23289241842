"""Make the notebooks: execute what changed, keep what didn't, and never leave a half-made file."""

import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Literal, NamedTuple

import nbformat
from nbformat import NotebookNode

from bookbuild.book import BookError, Chapter
from bookbuild.dress import dressed
from bookbuild.execute import execute
from bookbuild.outputs import keep_old, tidy
from bookbuild.sync import difference

AT_ONCE = 2


class Outcome(NamedTuple):
    """How one chapter ended; ``problem`` is the story of a failure."""

    chapter: Chapter
    word: Literal["up to date", "only words changed", "built", "built, unchanged", "FAILED"]
    seconds: float
    problem: str = ""


def read_notebook(path: Path) -> NotebookNode:
    """A notebook from disk; ``BookError`` when it isn't one."""
    try:
        notebook: NotebookNode = nbformat.read(path, as_version=4)
    except Exception as error:
        raise BookError(f"{path.name} is not a notebook ({error}); build it again") from error
    return notebook


def build(chapter: Chapter, root: Path, *, force: bool = False) -> Outcome:
    """Write one chapter's notebook if its text says something new (or ``force``).

    It is executed unless only words changed. A failing cell leaves the old notebook as it was.
    """
    started = time.perf_counter()
    try:
        word = _build(chapter, root, force)
    except BookError as error:
        return Outcome(chapter, "FAILED", time.perf_counter() - started, str(error))
    return Outcome(chapter, word, time.perf_counter() - started)


def _build(
    chapter: Chapter, root: Path, force: bool
) -> Literal["up to date", "only words changed", "built", "built, unchanged"]:
    notebook = dressed(chapter)
    old = read_notebook(chapter.notebook) if chapter.notebook.exists() else None
    if old is not None and not force:
        if difference(notebook, old) is None:
            return "up to date"
        if _same_code(notebook, old):
            _take_outputs(notebook, old)
            _write(notebook, chapter.notebook)
            return "only words changed"
    wanted = notebook.metadata.copy()
    execute(notebook, chapter.notebook.parent, chapter.name)
    notebook.metadata = wanted
    for cell in notebook.cells:
        if cell.cell_type == "code":
            cell.metadata.pop("execution", None)
            tidy(cell.outputs, root)
    if old is not None:
        keep_old(notebook, old)
    return "built" if _write(notebook, chapter.notebook) else "built, unchanged"


def _code(notebook: NotebookNode) -> list[NotebookNode]:
    return [cell for cell in notebook.cells if cell.cell_type == "code"]


def _same_code(new: NotebookNode, old: NotebookNode) -> bool:
    """Whether the same cells run in the same order; how they fold is a matter of looks."""
    runs = [
        [(cell.source, cell.metadata.get("tags")) for cell in _code(notebook)]
        for notebook in (new, old)
    ]
    return runs[0] == runs[1]


def _take_outputs(new: NotebookNode, old: NotebookNode) -> None:
    for cell, before in zip(_code(new), _code(old), strict=True):
        cell.outputs, cell.execution_count = before.outputs, before.execution_count


def written(notebook: NotebookNode) -> bytes:
    """The notebook as its file has it; raises nbformat's error when it isn't a valid one."""
    nbformat.validate(notebook)
    text: str = nbformat.writes(notebook, version=4)
    return (text.rstrip("\n") + "\n").encode()


def _write(notebook: NotebookNode, path: Path) -> bool:
    """Write whole or not at all; tells whether the bytes changed."""
    content = written(notebook)
    if path.exists() and path.read_bytes() == content:
        return False
    part = path.with_suffix(".ipynb.part")
    part.write_bytes(content)
    part.replace(path)
    return True


def build_all(chapters: Sequence[Chapter], root: Path, *, force: bool = False) -> list[Outcome]:
    """Build the chapters, two at once, with a line as each one ends."""
    with ThreadPoolExecutor(AT_ONCE) as pool:
        running = [pool.submit(build, chapter, root, force=force) for chapter in chapters]
        outcomes = []
        for future in running:
            outcome = future.result()
            print(
                f"{outcome.chapter.name:<36} {outcome.word} ({outcome.seconds:.1f} s)", flush=True
            )
            if outcome.problem:
                print(f"\n{outcome.problem}", flush=True)
            outcomes.append(outcome)
    return outcomes

"""Learners' notebooks, made from an edition as learners make theirs: by filling cells in."""

import json
import re
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from bookbuild.grading.edition import Chapter, read_edition

Notebook = dict[str, Any]


def right_answers(chapter: Chapter) -> dict[str, str]:
    """The book's solution of each exercise under the stub's name, by the exercise's label."""
    found = {}
    for exercise in chapter.exercises:
        cells = [cell for cell in chapter.cells if exercise.solution in cell.binds]
        found[exercise.label] = re.sub(rf"\b{exercise.solution}\b", exercise.stub, cells[0].source)
    return found


def filled(edition: Path, chapter: Chapter, answers: Mapping[str, str]) -> Notebook:
    """The chapter's notebook with these answers in the places of their stubs."""
    notebook: Notebook = json.loads((edition / f"{chapter.name}.ipynb").read_text("utf-8"))
    by_stub = {each.given.raw: answers.get(each.label) for each in chapter.exercises}
    for cell in notebook["cells"]:
        if answer := by_stub.get("".join(cell["source"])):
            cell["source"] = answer
    return notebook


def code(source: str, **metadata: Any) -> Notebook:
    """A cell that a learner added."""
    return {"cell_type": "code", "source": source, "metadata": metadata, "outputs": []}


def cell_of(notebook: Notebook, start: str) -> int:
    """The first cell that begins so."""
    sources = ["".join(cell["source"]) for cell in notebook["cells"]]
    return next(at for at, source in enumerate(sources) if source.startswith(start))


def points(rows: Mapping[str, Mapping[str, Any]]) -> list[str]:
    """The points of each exercise, then the total."""
    return [row["points"] for row in rows.values()]


def hand_in(notebook: Notebook | str, path: Path) -> Path:
    """Save a notebook, or whatever it is."""
    path.parent.mkdir(parents=True, exist_ok=True)
    text = notebook if isinstance(notebook, str) else json.dumps(notebook)
    path.write_text(text, encoding="utf-8")
    return path


def all_right(edition: Path, folder: Path, keep: Callable[[Chapter], bool]) -> None:
    """Hand in every chapter that ``keep`` wants, solved by the book."""
    for chapter in read_edition(edition):
        if keep(chapter):
            notebook = filled(edition, chapter, right_answers(chapter))
            hand_in(notebook, folder / f"{chapter.name}.ipynb")

"""A learner's notebook: which chapter it is, what in it is the learner's own, and the answers."""

import os
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from bookbuild.grading.cells import Cell, code_cells, read_cells
from bookbuild.grading.edition import STEM, Chapter, Exercise

JUDGED = re.compile(r"\bjudge\.(\w+)\(\s*(\w+)\s*\)")


@dataclass(frozen=True)
class Submission:
    """One notebook of a learner; ``name`` is its path below what was handed to the grader."""

    name: str
    chapter: Chapter
    cells: tuple[Cell, ...]
    folder: Path = Path()

    @cached_property
    def own(self) -> frozenset[int]:
        """Indices of cells that the edition doesn't have: new ones, and changed ones."""
        known = {cell.raw.strip() for cell in self.chapter.cells}
        return frozenset(at for at, cell in enumerate(self.cells) if cell.raw.strip() not in known)

    @cached_property
    def answers(self) -> dict[str, int | None]:
        """Index of the cell that answers, by the exercise's label; ``None`` where none does."""
        return {each.label: self._answer(each) for each in self.chapter.exercises}

    def _answer(self, exercise: Exercise) -> int | None:
        """The last cell that defines the name. One that says something goes before a stub, and one
        that is Python before one that isn't: neither a stub that was copied below an answer nor a
        half-typed copy takes it away.
        """
        found = [at for at, cell in enumerate(self.cells) if exercise.stub in cell.binds]
        written = [at for at in found if self.cells[at].shape != exercise.given.shape]
        python = [at for at in written if self.cells[at].names is not None]
        return next((some[-1] for some in (python, written, found) if some), None)

    @cached_property
    def judged(self) -> dict[str, tuple[str, int]]:
        """By the name of an open task: what the learner gave its judge last, and the cell that
        defines it. A call that gives something of the book's is none.
        """
        found = {}
        for at in sorted(self.own):
            for judge, name in JUDGED.findall(self.cells[at].source):
                cells = [own for own in sorted(self.own) if name in self.cells[own].binds]
                if judge in self.chapter.judges and cells:
                    found[judge] = (name, cells[-1])
        return found

    def is_stub(self, exercise: Exercise) -> bool:
        """Whether the exercise has been left as the edition gives it."""
        at = self.answers[exercise.label]
        return at is not None and self.cells[at].shape == exercise.given.shape


def read_submission(path: Path, name: str, edition: Sequence[Chapter]) -> Submission | None:
    """The notebook as a submission of the chapter that it is most like; ``None`` if of none.

    Raises ``Unreadable`` for a file that is no notebook.
    """
    cells = tuple(code_cells(read_cells(path)))
    likeness = [(_alike(cells, chapter), _named(path, chapter), chapter) for chapter in edition]
    alike, named, chapter = max(likeness, key=lambda each: each[:2])
    return Submission(name, chapter, cells, path.parent) if alike or named else None


def _alike(cells: Sequence[Cell], chapter: Chapter) -> int:
    """How many cells it shares with the chapter, and how many names of its exercises it defines."""
    known = {cell.raw.strip() for cell in chapter.cells}
    shared = sum(cell.raw.strip() in known for cell in cells)
    defined = {name for cell in cells for name in cell.binds}
    return shared + sum(exercise.stub in defined for exercise in chapter.exercises)


def _named(path: Path, chapter: Chapter) -> bool:
    found = STEM.match(path.stem)
    return found is not None and found["number"] == chapter.number


def notebooks(given: Sequence[Path]) -> Iterator[tuple[str, Path]]:
    """Name and path of every notebook that was handed in: files, and all below folders.

    Left out are hidden files and folders, where Jupyter keeps its own copies, and folders that are
    links, which may lead round in a circle.
    """
    for root in given:
        if not root.is_dir():
            yield root.name, root
            continue
        for folder, inner, files in os.walk(root):
            inner[:] = sorted(each for each in inner if not each.startswith("."))
            for file in sorted(files):
                if file.endswith(".ipynb") and not file.startswith("."):
                    path = Path(folder, file)
                    yield path.relative_to(root).as_posix(), path

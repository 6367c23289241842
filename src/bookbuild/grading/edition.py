"""What there is to grade: the exercises of an edition, with the cells that answers lean on."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from bookbuild.book import BookError
from bookbuild.editions.parts import checked, without_checks
from bookbuild.grading.cells import RUN, Cell, code_cells, read_cells, text_of
from bookbuild.rules.directives import directives
from bookbuild.rules.exercises import EFFORT
from bookbuild.rules.signatures import solution_name, unfinished
from workbook.checks import open_tasks

STEM = re.compile(r"(?P<number>\d\d)_[a-z0-9_]+")


@dataclass(frozen=True)
class Exercise:
    """One exercise. ``points`` are its minutes; ``above`` is how many of the chapter's ``cells``
    stand above its check; ``solution`` is the name of the book's answer.
    """

    label: str
    title: str
    points: int
    optional: bool
    check: str
    stub: str
    given: Cell  # the stub as the edition gives it
    solution: str
    above: int


@dataclass(frozen=True)
class Chapter:
    """A chapter of the edition: its code cells with the book's solutions in their places."""

    name: str
    number: str
    cells: tuple[Cell, ...]
    exercises: tuple[Exercise, ...]
    judges: tuple[str, ...]  # names of its open tasks

    def open_task(self, judge: str, answer: str) -> Exercise:
        """An open task as if it were an exercise without points, answered by that name."""
        (task,) = (each for each in open_tasks() if each.name == judge)
        words = (task.label, task.title, 0, True, f"judge.{judge}", answer)
        return Exercise(*words, Cell(""), "", len(self.cells))

    @property
    def modules(self) -> Iterator[str]:
        """What its cells import, by the module's name."""
        for cell in self.cells:
            yield from re.findall(r"^(?:from|import) ([\w.]+)", cell.source, re.MULTILINE)


def read_edition(where: Path) -> list[Chapter]:
    """The chapters of an edition: a folder of notebooks, or one notebook.

    The book's own folder of notebooks will do as well. Raises ``BookError`` where there is nothing
    to grade.
    """
    paths = [where] if where.suffix == ".ipynb" else sorted(where.glob("*.ipynb"))
    newest: dict[str, Path] = {}
    for path in paths:  # of a chapter's editions the last correction counts
        if match := STEM.match(path.stem):
            newest[match["number"]] = max(newest.get(match["number"], path), path, key=_version)
    found = [_chapter(path, number) for number, path in sorted(newest.items())]
    if not any(chapter.exercises for chapter in found):
        raise BookError(f"{where} has no chapters with exercises; name the folder of an edition")
    return found


def _version(path: Path) -> tuple[str, str]:
    """Corrections by their day and time, which stand in the name; the first edition before all."""
    found = re.search(r"corrected (?:(\d{4}-\d\d-\d\d) )?(\d\d\.\d\d)", path.stem)
    return (found[1] or "", found[2]) if found else ("", "")


def _chapter(path: Path, number: str) -> Chapter:
    cells: list[Cell] = []
    exercises: list[Exercise] = []
    spec: dict[str, Any] | None = None
    given: Cell | None = None
    for raw in read_cells(path):
        if raw.get("cell_type") == "markdown":
            spec = _spec(text_of(raw)) or spec
            continue
        for cell in code_cells([raw]):
            cells += _with_solution(cell, path.parent)
            if spec and "stub" in cell.tags:
                given = cell
            elif spec and given and "check" in cell.tags:
                exercises.append(_exercise(path, spec, given, cell, len(cells) - 1))
                cells += _solution_file(path.parent, exercises[-1].label)
                spec = given = None
    judges = re.findall(r"^judge\.(\w+)$", "\n".join(cell.source for cell in cells), re.MULTILINE)
    return Chapter(path.stem, number, tuple(cells), tuple(exercises), tuple(judges))


def _spec(text: str) -> dict[str, Any] | None:
    """The last exercise that a markdown cell sets."""
    found = [each for each in directives(text) if each.name == "exercise"]
    if not found:
        return None
    effort = EFFORT.fullmatch(found[-1].body.split("\n", 1)[0].strip())
    return {
        "label": found[-1].options.get("label", ""),
        "title": found[-1].title,
        "points": int(effort[1]) if effort else 0,
        "optional": bool(effort and effort["optional"]),
    }


def _exercise(path: Path, spec: dict[str, Any], given: Cell, check: Cell, above: int) -> Exercise:
    name, stub = checked(check.source)
    asked = unfinished(given.source)
    if stub not in asked:
        raise BookError(f"{path.name}: the check of {spec['label']} takes {stub}, no stub has it")
    return Exercise(
        **spec, check=name, stub=stub, given=given, solution=solution_name(asked[stub]), above=above
    )


def _with_solution(cell: Cell, folder: Path) -> list[Cell]:
    """The cell; a solution without its check, and a line that runs a solution as that."""
    if "solution" in cell.tags or "answer" in cell.tags:
        return [Cell(without_checks(cell.raw), cell.id, cell.tags)]
    return [*(part for name in RUN.findall(cell.raw) for part in _file(folder, name)), cell]


def _solution_file(folder: Path, label: str) -> list[Cell]:
    """The solution right below its exercise, even if no cell of the edition runs it."""
    return _file(folder, label)


def _file(folder: Path, name: str) -> list[Cell]:
    path = folder / "solutions" / f"{name}.py"
    return [Cell(path.read_text(encoding="utf-8"))] if path.is_file() else []

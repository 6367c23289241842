"""The student edition as a course of nbgrader: an assignment a chapter, with points by its checks.

A stub becomes a solution cell, a check the test below it, with partial credit. nbgrader runs a
learner's notebook whole and from top to bottom, so what is broken in it can cost more than itself;
``bookbuild grade`` doesn't, and needs no export.
"""

import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from nbformat import NotebookNode

from bookbuild.book import Chapter
from bookbuild.build import written
from bookbuild.editions.folder import Files, lay, page_files, readme
from bookbuild.editions.student import YOURS, open_notebook, student
from bookbuild.grading.edition import Exercise, read_edition
from bookbuild.grading.limits import Limits
from bookbuild.grading.marks import Marker
from bookbuild.grading.processes import Processes

CONFIG = """\
# nbgrader reads this in the folder where you run it.
from nbgrader import preprocessors as each

c = get_config()
c.CourseDirectory.course_id = "paged_attention"
c.ExecutePreprocessor.timeout = 120  # seconds of a cell
# As nbgrader has them, without ClearSolutions: stubs are stubs already, and it would empty every
# solution cell that has no marks of its own.
c.GenerateAssignment.preprocessors = [
    each.IncludeHeaderFooter,
    each.LockCells,
    each.ClearOutput,
    each.CheckCellMetadata,
    each.ComputeChecksums,
    each.SaveCells,
    each.ClearHiddenTests,
    each.ClearMarkScheme,
    each.ComputeChecksums,
    each.CheckCellMetadata,
]
"""
HIDDEN = """\
### BEGIN HIDDEN TESTS
from workbook.classroom.points import nobody_reads, points

nobody_reads()
### END HIDDEN TESTS
{check}
### BEGIN HIDDEN TESTS
points("{name}", {stub}, most={most}, of_stub={of_stub})
### END HIDDEN TESTS"""


def course(book: Sequence[Chapter]) -> Files:
    """A course's folder with these chapters as its assignments."""
    files: Files = {"nbgrader_config.py": CONFIG.encode()} | readme("nbgrader", book)
    given = {exercise.given.id: (exercise, passes) for exercise, passes in _exercises(book)}
    for chapter in book:
        notebook, parts = open_notebook(chapter, [chapter])
        _mark(notebook, given)
        folder = f"source/{chapter.name}"
        files[f"{folder}/{chapter.name}.ipynb"] = written(notebook)
        for part in parts:
            files[f"{folder}/solutions/{part.name}.py"] = part.source.encode()
        linked = page_files(chapter, notebook)
        files |= {f"{folder}/{name}": content for name, content in linked.items()}
    return files


def _exercises(book: Sequence[Chapter]) -> Iterator[tuple[Exercise, int]]:
    """Each exercise, and how many cases its stub passes."""
    marker = Marker(Processes(Limits()))
    with tempfile.TemporaryDirectory() as folder:
        lay(student(book), Path(folder))
        for chapter in read_edition(Path(folder)):
            for exercise in chapter.exercises:
                yield exercise, marker.of_stub(chapter, exercise)


def _mark(notebook: NotebookNode, given: dict[str, tuple[Exercise, int]]) -> None:
    """Tell nbgrader what each cell is. What nobody has to change is locked."""
    asked: tuple[Exercise, int] | None = None
    for cell in notebook.cells:
        if cell.cell_type != "code":
            continue
        if cell.id in given:
            asked = given[cell.id]
            cell.metadata["nbgrader"] = _role(cell, solution=True, locked=False)
        elif asked and "check" in cell.metadata.get("tags", []):
            exercise, of_stub = asked
            cell.source = HIDDEN.format(
                check=cell.source,
                name=exercise.check,
                stub=exercise.stub,
                most=exercise.points,
                of_stub=of_stub,
            )
            cell.metadata["nbgrader"] = _role(cell, grade=True, points=exercise.points)
            asked = None
        elif not _is_written_in(cell):
            cell.metadata["nbgrader"] = _role(cell)


def _role(cell: NotebookNode, **what: Any) -> dict[str, Any]:
    usual = {"grade": False, "solution": False, "task": False, "locked": True}
    return {"schema_version": 3, "grade_id": cell.id, **usual, **what}


def _is_written_in(cell: NotebookNode) -> bool:
    """Whether learners write in it without being graded: a guess, or a *Try it*."""
    return cell.source.startswith(YOURS) or "guess = None" in cell.source

"""A whole class: a CSV, row by row, and what is not in it."""

import contextlib
import csv
import io
import os
import sys
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TextIO

from bookbuild.book import BookError
from bookbuild.grading.cells import Unreadable
from bookbuild.grading.edition import Chapter, read_edition
from bookbuild.grading.limits import Limits
from bookbuild.grading.marks import Marker
from bookbuild.grading.processes import Processes
from bookbuild.grading.submission import Submission, notebooks, read_submission
from bookbuild.grading.table import COLUMNS, Row, problem, rows
from workbook.checks import modules_of


def grade_all(
    edition_folder: Path, given: Sequence[Path], out: Path | None, limits: Limits, jobs: int
) -> None:
    """Grade the notebooks in ``given``; the table goes to ``out`` or is printed.

    Raises ``BookError`` where there is nothing to grade, or ``out`` can't be written.
    """
    edition = read_edition(edition_folder)
    found = [read(name, path, edition) for name, path in notebooks(given)]
    if not found:
        raise BookError("no notebooks there: name a notebook, or a folder with some")
    _say("This is no sandbox: what learners wrote runs here, with your rights.")
    with _opened(out) as file:
        table = csv.DictWriter(file, COLUMNS, restval="", lineterminator="\n")
        table.writeheader()
        for some in graded(found, limits, jobs):
            table.writerows(some)
            file.flush()
    _say(_not_graded(_chapters(found)))


def graded(found: Sequence[Submission | Row], limits: Limits, jobs: int = 2) -> Iterator[list[Row]]:
    """The rows of each submission, in the order given, as they come; a row alone stays as it is."""
    # Two answers with as many threads each as there are cores would wait for one another.
    os.environ.setdefault("OMP_NUM_THREADS", "1")
    marker = Marker(Processes(limits, list(_preload(_chapters(found)))))

    def one(each: Submission | Row) -> list[Row]:
        if not isinstance(each, Submission):
            return [each]
        return list(rows(each.name, each.chapter, list(marker.marks(each))))

    pool = ThreadPoolExecutor(jobs)
    try:
        for number, some in enumerate(pool.map(one, found), 1):
            total = some[-1]
            _say(f"{number} of {len(found)}: {total['submission']}, {total['points']} points")
            yield some
    finally:  # after Ctrl-C nobody waits for what is under way
        pool.shutdown(wait=False, cancel_futures=True)
        marker.processes.stop()


def _preload(chapters: Sequence[Chapter]) -> Iterator[str]:
    """What costs time to import and is the same for whoever imports it.

    Triton isn't: a chapter says before it is imported how it shall run, and mistakes with kernels
    import it.
    """
    for chapter in chapters:
        modules = {module.split(".")[0] for module in chapter.modules}
        triton = "workbook.triton_or_stub" in chapter.modules
        yield from sorted(modules & {"torch", "numpy"})
        yield from modules_of(chapter.number, mistakes=not triton)


def read(name: str, path: Path, edition: Sequence[Chapter]) -> Submission | Row:
    """The submission, or the row that says why it is none."""
    try:
        submission = read_submission(path, name, edition)
    except Unreadable as why:
        return problem(name, str(why))
    return submission or problem(name, "it is like no chapter of the edition")


def _chapters(found: Sequence[Submission | Row]) -> list[Chapter]:
    chapters = {each.chapter.number: each.chapter for each in found if isinstance(each, Submission)}
    return [chapters[number] for number in sorted(chapters)]


def _not_graded(chapters: Sequence[Chapter]) -> str:
    names = ", ".join(f"judge.{name}" for chapter in chapters for name in chapter.judges)
    return (
        "Not graded: predictions, questions, and what stands under Try it. Open tasks have a score "
        f"and no points, where a learner has asked the judge ({names or 'none here'}). "
        "An answer that is word for word the book's gets its points: the book is public."
    )


@contextlib.contextmanager
def _opened(out: Path | None) -> Iterator[TextIO]:
    """The file, which is there when the table is whole; or stdout."""
    if out is None:
        if isinstance(sys.stdout, io.TextIOWrapper):
            sys.stdout.reconfigure(encoding="utf-8")
        yield sys.stdout
        return
    part = out.with_name(f"{out.name}.part")
    try:
        with part.open("w", encoding="utf-8", newline="") as file:
            yield file
        part.replace(out)
    except OSError as error:
        raise BookError(f"{out} can't be written: {error.strerror}") from error
    finally:
        part.unlink(missing_ok=True)


def _say(line: str) -> None:
    print(line, file=sys.stderr, flush=True)

"""Chapter 2's student edition, graded by one set of processes for all tests of a worker."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from helpers.submissions import Notebook, filled, hand_in, right_answers

from bookbuild.book import ROOT, chapters
from bookbuild.editions.folder import lay
from bookbuild.editions.student import student
from bookbuild.grading.batch import graded, read
from bookbuild.grading.edition import Chapter, read_edition
from bookbuild.grading.limits import Limits

# Tests of what takes too much don't wait for what real answers may take.
LIMITS = Limits(cell=1, wall=30, memory=700_000_000)

Grade = Callable[..., dict[str, dict[str, Any]]]


@pytest.fixture(scope="session")
def edition(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder: Path = tmp_path_factory.mktemp("edition")
    lay(student(chapters(ROOT, ["02"])), folder)
    return folder


@pytest.fixture(scope="session")
def chapter(edition: Path) -> Chapter:
    (only,) = read_edition(edition)
    return only


@pytest.fixture
def right(chapter: Chapter) -> dict[str, str]:
    return right_answers(chapter)


@pytest.fixture
def fill(edition: Path, chapter: Chapter) -> Callable[[dict[str, str]], Notebook]:
    return lambda answers: filled(edition, chapter, answers)


@pytest.fixture
def grade(edition: Path, tmp_path: Path) -> Grade:
    """Grade a notebook; its rows by exercise."""

    def grade(
        notebook: Notebook | str, name: str = "ada/02.ipynb", limits: Limits = LIMITS
    ) -> dict[str, dict[str, Any]]:
        path = hand_in(notebook, tmp_path / name)
        (rows,) = graded([read(name, path, read_edition(edition))], limits)
        return {row["exercise"]: row for row in rows}

    return grade

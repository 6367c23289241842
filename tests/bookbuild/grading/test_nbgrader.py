"""The export for nbgrader: its metadata always, and nbgrader itself where it is installed."""

import csv
import importlib.util
import json
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from helpers.submissions import filled, hand_in

from bookbuild.__main__ import main
from bookbuild.grading.edition import Chapter

pytestmark = pytest.mark.xdist_group("grading")  # one process to fork from

NAME = "02_the_block_allocator"


@pytest.fixture(scope="module")
def course(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder: Path = tmp_path_factory.mktemp("course") / "new"
    assert main(["edition", "nbgrader", "--out", str(folder), "02"]) == 0
    return folder


@pytest.fixture(scope="module")
def cells(course: Path) -> list[dict[str, Any]]:
    notebook = course / "source" / NAME / f"{NAME}.ipynb"
    found: list[dict[str, Any]] = json.loads(notebook.read_text("utf-8"))["cells"]
    return found


def roles(cells: list[dict[str, Any]]) -> list[dict[str, Any]]:
    return [cell["metadata"]["nbgrader"] for cell in cells if "nbgrader" in cell["metadata"]]


def test_each_exercise_is_a_solution_and_a_test_worth_its_minutes(
    cells: list[dict[str, Any]],
) -> None:
    found = roles(cells)
    assert [role["points"] for role in found if role["grade"]] == [8, 4, 6, 14, 8]
    assert sum(role["solution"] for role in found) == 5
    assert all(role["locked"] != role["solution"] for role in found)
    names = [role["grade_id"] for role in found]
    assert len(names) == len(set(names))


def test_guesses_and_try_its_stay_open(cells: list[dict[str, Any]]) -> None:
    free = [
        "".join(cell["source"])
        for cell in cells
        if cell["cell_type"] == "code" and "nbgrader" not in cell["metadata"]
    ]
    assert "# Your way." in free
    assert len([source for source in free if "guess = None" in source]) == len(free) - 1


def test_what_a_stub_passes_is_written_into_its_test(cells: list[dict[str, Any]]) -> None:
    tests = ["".join(cell["source"]) for cell in cells if "BEGIN HIDDEN" in str(cell["source"])]
    shown = re.sub(r"(?ms)^### BEGIN HIDDEN.*?^### END HIDDEN TESTS$", "", tests[0]).strip()
    assert shown == "check.allocate_release(MyAllocator)"
    assert 'points("allocate_release", MyAllocator, most=8, of_stub=1)' in tests[0]
    assert 'points("audit", audit, most=14, of_stub=0)' in tests[3]


def test_the_solutions_lie_where_the_notebook_runs_them(course: Path) -> None:
    there = sorted(path.name for path in (course / "source" / NAME / "solutions").iterdir())
    assert there == [*(f"ex-02-{n}.py" for n in range(1, 6)), "try-02-1.py"]
    config = (course / "nbgrader_config.py").read_text()
    compile(config, "nbgrader_config.py", "exec")
    assert "each.ClearSolutions" not in config
    assert "generate_assignment" in (course / "README.md").read_text()


@pytest.mark.slow
@pytest.mark.skipif(not importlib.util.find_spec("nbgrader"), reason="nbgrader isn't installed")
def test_nbgrader_gives_the_points(course: Path, chapter: Chapter, right: dict[str, str]) -> None:
    def nbgrader(*words: str) -> None:
        line = [sys.executable, "-m", "nbgrader", *words]
        subprocess.run(line, cwd=course, check=True, capture_output=True, text=True)

    nbgrader("generate_assignment", NAME)
    answers = {"right": right, "untouched": {}, "half": {"ex-02-3": right["ex-02-3"]}}
    for learner, given in answers.items():
        notebook = filled(course / "release" / NAME, chapter, given)
        folder = course / "submitted" / learner / NAME
        hand_in(notebook, folder / f"{NAME}.ipynb")
        nbgrader("autograde", NAME, "--student", learner)
    nbgrader("export")
    with (course / "grades.csv").open() as file:
        scores = {row["student_id"]: float(row["score"]) for row in csv.DictReader(file)}
    assert scores == {"right": 40, "untouched": 0, "half": 6}

"""nbval on a built notebook: measured numbers may differ, nothing else may."""

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import nbformat
import pytest

from bookbuild.book import Chapter
from bookbuild.build import build, read_notebook
from bookbuild.outputs import MASKS


def rerun(chapter: Chapter) -> subprocess.CompletedProcess[str]:
    """Execute the notebook again as `make nbval` does."""
    nbval = ["--nbval", "--nbval-current-env", f"--nbval-sanitize-with={MASKS}"]
    pytest_line = [sys.executable, "-m", "pytest", *nbval, "-p", "no:cacheprovider"]
    return subprocess.run(
        [*pytest_line, str(chapter.notebook)],
        cwd=chapter.notebook.parent,
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.fixture
def built(root: Path, write: Callable[..., Chapter]) -> Chapter:
    chapter = write()
    assert build(chapter, root).word == "built"
    return chapter


def test_a_built_notebook_passes_and_a_wrong_output_fails(built: Chapter) -> None:
    assert "3 passed" in rerun(built).stdout
    notebook = read_notebook(built.notebook)
    notebook.cells[3].outputs[0].text = "⏱ 99.9 ms for 41\n"
    nbformat.write(notebook, built.notebook)
    result = rerun(built)
    assert "1 failed, 2 passed" in result.stdout


def test_colours_of_a_check_are_neither_stored_nor_compared(
    root: Path, write: Callable[..., Chapter]
) -> None:
    body = "from workbook.checks.framework.report import Report\nReport('check.f(f)', ('one',), %s)"
    chapter = write(f"# T\n\n```{{code-cell}} ipython3\n{body % 1}\n```\n")
    build(chapter, root)
    shown = read_notebook(chapter.notebook).cells[1].outputs[0].data["text/plain"]
    assert "  passed  1  one\n" in shown
    assert "1 passed" in rerun(chapter).stdout
    notebook = read_notebook(chapter.notebook)
    notebook.cells[1].source = body % 0
    nbformat.write(notebook, chapter.notebook)
    assert "1 failed" in rerun(chapter).stdout

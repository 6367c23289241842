"""nbval on a built notebook: measured numbers may differ, nothing else may."""

import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import nbformat

from bookbuild.book import Chapter
from bookbuild.build import build, read_notebook
from bookbuild.outputs import MASKS


def rerun(*notebooks: Path) -> str:
    """What pytest says after it executed the notebooks again as `make nbval` does."""
    nbval = ["--nbval", "--nbval-current-env", f"--nbval-sanitize-with={MASKS}", "-rA"]
    alone = ["-p", "no:cacheprovider", "-p", "no:xdist", "-p", "no:hypothesispytest"]
    done = subprocess.run(
        [sys.executable, "-m", "pytest", *nbval, *alone, *map(str, notebooks)],
        cwd=notebooks[0].parent,
        capture_output=True,
        text=True,
        check=False,
    )
    return done.stdout


def spoilt(notebook: Path, change: Callable[[Any], None]) -> Path:
    """A copy beside the notebook that ``change`` was called with."""
    wrong = read_notebook(notebook)
    change(wrong)
    copy = notebook.with_stem(f"{notebook.stem}_wrong")
    nbformat.write(wrong, copy)
    return copy


def test_measured_numbers_and_colours_may_differ_and_nothing_else(
    root: Path, write: Callable[..., Chapter]
) -> None:
    numbers = write()
    assert build(numbers, root).word == "built"

    def another_number(notebook: Any) -> None:
        notebook.cells[3].outputs[0].text = "⏱ 99.9 ms for 41\n"

    body = "from workbook.checks.framework.report import Report\nReport('check.f(f)', ('one',), %s)"
    colours = write(f"# T\n\n```{{code-cell}} ipython3\n{body % 1}\n```\n", "03_colours")
    build(colours, root)
    shown = read_notebook(colours.notebook).cells[1].outputs[0].data["text/plain"]
    assert "  passed  1  one\n" in shown  # stored without colours

    def another_report(notebook: Any) -> None:
        notebook.cells[1].source = body % 0

    said = rerun(
        numbers.notebook,
        spoilt(numbers.notebook, another_number),
        colours.notebook,
        spoilt(colours.notebook, another_report),
    )
    assert "2 failed, 6 passed" in said, said
    failed = sorted(re.findall(r"^FAILED \S*?(\w+\.ipynb::Cell \d+)", said, re.MULTILINE))
    assert failed == ["02_sample_wrong.ipynb::Cell 1", "03_colours_wrong.ipynb::Cell 0"]

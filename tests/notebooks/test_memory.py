"""What a chapter keeps at its end: a class of thirty sits on one machine, each with a kernel.

Slow, since each notebook is executed. Counted is what a kernel alone holds and has written: the
model's file is mapped, and its pages are everybody's.
"""

import re
from pathlib import Path
from typing import Any

import nbformat
import pytest
from nbformat.v4 import new_code_cell

from bookbuild.book import chapters
from bookbuild.execute import execute

CHAPTERS = [
    pytest.param(chapter, id=chapter.number) for chapter in chapters(Path(__file__).parents[2])
]
MOST = 350  # MB, so that 30 learners and their servers fit into 24 GB
PROBE = 'print(__import__("pathlib").Path("/proc/self/smaps_rollup").read_text())'


def private_megabytes(smaps: str) -> float:
    """Dirty pages of one process's own, in memory or swapped out."""
    found = re.findall(r"^(?:Private_Dirty|Swap): +(\d+) kB$", smaps, re.MULTILINE)
    assert len(found) == 2, smaps
    return sum(map(int, found)) / 1000


@pytest.mark.slow
@pytest.mark.skipif(not Path("/proc/self/smaps_rollup").exists(), reason="only Linux tells")
@pytest.mark.parametrize("chapter", CHAPTERS)
def test_a_chapter_gives_back_what_it_took(chapter: Any) -> None:
    notebook = nbformat.read(chapter.notebook, as_version=4)
    notebook.cells.append(new_code_cell(PROBE))
    execute(notebook, chapter.notebook.parent, chapter.name)
    kept = private_megabytes(notebook.cells[-1].outputs[0].text)
    assert kept < MOST, f"chapter {chapter.number} keeps {kept:.0f} MB: give back what it measured"

"""What a chapter keeps at its end: a class of thirty sits on one machine, each with a kernel.

Slow, since each notebook is executed. ``helpers/memory.py`` says what is counted.
"""

from pathlib import Path
from typing import Any

import nbformat
import pytest
from helpers.memory import SMAPS, kept

from bookbuild.book import chapters

CHAPTERS = [
    pytest.param(chapter, id=chapter.number) for chapter in chapters(Path(__file__).parents[2])
]
MOST = 350  # MB, so that 30 learners and their servers fit into 24 GB


@pytest.mark.slow
@pytest.mark.skipif(not SMAPS.exists(), reason="only Linux tells")
@pytest.mark.parametrize("chapter", CHAPTERS)
def test_a_chapter_gives_back_what_it_took(chapter: Any) -> None:
    end = kept(nbformat.read(chapter.notebook, as_version=4), chapter)["end"]
    assert end < MOST, f"chapter {chapter.number} keeps {end:.0f} MB: give back what it measured"

"""Chapters that run in a page say there what is stored, without what a browser lacks."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from bookbuild.book import ROOT, Chapter
from bookbuild.web.browser import cells_of, chapters_that_run

RUN = Path(__file__).with_name("run_chapter.py")


@pytest.mark.parametrize("chapter", chapters_that_run(ROOT), ids=lambda chapter: chapter.name)
def test_every_cell_says_what_is_stored(chapter: Chapter, tmp_path: Path) -> None:
    cells = tmp_path / "cells.json"
    cells.write_text(json.dumps(cells_of(chapter)), encoding="utf-8")
    made = subprocess.run(
        [sys.executable, str(RUN), str(cells)], capture_output=True, encoding="utf-8", check=False
    )
    assert made.returncode == 0, made.stderr
    assert json.loads(made.stdout) == {}

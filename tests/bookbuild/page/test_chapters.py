"""Chapters that run in a page say there what is stored, without what a browser lacks."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from bookbuild.book import ROOT, Chapter
from bookbuild.web.browser import chapters_that_run

RUN = Path(__file__).with_name("run_chapter.py")


@pytest.mark.parametrize("chapter", chapters_that_run(ROOT), ids=lambda chapter: chapter.name)
def test_every_cell_says_what_is_stored(chapter: Chapter) -> None:
    made = subprocess.run(
        [sys.executable, str(RUN), str(chapter.notebook)],
        capture_output=True,
        encoding="utf-8",
        check=False,
    )
    assert made.returncode == 0, made.stderr
    assert json.loads(made.stdout) == {}

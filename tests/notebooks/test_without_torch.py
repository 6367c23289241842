"""Chapters that a page can run by itself: which cells need no torch, and what the others are."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from bookbuild.book import Chapter, chapters
from bookbuild.rules.page import tags
from bookbuild.text import read_text

TESTS = Path(__file__).parents[1]
BOOK = {chapter.number: chapter for chapter in chapters(TESTS.parent)}
BARE = ("00", "01", "02", "05")


def cells(chapter: Chapter) -> list[Any]:
    return [cell for cell in read_text(chapter).cells if cell.cell_type == "code"]


@pytest.fixture(scope="module")
def raised() -> dict[str, list[str]]:
    """What each code cell raises where torch, numpy, matplotlib and IPython are missing."""
    asked = {number: [cell.source for cell in cells(BOOK[number])] for number in BARE}
    done = subprocess.run(
        [sys.executable, "-m", "helpers.bare"],
        input=json.dumps(asked),
        capture_output=True,
        text=True,
        check=True,
        cwd=TESTS,
    )
    answer: dict[str, list[str]] = json.loads(done.stdout)
    return answer


@pytest.mark.parametrize("number", BARE)
def test_a_cell_runs_without_torch_unless_it_says_that_it_cannot(
    number: str, raised: dict[str, list[str]]
) -> None:
    wrong = []
    for cell, error in zip(cells(BOOK[number]), raised[number], strict=True):
        first = cell.source.split("\n", 1)[0]
        if "raises-exception" in tags(cell):
            continue
        if error and "needs-torch" not in tags(cell):
            wrong.append(f"{first!r} raises {error}: tag it needs-torch, or spare it torch")
        if not error and "needs-torch" in tags(cell):
            wrong.append(f"{first!r} runs without torch: take its tag needs-torch away")
    assert not wrong, "\n".join(wrong)


@pytest.mark.parametrize("number", ["01", "02", "05"])
def test_every_exercise_of_these_chapters_needs_no_torch(number: str) -> None:
    mine = {"stub", "check", "solution"}
    assert not [c for c in cells(BOOK[number]) if mine & set(tags(c)) and "needs-torch" in tags(c)]

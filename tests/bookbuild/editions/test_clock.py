"""Whoever teaches has the chapter's own minutes on the clock, no more and no fewer."""

import re

import pytest
from helpers.chapter_pages import each_chapter, page_of
from hypothesis import given
from hypothesis import strategies as st

from bookbuild.book import BookError, Chapter
from bookbuild.editions.clock import marks, shares, shown
from bookbuild.rules.opening import MINUTES
from bookbuild.rules.page import Page

pytestmark = pytest.mark.xdist_group("editions")


@given(st.integers(0, 200), st.lists(st.integers(0, 500), min_size=1, max_size=20))
def test_shares_add_up_and_are_as_near_as_whole_numbers_can_be(
    minutes: int, weights: list[int]
) -> None:
    parts = shares(minutes, weights)
    total = sum(weights)
    if total:
        assert sum(parts) == minutes
        exact = [minutes * weight / total for weight in weights]
        assert all(abs(part - share) < 1 + 1e-9 for part, share in zip(parts, exact, strict=True))


@each_chapter
def test_each_chapters_clock_agrees_with_its_first_cell(chapter: Chapter) -> None:
    page = page_of(chapter)
    total, reading, practice = map(int, MINUTES.search(page.cells[0].source).groups()[:3])
    clock = marks(page)
    assert sum(mark.minutes for mark in clock if mark.task is None) == reading
    assert sum(mark.minutes for mark in clock if mark.task is not None) == practice
    assert sum(mark.minutes for mark in clock) == total
    assert clock[0][:2] == (0, 0)
    assert [mark.starts for mark in clock] == sorted(mark.starts for mark in clock)
    assert clock[-1].starts + clock[-1].minutes == total
    headings = re.findall(r"^## (.+)$", "\n".join(c.source for _, c in page.prose()), re.MULTILINE)
    titles = ", then ".join(mark.title for mark in clock if mark.task is None)
    assert titles == ", then ".join(["Opening", *headings])


def test_an_optional_exercise_takes_no_time(good_page: Page) -> None:
    clock = marks(good_page)
    assert [(m.title, m.minutes) for m in clock if m.task] == [
        ("Double it", 10),
        ("Hold it", 10),
        ("Halve it", 0),
    ]
    assert clock[-1].starts + clock[-1].minutes == 50


def test_a_chapter_without_minutes_is_named(good_page: Page) -> None:
    good_page.cells[0].source = "# 99 · A good chapter"
    with pytest.raises(BookError, match="how many minutes"):
        marks(good_page)


def test_minutes_are_shown_as_hours() -> None:
    assert [shown(minutes) for minutes in (0, 9, 66, 120)] == ["0:00", "0:09", "1:06", "2:00"]

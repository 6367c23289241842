"""The chapters' texts, parsed once for a worker. Nobody changes them."""

from functools import cache

import pytest

from bookbuild.book import ROOT, Chapter, chapters
from bookbuild.rules.page import Page
from bookbuild.text import read_text

BOOK = chapters(ROOT)
each_chapter = pytest.mark.parametrize(
    "chapter", [pytest.param(chapter, id=chapter.number) for chapter in BOOK]
)


@cache
def page_of(chapter: Chapter) -> Page:
    """Its cells as the text gives them."""
    return Page(chapter.name, chapter.number, read_text(chapter).cells)

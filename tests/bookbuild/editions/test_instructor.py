"""The instructor edition: printed, open, with a clock and a table after each check."""

from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import nbformat
import pytest
from helpers.chapter_pages import BOOK, each_chapter, page_of
from nbformat import NotebookNode

from bookbuild.book import BookError, Chapter
from bookbuild.build import written
from bookbuild.dress import dressed
from bookbuild.editions.instructor import instructor, teaching
from bookbuild.editions.mistakes import Row
from bookbuild.editions.parts import tasks
from bookbuild.rules.page import tags

pytestmark = pytest.mark.xdist_group("editions")


@cache
def for_teaching(chapter: Chapter) -> NotebookNode:
    return teaching(chapter, BOOK, one_row)


def one_row(name: str) -> list[Row]:
    return [Row(f"wrong {name}", 1, "case", "got", "why", "code")]


@each_chapter
def test_everything_is_open_and_nothing_is_lost(chapter: Chapter) -> None:
    notebook = for_teaching(chapter)
    nbformat.validate(notebook)
    book = nbformat.read(chapter.notebook, as_version=4)
    ours = [cell for cell in notebook.cells if "instructor" not in tags(cell)]
    assert [cell.id for cell in ours] == [cell.id for cell in book.cells]
    for cell, before in zip(ours, book.cells, strict=True):
        if cell.cell_type == "code":
            assert (cell.source, cell.outputs) == (before.source, before.outputs)
            assert "jupyter" not in cell.metadata
            assert not [tag for tag in tags(cell) if tag.startswith("hide")]
        else:
            assert ":class: dropdown" not in cell.source
            assert cell.source.count("{dropdown}") == cell.source.count("\n:open:\n")
            assert "(folded" not in cell.source
            assert "If you can read this line" not in cell.source
    assert len({cell.id for cell in notebook.cells}) == len(notebook.cells)


@each_chapter
def test_a_table_follows_each_check_and_a_clock_precedes_each_exercise(chapter: Chapter) -> None:
    notebook = for_teaching(chapter)
    page = page_of(chapter)
    by_id = {cell.id: at for at, cell in enumerate(notebook.cells)}
    for task in tasks(page):
        check = by_id[page.cells[task.where.check].id]
        assert f"wrong {task.check}" in notebook.cells[check + 1].source
        spec = by_id[page.cells[task.where.at].id]
        said = notebook.cells[spec - 1].source
        assert task.title in said
        assert f"{task.where.minutes} min" in said
        assert ("optional" in said) == task.where.optional


def test_it_is_the_same_whenever_it_is_made(tmp_path: Path) -> None:
    book = [chapter for chapter in BOOK if chapter.number == "00"]
    first = instructor(book, tmp_path)
    assert instructor(book, tmp_path) == first  # from what was kept
    assert instructor(book, tmp_path / "other") == first
    assert b"**Wrong answers**, 8 of the 19" in first[f"{book[0].name}.ipynb"]
    assert set(first) == {f"{book[0].name}.ipynb", "README.md"}


def printed(chapter: Chapter) -> NotebookNode:
    notebook = dressed(chapter)
    for cell in notebook.cells:
        if cell.cell_type == "code":
            cell.execution_count = 1
    return notebook


def test_a_notebook_that_is_not_up_to_date_is_refused(write: Callable[..., Chapter]) -> None:
    chapter = write()
    with pytest.raises(BookError, match=r"has no notebook; make notebooks CHAPTERS=02"):
        teaching(chapter, [chapter], one_row)
    notebook: Any = printed(chapter)
    chapter.notebook.write_bytes(written(notebook))
    assert teaching(chapter, [chapter], one_row).cells
    notebook.cells[-1].source = "6 * 8"
    chapter.notebook.write_bytes(written(notebook))
    with pytest.raises(BookError, match=r"differs in its source.*make notebooks CHAPTERS=02"):
        teaching(chapter, [chapter], one_row)

"""Texts: ids follow content, metadata is filtered, and the names of files are checked."""

import importlib
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from bookbuild.book import BookError, Chapter, chapters, strays
from bookbuild.text import read_text

Write = Callable[..., Chapter]
CELL = "```{code-cell} ipython3\n%s\n```\n\n"


def ids(chapter: Chapter) -> list[str]:
    return [cell.id for cell in read_text(chapter).cells]


def test_an_id_changes_only_with_its_own_cell(write: Write) -> None:
    before = ids(write("# T\n\n" + CELL % "a = 1" + CELL % "b = 2"))
    after = ids(write("# T\n\n" + CELL % "a = 1" + CELL % "new = 0" + CELL % "b = 3"))
    assert before[:2] == after[:2]
    assert before[2] not in after


def test_ids_are_unique_in_the_whole_book(write: Write) -> None:
    text = "# T\n\n" + CELL % "same = 1" * 3
    found = ids(write(text, "02_a")) + ids(write(text, "03_b"))
    assert len(set(found)) == len(found) == 8


def test_folding_metadata_and_reasons_pass_the_filter(write: Write) -> None:
    options = ":tags: [solution, hide-input]\n:jupyter: {source_hidden: true}\n:reason: why\n\n"
    cell = read_text(write("# T\n\n" + CELL % (options + "x = 1"))).cells[1]
    assert cell.metadata == {
        "tags": ["solution", "hide-input"],
        "jupyter": {"source_hidden": True},
        "reason": "why",
    }


def test_an_option_that_would_be_lost_is_refused(write: Write) -> None:
    chapter = write("# T\n\n" + CELL % ":tag: [stub]\n\nx = 1")
    with pytest.raises(BookError, match=r"02_sample\.md, cell 2: the option tag would be lost"):
        read_text(chapter)


def test_the_header_of_a_text_keeps_the_kernel_and_the_title_only(write: Write) -> None:
    header = (
        "---\ntitle: Sample\nother: 1\njupytext: {text_representation: {format_name: myst}}\n"
        "kernelspec: {display_name: My kernel, language: python, name: python3}\n---\n\n"
    )
    metadata = read_text(write(header + "# T\n")).metadata
    assert metadata.kernelspec.display_name == "My kernel"
    assert set(metadata) <= {"kernelspec", "title", "language_info"}


def test_chapters_are_found_by_number(root: Path, write: Write) -> None:
    write(name="02_b")
    write(name="00_a")
    assert [chapter.name for chapter in chapters(root)] == ["00_a", "02_b"]
    assert [chapter.name for chapter in chapters(root, ["2"])] == ["02_b"]
    with pytest.raises(BookError, match=r"no chapter 07 .* there are 00, 02"):
        chapters(root, ["7"])


def test_without_jupytext_it_says_what_installs_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "jupytext", None)
    monkeypatch.delitem(sys.modules, "bookbuild.text")
    with pytest.raises(BookError, match="make dev"):
        importlib.import_module("bookbuild.text")


def test_two_texts_cannot_be_one_chapter(write: Write) -> None:
    write(name="02_b")
    with pytest.raises(BookError, match="both chapter 02"):
        write(name="02_c")


def test_a_notebook_without_a_text_is_a_stray(root: Path, write: Write) -> None:
    write(name="02_b")
    for name in ("02_b", "09_old"):
        (root / "chapters" / f"{name}.ipynb").write_text("{}")
    assert [path.name for path in strays(root)] == ["09_old.ipynb"]

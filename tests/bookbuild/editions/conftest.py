"""The student edition of the whole book, made once for a worker."""

from pathlib import Path

import jupytext
import nbformat
import pytest
from nbformat import NotebookNode

from bookbuild.book import ROOT, chapters
from bookbuild.editions.folder import Files
from bookbuild.editions.student import student
from bookbuild.rules.page import Page

GOOD = Path(__file__).parents[1] / "good_chapter.md"


@pytest.fixture(scope="session")
def student_files() -> Files:
    return student(chapters(ROOT))


@pytest.fixture(scope="session")
def student_notebooks(student_files: Files) -> dict[str, NotebookNode]:
    """By the chapter's number."""
    return {
        name[:2]: nbformat.reads(content.decode(), as_version=4)
        for name, content in student_files.items()
        if name.endswith(".ipynb") and "/" not in name
    }


@pytest.fixture
def good_page() -> Page:
    """A small chapter that keeps every rule."""
    notebook = jupytext.reads(GOOD.read_text(encoding="utf-8"), fmt="md:myst")
    return Page("99_good", "99", notebook.cells)

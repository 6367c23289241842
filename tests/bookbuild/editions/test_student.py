"""The student edition: nothing answered, nothing missing, and every notebook runs."""

import ast
import re
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import nbformat
import pytest
from helpers.chapter_pages import BOOK, each_chapter, page_of
from nbformat import NotebookNode

from bookbuild.book import BookError, Chapter
from bookbuild.editions.folder import Files, lay
from bookbuild.editions.parts import parts, tasks
from bookbuild.editions.student import student
from bookbuild.execute import execute
from bookbuild.rules.page import tags

pytestmark = pytest.mark.xdist_group("editions")  # the book's is made once


def code(notebook: NotebookNode) -> list[NotebookNode]:
    return [cell for cell in notebook.cells if cell.cell_type == "code"]


@each_chapter
def test_nothing_is_printed_yet(chapter: Chapter, student_notebooks: dict[str, Any]) -> None:
    cells = code(student_notebooks[chapter.number])
    assert [cell for cell in cells if cell.outputs or cell.execution_count] == []


def bodies(source: str) -> Iterator[str]:
    """Each function's body, and each text, as one string, whatever the function is called."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.FunctionDef):
            yield "\n".join(ast.unparse(part) for part in node.body)
        elif isinstance(node, ast.Constant) and isinstance(node.value, str):
            yield node.value


@each_chapter
def test_no_solution_is_in_it(chapter: Chapter, student_notebooks: dict[str, Any]) -> None:
    page = page_of(chapter)
    kept = [cell.source for cell in code(student_notebooks[chapter.number])]
    stubs = {body for task in tasks(page) for body in bodies(page.cells[task.where.stub].source)}
    shown = [body for source in kept if not source.startswith("# The book's")
             for body in bodies(source)]  # fmt: skip
    for part in parts(page):
        assert part.source.strip() not in kept
        given = [body for body in bodies(part.source) if body not in stubs and len(body) > 40]
        assert not set(given) & set(shown), f"{part.name} can be read in the notebook"


@each_chapter
def test_stubs_checks_and_hints_are_those_of_the_text(
    chapter: Chapter, student_notebooks: dict[str, Any]
) -> None:
    page, cells = page_of(chapter), student_notebooks[chapter.number].cells
    by_id = {cell.id: cell for cell in cells}
    for task in tasks(page):
        for at in (task.where.stub, task.where.check):
            assert by_id[page.cells[at].id].source == page.cells[at].source
        assert page.cells[task.where.solution].id not in by_id
    folds = [cell.source.count(":class: dropdown") for cell in cells if "{hint}" in cell.source]
    assert sum(folds) == 2 * len(tasks(page))


@each_chapter
def test_each_solution_is_one_click_away(
    chapter: Chapter, student_notebooks: dict[str, Any], student_files: Files
) -> None:
    prose = "\n".join(
        cell.source for cell in student_notebooks[chapter.number].cells if "source" in cell
    )
    assert "(folded" not in "\n".join(re.findall(r"\*\*Solution\*\*.*", prose))
    for part in parts(page_of(chapter)):
        assert f"](solutions/{part.name}.py)" in prose
        source = student_files[f"solutions/{part.name}.py"].decode()
        assert "check." not in source
        assert source == part.source
        assert f"%run -i solutions/{part.name}.py" in prose or not part.needed


def test_ids_are_told_apart_in_the_whole_edition(student_notebooks: dict[str, Any]) -> None:
    ids = Counter(cell.id for notebook in student_notebooks.values() for cell in notebook.cells)
    assert [name for name, times in ids.items() if times > 1] == []


def test_every_link_leads_somewhere(student_files: Files) -> None:
    for name, content in student_files.items():
        if name.endswith((".md", ".ipynb")):
            folder = Path(name).parent if name.endswith(".md") else Path()
            for link in re.findall(r"\]\(([^)#\s]+?)(?:#[^)\s]*)?\)", text_of(name, content)):
                inside = not link.startswith("http")
                assert not inside or str(folder / link) in student_files, f"{name}: {link}"


def text_of(name: str, content: bytes) -> str:
    if not name.endswith(".ipynb"):
        return content.decode()
    cells = nbformat.reads(content.decode(), as_version=4).cells
    return "\n".join(cell.source for cell in cells if cell.cell_type == "markdown")


def test_it_is_the_same_whenever_it_is_made() -> None:
    book = [chapter for chapter in BOOK if chapter.number in ("02", "08")]
    assert student(book) == student(book)


def test_a_part_of_the_book_has_no_links_out_of_it() -> None:
    book = [chapter for chapter in BOOK if chapter.number in ("02", "03")]
    files = student(book)
    notebooks = {name for name in files if name.endswith(".ipynb") and "/" not in name}
    assert notebooks == {f"{chapter.name}.ipynb" for chapter in book}
    test_every_link_leads_somewhere(files)
    assert b"fresh 03" in files["README.md"]


def test_each_notebook_has_its_original(student_files: Files) -> None:
    for chapter in BOOK:
        name = f"{chapter.name}.ipynb"
        assert student_files[name] == student_files[f".originals/{name}"]


ANSWERED = """\
(ch-99)=
# 99 · A chapter

```{code-cell} ipython3
a = 1
```

*Try it:* find b. One way follows.

```{code-cell} ipython3
:tags: [answer, hide-input]
:jupyter: {source_hidden: true}

b = a + 1
```

```{code-cell} ipython3
USE
```
"""


@pytest.mark.parametrize(("use", "runs"), [("print(b)", True), ("print(a)", False)])
def test_an_answer_leaves_a_cell_to_write_in(
    write: Callable[..., Chapter], monkeypatch: pytest.MonkeyPatch, use: str, runs: bool
) -> None:
    chapter = write(ANSWERED.replace("USE", use), "99_a_chapter")
    files = student([chapter])
    cells = nbformat.reads(files["99_a_chapter.ipynb"].decode(), as_version=4).cells
    sources = [cell.source for cell in cells[2:]]
    why = "# The book's b, so that you can go on with or without your own."
    run = f"{why}\n%run -i solutions/try-99-1.py"
    link = "One way: [`solutions/try-99-1.py`](solutions/try-99-1.py)"
    assert sources == [
        "*Try it:* find b. One way follows.",
        "# Your way.",
        link,
        *[run] * runs,
        use,
    ]
    assert files["solutions/try-99-1.py"] == b"b = a + 1\n"


def test_a_folder_gets_all_of_it_or_nothing(tmp_path: Path, student_files: Files) -> None:
    assert set(lay(student_files, tmp_path)) == set(student_files)
    assert lay(student_files, tmp_path) == []
    (tmp_path / "README.md").unlink()
    (tmp_path / "solutions/ex-02-1.py").write_text("mine")
    with pytest.raises(BookError, match=r"solutions/ex-02-1\.py already"):
        lay(student_files, tmp_path)
    assert not (tmp_path / "README.md").exists()
    assert (tmp_path / "solutions/ex-02-1.py").read_text() == "mine"


def solved(chapter: Chapter, notebook: NotebookNode) -> None:
    """Paste every solution into its stub's cell, under the reader's name."""
    page = page_of(chapter)
    sources = {part.at: part.source for part in parts(page)}
    by_id = {cell.id: cell for cell in notebook.cells}
    for task in tasks(page):
        stub = by_id[page.cells[task.where.stub].id]
        stub.source = f"{sources[task.where.solution]}\n{task.stub} = {task.solution}"


def ran(chapter: Chapter, files: Files, folder: Path, paste: bool) -> dict[str, str]:
    """Execute the chapter's notebook; what each check cell says, by its source."""
    lay(files, folder)
    notebook = nbformat.read(folder / f"{chapter.name}.ipynb", as_version=4)
    if paste:
        solved(chapter, notebook)
    execute(notebook, folder, chapter.name)
    return {
        cell.source: "".join(
            output.get("data", {}).get("text/plain", "") for output in cell.outputs
        )
        for cell in code(notebook)
        if "check" in tags(cell)
    }


# With untouched stubs chapter 2 in each run, and all in `make soak`: that no cell lacks a name is
# proved without running, whenever an edition is made.
RUN = [
    pytest.param(one, id=one.number, marks=() if one.number == "02" else pytest.mark.slow)
    for one in BOOK
]


@pytest.mark.parametrize("chapter", RUN)
def test_it_runs_with_untouched_stubs(
    chapter: Chapter, student_files: Files, tmp_path: Path
) -> None:
    said = ran(chapter, student_files, tmp_path, paste=False)
    assert len(said) == len(tasks(page_of(chapter)))
    assert all("not implemented yet" in words for words in said.values()), said


@pytest.mark.slow
@each_chapter
def test_it_runs_with_every_solution(
    chapter: Chapter, student_files: Files, tmp_path: Path
) -> None:
    said = ran(chapter, student_files, tmp_path, paste=True)
    assert len(said) == len(tasks(page_of(chapter)))
    assert not [words for words in said.values() if "FAILED" in words or "implemented" in words]

"""The check without execution: a text and its notebook are told apart, and so are repeated ids."""

from collections.abc import Callable
from pathlib import Path

import nbformat
import pytest
from nbformat import NotebookNode

from bookbuild.__main__ import main
from bookbuild.book import Chapter
from bookbuild.build import read_notebook
from bookbuild.check import check_all, repeated_ids
from bookbuild.sync import difference
from bookbuild.text import read_text

Write = Callable[..., Chapter]
Change = Callable[[NotebookNode], object]


def save(chapter: Chapter, change: Change = lambda notebook: None) -> None:
    """Write the chapter's notebook without executing it, changed by ``change``."""
    notebook = read_text(chapter)
    change(notebook)
    nbformat.write(notebook, chapter.notebook)


def apart(chapter: Chapter) -> str | None:
    return difference(read_text(chapter), read_notebook(chapter.notebook))


def test_text_and_notebook_agree(write: Write) -> None:
    chapter = write()
    save(chapter)
    assert apart(chapter) is None


CHANGES: dict[str, tuple[Change, str]] = {
    "source": (lambda nb: nb.cells[1].update(source="import sys"), "cell 2 differs in its source"),
    "tags": (lambda nb: nb.cells[3].metadata.update(tags=[]), "cell 4 differs in its tags"),
    "folding": (
        lambda nb: nb.cells[4].metadata.update(jupyter={"source_hidden": True}),
        "cell 5 differs in its jupyter",
    ),
    "own metadata": (lambda nb: nb.cells[4].metadata.update(x=1), "differs in its other metadata"),
    "type": (lambda nb: nb.cells[0].update(cell_type="raw"), "cell 1 differs in its type"),
    "id": (lambda nb: nb.cells[0].update(id="other"), "cell 1 differs in its id"),
    "missing": (lambda nb: nb.cells.pop(), "cell 5 of the text is missing in the notebook"),
    "extra": (
        lambda nb: nb.cells.append(nbformat.v4.new_markdown_cell("more")),
        "cell 6 of the notebook is not in the text: 'more'",
    ),
    "kernel": (lambda nb: nb.metadata.kernelspec.update(name="x"), "the notebook's metadata is"),
}


@pytest.mark.parametrize("name", CHANGES)
def test_a_difference_is_found(name: str, write: Write) -> None:
    chapter = write()
    change, message = CHANGES[name]
    save(chapter, change)
    found = apart(chapter)
    assert found is not None
    assert message in found


def test_the_check_names_the_command_that_helps(
    root: Path, write: Write, capsys: pytest.CaptureFixture[str]
) -> None:
    chapter = write()
    assert check_all([chapter], root) == 1
    out = capsys.readouterr().out
    assert "02_sample: there is no notebook; run `make notebooks CHAPTERS=02`" in out
    assert "1 chapters checked" in out.splitlines()[-1]


def test_an_id_in_two_notebooks_is_told(write: Write) -> None:
    both = [write(name="02_a"), write(name="03_b")]
    for chapter in both:
        save(chapter, lambda notebook: notebook.cells[0].update(id="same"))
    (problem,) = repeated_ids(both)
    assert "2 cells have the id same; build 02_a, 03_b" in str(problem)


def test_a_broken_text_or_notebook_does_not_stop_the_check(
    root: Path, write: Write, capsys: pytest.CaptureFixture[str]
) -> None:
    first = write("# T\n\n```{code-cell} ipython3\n:tagz: [stub]\n\nx = 1\n```\n", "01_a")
    (root / "chapters" / "09_old.ipynb").write_text("{}")
    assert check_all([first, write()], root) == 1
    out = capsys.readouterr().out
    assert "the option tagz would be lost" in out
    assert "09_old.ipynb: no text makes it" in out
    assert "02_sample: there is no notebook" in out


def test_an_exercise_that_is_not_python_is_told(
    root: Path, write: Write, capsys: pytest.CaptureFixture[str]
) -> None:
    cell = "```{code-cell} ipython3\n:tags: [%s]\n\n%s\n```\n\n"
    cells = "".join(cell % (tag, "%time f()") for tag in ("stub", "check", "solution"))
    chapter = write(f":::{{exercise}} T\n:label: ex-02-1\n:::\n\n{cells}")
    assert check_all([chapter], root) == 1
    assert "02_sample: an exercise's cell is not plain Python" in capsys.readouterr().out


def test_the_command_line(root: Path, write: Write, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["check"], root) == 0
    write()
    assert main(["check", "2"], root) == 1
    assert main(["build", "7"], root) == 1
    assert "no chapter 07" in capsys.readouterr().err
    with pytest.raises(SystemExit):
        main(["build", "--fast"], root)


TORCH = "```{code-cell} ipython3\n:tags: [needs-torch]\n\nimport torch\n```\n"


@pytest.mark.parametrize(
    ("front", "said"),
    [
        ("", "say runs-in-browser: true in the front matter, or take the tags out"),
        ("---\nruns-in-browser: maybe\n---\n", "is true or is left out, got 'maybe'"),
        ("---\nruns-in-browser: true\n---\n", None),
    ],
)
def test_needs_torch_is_for_chapters_that_run_in_their_page(
    write: Write, root: Path, capsys: pytest.CaptureFixture[str], front: str, said: str | None
) -> None:
    chapter = write(front + TORCH)
    save(chapter)
    check_all([chapter], root)
    lines = [line for line in capsys.readouterr().out.splitlines() if "runs-in-browser" in line]
    assert [said in line for line in lines] == ([True] if said else [])

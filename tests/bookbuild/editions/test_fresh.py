"""A fresh copy comes beside a learner's notebook, whatever is there."""

import subprocess
import sys
from pathlib import Path

import pytest

from bookbuild.__main__ import main
from bookbuild.book import BookError
from bookbuild.editions.fresh import fresh

NAME = "02_sample"


@pytest.fixture
def edition(tmp_path: Path) -> Path:
    folder = tmp_path / "edition"
    (folder / ".originals").mkdir(parents=True)
    (folder / ".originals" / f"{NAME}.ipynb").write_text("as it was")
    (folder / f"{NAME}.ipynb").write_text("mine")
    return folder


def names(folder: Path) -> dict[str, str]:
    return {path.name: path.read_text() for path in folder.glob("*.ipynb")}


def test_copies_are_numbered_and_nothing_is_touched(edition: Path, root: Path) -> None:
    assert fresh("02", root, edition) == edition / f"{NAME} (fresh).ipynb"
    (edition / f"{NAME} (fresh).ipynb").write_text("mine, too")
    assert fresh("2", root, edition) == edition / f"{NAME} (fresh 2).ipynb"
    assert names(edition) == {
        f"{NAME}.ipynb": "mine",
        f"{NAME} (fresh).ipynb": "mine, too",
        f"{NAME} (fresh 2).ipynb": "as it was",
    }


def test_a_deleted_notebook_comes_back_whole(edition: Path, root: Path) -> None:
    """The damaged one came back for a learner who had deleted it (nbgitpuller 279)."""
    (edition / f"{NAME}.ipynb").unlink()
    assert fresh("02", root, edition).read_text() == "as it was"


def test_the_last_correction_is_the_one_to_copy(edition: Path, root: Path) -> None:
    for time in ("09.30", "14.30"):
        path = edition / ".originals" / f"{NAME} (corrected {time}).ipynb"
        path.write_text(time)
    copy = fresh("02", root, edition)
    assert copy.name == f"{NAME} (corrected 14.30) (fresh).ipynb"
    assert copy.read_text() == "14.30"


def test_elsewhere_the_books_notebook_is_laid_into_work(root: Path) -> None:
    (root / "chapters" / f"{NAME}.ipynb").write_text("the book's")
    (root / "work").mkdir()
    (root / "work" / f"{NAME}.ipynb").write_text("mine")
    assert fresh("02", root, root) == root / "work" / f"{NAME} (fresh).ipynb"
    assert names(root / "work") == {
        f"{NAME}.ipynb": "mine",
        f"{NAME} (fresh).ipynb": "the book's",
    }


@pytest.mark.parametrize("number", ["03", "../02", "*", "", "002"])
def test_what_is_no_chapter_is_refused(edition: Path, root: Path, number: str) -> None:
    before = names(edition)
    with pytest.raises(BookError, match="there are 02"):
        fresh(number, root, edition)
    assert names(edition) == before


def test_readers_have_the_command_without_the_authors_tools(edition: Path) -> None:
    without = "import sys; sys.modules['jupytext'] = None; from bookbuild.__main__ import main; "
    code = f"{without}sys.exit(main(['fresh', '02']))"
    done = subprocess.run([sys.executable, "-c", code], cwd=edition, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert f"{NAME} (fresh).ipynb is a fresh copy; yours is untouched." in done.stdout


def test_a_wrong_number_is_told_and_not_raised(
    edition: Path, root: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["fresh", "07", "--folder", str(edition)], root) == 1
    assert "no chapter 07" in capsys.readouterr().err

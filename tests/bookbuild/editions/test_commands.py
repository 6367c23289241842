"""The commands, as a teacher types them."""

from pathlib import Path

import pytest

from bookbuild.__main__ import main
from bookbuild.book import ROOT
from bookbuild.editions.marking import unmarked

pytestmark = pytest.mark.xdist_group("editions")


def said(capsys: pytest.CaptureFixture[str], *words: object, status: int = 0) -> str:
    assert main([str(word) for word in words], ROOT) == status
    out = capsys.readouterr()
    return out.err if status else out.out


@pytest.mark.parametrize("numbers", [["0", "2"], ["00", "02"]])
def test_an_edition_has_the_chapters_that_are_named(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], numbers: list[str]
) -> None:
    out = tmp_path / "student"
    words = said(capsys, "edition", "student", "--out", out, *numbers)
    assert f"{out}: 2 chapters" in words
    assert sorted(path.name[:2] for path in out.glob("*.ipynb")) == ["00", "02"]
    assert "0 new files of" in said(capsys, "edition", "student", *numbers, "--out", out)


def test_an_edition_in_use_is_not_written_over(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "02_the_block_allocator.ipynb").write_text("my work")
    words = said(capsys, "edition", "student", "--out", tmp_path, "02", status=1)
    assert "02_the_block_allocator.ipynb already" in words
    assert [path.name for path in tmp_path.iterdir()] == ["02_the_block_allocator.ipynb"]


def test_from_an_edition_to_a_fresh_copy_of_its_correction(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    made, class_folder = tmp_path / "made", tmp_path / "class"
    said(capsys, "edition", "student", "--out", made, "00")
    assert "what was there is as it was." in said(capsys, "publish", made, class_folder)
    notebook = class_folder / "00_how_to_use_this_book.ipynb"
    first = notebook.read_bytes()
    changed = made / notebook.name
    changed.write_bytes(first.replace(b"How to use", b"Now to use"))
    assert "--correct" in said(capsys, "publish", made, class_folder, status=1)
    said(capsys, "publish", made, class_folder, "--correct", "--branch", "workshop-2026-12-01")
    assert notebook.read_bytes() == first
    (corrected,) = class_folder.glob("* (corrected *).ipynb")
    assert unmarked(corrected.read_bytes()) == changed.read_bytes()
    said(capsys, "fresh", "00", "--folder", class_folder)
    (fresh,) = class_folder.glob("*(fresh).ipynb")
    assert fresh.name == f"{corrected.stem} (fresh).ipynb"
    assert fresh.read_bytes() == corrected.read_bytes()


def test_what_no_command_knows_is_refused() -> None:
    with pytest.raises(SystemExit):
        main(["edition", "teacher", "--out", "x"], ROOT)
    with pytest.raises(SystemExit):
        main(["edition", "student", "--out", "x", "--force"], ROOT)

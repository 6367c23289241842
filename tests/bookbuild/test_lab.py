"""How the book is opened: quiet, without jupytext, at its first chapter."""

import json
from pathlib import Path

from bookbuild.book import ROOT
from bookbuild.lab import FIRST, SAVING, arguments, copies, settle

OVERRIDES = "share/jupyter/lab/settings/overrides.json"


def test_settings_are_added_to_what_is_there(tmp_path: Path) -> None:
    path = tmp_path / OVERRIDES
    path.parent.mkdir(parents=True)
    path.write_text('{"theme": "dark"}')
    settle(tmp_path)
    found = json.loads(path.read_text())
    assert found["theme"] == "dark"
    assert found["@jupyterlab/apputils-extension:notification"]["fetchNews"] == "false"


def test_settled_settings_are_not_written_again(tmp_path: Path) -> None:
    settle(tmp_path)
    before = (tmp_path / OVERRIDES).stat().st_mtime_ns
    settle(tmp_path)
    assert (tmp_path / OVERRIDES).stat().st_mtime_ns == before


def test_lab_starts_at_the_first_chapter_with_arguments_last(root: Path) -> None:
    assert "--LabApp.default_url=/lab" in arguments(root, [])
    (root / "chapters" / FIRST).write_text("{}")
    copies(root)
    line = arguments(root, ["--no-browser"])
    assert f"--LabApp.default_url=/lab/tree/work/{FIRST}" in line
    assert line[-1] == "--no-browser"
    assert not any("token" in word for word in line)


def test_the_readers_copies_are_made_once_and_never_touched_again(root: Path) -> None:
    book, work = root / "chapters", root / "work"
    for name in ("00_a.ipynb", "01_b.ipynb", "notes.ipynb"):
        (book / name).write_text("the book's")
    assert [path.name for path in copies(root)] == ["00_a.ipynb", "01_b.ipynb"]
    (work / "00_a.ipynb").write_text("mine")
    (book / "00_a.ipynb").write_text("a new edition")
    (book / "02_c.ipynb").write_text("a new chapter")
    assert copies(root) == [work / "02_c.ipynb"]
    assert (work / "00_a.ipynb").read_text() == "mine"
    assert (book / "00_a.ipynb").read_text() == "a new edition"
    assert sorted(path.name for path in work.iterdir()) == [
        "00_a.ipynb",
        "01_b.ipynb",
        "02_c.ipynb",
    ]


def test_git_does_not_see_what_a_reader_writes() -> None:
    assert "/work/" in (ROOT / ".gitignore").read_text().splitlines()


def test_an_older_environment_learns_how_to_save(tmp_path: Path) -> None:
    settle(tmp_path)
    written = tmp_path / "etc/jupyter/jupyter_server_config.d" / SAVING.name
    assert json.loads(written.read_text()) == json.loads(SAVING.read_text())

"""How the book is opened: quiet, without jupytext, at its first chapter."""

import json
from pathlib import Path

from bookbuild.lab import FIRST, arguments, settle

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
    (root / FIRST).write_text("{}")
    line = arguments(root, ["--no-browser"])
    assert f"--LabApp.default_url=/lab/tree/{FIRST}" in line
    assert line[-1] == "--no-browser"
    assert not any("token" in word for word in line)

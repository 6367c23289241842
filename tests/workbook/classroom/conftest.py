"""A learner with a data folder of their own, and a board's folder."""

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from workbook.classroom import share


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """An empty board; whatever a test shares ends with it."""
    home, board = tmp_path / "home", tmp_path / "board"
    board.mkdir()
    monkeypatch.setattr("platformdirs.user_data_path", lambda _name: home)
    monkeypatch.delenv(share.FOLDER, raising=False)
    yield board
    if share._now is not None:
        share.stop_sharing()


@pytest.fixture
def main(monkeypatch: pytest.MonkeyPatch) -> dict[str, object]:
    """The names of the learner's notebook."""
    module = type(sys)("__main__")
    monkeypatch.setitem(sys.modules, "__main__", module)
    return vars(module)

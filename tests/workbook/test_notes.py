"""Progress: a reader's own passed checks are noted on this machine; nothing else is."""

import json
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from workbook import progress
from workbook.checks import check

notes_module = sys.modules["workbook.notes"]


@pytest.fixture
def notes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The file of notes, as a notebook's kernel would write it."""
    path = tmp_path / "data" / "progress.json"
    monkeypatch.setattr(notes_module, "file", lambda: path)
    monkeypatch.setitem(sys.modules, "ipykernel", ModuleType("ipykernel"))
    return path


def readers(function: Any, name: str = "") -> Any:
    """The function as if a notebook's cell had defined it."""
    function.__module__ = "__main__"
    function.__name__ = name or function.__name__
    return function


def right() -> Any:
    def kv_bytes(sizes: Any, bytes_per_number: int) -> int:
        return int(2 * sizes.layers * sizes.kv_heads * sizes.head_dim * bytes_per_number)

    return kv_bytes


def test_a_passed_check_is_noted_once(notes: Path) -> None:
    assert check.kv_bytes(readers(right())).ok
    first = notes.stat().st_mtime_ns
    assert json.loads(notes.read_text()) == ["ex-01-1"]
    assert check.kv_bytes(readers(right())).ok
    assert notes.stat().st_mtime_ns == first


@pytest.mark.parametrize("case", ["the book's", "a module's", "outside a notebook", "wrong"])
def test_what_is_not_the_readers_or_not_right_is_not_noted(
    case: str, notes: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    yours = readers(right())
    if case == "the book's":
        yours = readers(yours, "kv_bytes_solution")
    elif case == "a module's":
        yours.__module__ = "paged_attention.sizes"
    elif case == "outside a notebook":
        monkeypatch.delitem(sys.modules, "ipykernel")
    else:
        yours = readers(lambda sizes, bytes_per_number: 1, "kv_bytes")
    check.kv_bytes(yours)
    assert not notes.exists()


@pytest.mark.parametrize("text", ["{", "3", "null", "\x00", '{"a": 1}'])
def test_damaged_notes_count_for_nothing_and_are_written_anew(text: str, notes: Path) -> None:
    notes.parent.mkdir()
    notes.write_text(text)
    assert notes_module.passed() == set()
    assert check.kv_bytes(readers(right())).ok
    assert json.loads(notes.read_text()) == ["ex-01-1"]


def test_a_folder_that_cannot_be_written_costs_only_the_note(notes: Path) -> None:
    notes.parent.write_text("a file where the folder should be")
    assert check.kv_bytes(readers(right())).ok


def test_the_name_is_the_function_whatever_was_imported_before() -> None:
    import workbook

    assert callable(workbook.progress)


def test_progress_counts_by_chapter(notes: Path, capsys: pytest.CaptureFixture[str]) -> None:
    progress()
    before = capsys.readouterr().out
    check.kv_bytes(readers(right()))
    progress()
    after = capsys.readouterr().out
    assert "chapter 1   0 of " in before
    assert "Bytes of a token" not in before
    assert "chapter 1   1 of " in after
    assert "Bytes of a token" in after
    assert after.splitlines()[-1].startswith("1 of ")

"""What a learner's kernel puts on the board: their own checks, their own name, never code."""

import json
import os
import stat
import sys
from pathlib import Path
from typing import Any

import pytest

from paged_attention import BlockAllocator
from workbook import checks, share_progress, stop_sharing
from workbook.checks import check
from workbook.checks.framework.owner import is_learners
from workbook.classroom import share
from workbook.classroom.board import Standing, read_board


def written(folder: Path) -> list[dict[str, Any]]:
    """All lines in the folder."""
    files = sorted(folder.glob("*.jsonl"))
    return [json.loads(line) for file in files for line in file.read_text("utf-8").splitlines()]


def standing(folder: Path, label: str) -> Standing | None:
    (learner,) = read_board(folder).learners
    return learner.standings.get(label)


def kv_bytes(sizes: Any, bytes_per_number: int) -> int:
    return 1


def an_allocator(name: str) -> Any:
    return type(name, (BlockAllocator,), {})


def test_nothing_is_shared_before_somebody_asks(folder: Path) -> None:
    check.kv_bytes(kv_bytes)
    assert list(folder.iterdir()) == []
    assert not any(isinstance(each, share._Sharing) for each in checks.listeners)


def test_a_line_has_counts_and_one_title_and_nothing_of_the_code(folder: Path) -> None:
    share_progress("Ada", folder)
    report = check.kv_bytes(kv_bytes)
    joined, told = written(folder)
    assert joined == {"t": joined["t"], "who": "Ada"}
    assert told == {
        "t": told["t"],
        "who": "Ada",
        "ex": "ex-01-1",
        "passed": 0,
        "of": len(report.titles),
        "todo": False,
        "stop": report.titles[0],
    }


def test_the_environment_names_the_folder(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    share_progress("Ada")
    assert capsys.readouterr().out == "This machine has no board, so nothing is shared.\n"
    monkeypatch.setenv(share.FOLDER, str(folder))
    share_progress("Ada")
    assert "Never your code" in capsys.readouterr().out
    assert [line["who"] for line in written(folder)] == ["Ada"]


def test_only_the_learners_own_object_counts(folder: Path) -> None:
    """A chapter also checks the book's solution, its finished class, and whole suites."""
    share_progress("Ada", folder)
    check.share_release(an_allocator("SharingAllocatorSolution"))
    check.share_release(BlockAllocator)
    check.allocator(an_allocator("MySharingAllocator"))
    assert standing(folder, "ex-02-3") is None
    check.share_release(an_allocator("MySharingAllocator"))
    done = standing(folder, "ex-02-3")
    assert done
    assert done.done


def test_the_finished_function_of_the_same_name_is_the_books() -> None:
    """Chapter 3 ends with ``from paged_attention.tables import physical_slot``."""
    from paged_attention.tables import physical_slot

    assert not is_learners(exercise("physical_slot"), physical_slot)


def test_another_name_for_ones_own_class_counts(folder: Path, main: dict[str, Any]) -> None:
    share_progress("Ada", folder)
    main["MySharingAllocator"] = an_allocator("Better")
    check.share_release(main["MySharingAllocator"])
    done = standing(folder, "ex-02-3")
    assert done
    assert done.done
    main["MySharingAllocator"] = BlockAllocator
    assert not is_learners(exercise("share_release"), BlockAllocator)


def test_a_text_is_the_learners_if_the_stubs_name_stands_for_it(main: dict[str, Any]) -> None:
    """A text has no name of its own, and the chapter also checks ``WALK_SOLUTION``."""
    main["WALK"], main["WALK_SOLUTION"] = "a walk", "the book's"
    assert is_learners(exercise("walk"), main["WALK"])
    assert not is_learners(exercise("walk"), main["WALK_SOLUTION"])


def exercise(name: str) -> Any:
    return next(each for each in checks.exercises() if each.name == name)


def test_a_stub_is_to_do(folder: Path) -> None:
    class MySharingAllocator(BlockAllocator):
        def share(self, block: int) -> None:
            raise NotImplementedError

    share_progress("Ada", folder)
    check.share_release(MySharingAllocator)
    stub = standing(folder, "ex-02-3")
    assert stub
    assert (stub.todo, stub.tries, stub.stop) == (True, 0, None)


def test_sharing_ends_and_takes_its_file_along(folder: Path) -> None:
    share_progress("Ada", folder)
    stop_sharing()
    check.kv_bytes(kv_bytes)
    assert list(folder.iterdir()) == []
    stop_sharing()  # once more is no error


def test_a_cell_run_again_and_another_name_leave_one_file(folder: Path) -> None:
    share_progress("Ada", folder)
    check.kv_bytes(kv_bytes)
    share_progress("Ada", folder)
    check.kv_bytes(kv_bytes)
    assert len(list(folder.iterdir())) == 1
    assert len(written(folder)) == 4
    share_progress("Bea", folder)
    assert {line["who"] for line in written(folder)} == {"Bea"}


def test_all_kernels_of_a_learner_write_one_file(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    share_progress("Ada", folder)
    monkeypatch.setattr(share, "_now", None)  # another kernel
    share_progress("Ada", folder)
    assert len(list(folder.iterdir())) == 1


def test_two_of_one_name_are_two_learners(folder: Path, tmp_path: Path, monkeypatch: Any) -> None:
    share_progress("Anna", folder)
    monkeypatch.setattr(share, "_now", None)
    monkeypatch.setattr("platformdirs.user_data_path", lambda _name: tmp_path / "other")
    share_progress("Anna", folder)
    assert [learner.name for learner in read_board(folder).learners] == ["Anna", "Anna"]


@pytest.mark.parametrize(
    "name",
    ["../../../etc/passwd", "/etc/passwd", "..", "a\\b", "CON", "<b>x</b>", "李明", "🙂", "a" * 40],
)
def test_any_name_stays_a_name_in_the_folder(name: str, folder: Path, tmp_path: Path) -> None:
    before = {path for path in tmp_path.rglob("*") if path.parent.name != "home"}
    share_progress(name, folder)
    (file,) = folder.iterdir()
    assert {path for path in tmp_path.rglob("*") if "home" not in path.parts} - before == {file}
    assert [learner.name for learner in read_board(folder).learners] == [name]


@pytest.mark.parametrize("name", ["", "   ", "a" * 41, "a\nb", "\x1b[2J", "a\u202eb", None, 7])
def test_a_name_that_cannot_be_shown_is_refused(name: Any, folder: Path) -> None:
    with pytest.raises(ValueError, match="1 to 40 letters"):
        share_progress(name, folder)
    assert list(folder.iterdir()) == []


def test_a_link_in_the_files_place_is_not_followed(folder: Path, tmp_path: Path) -> None:
    share_progress("Ada", folder)
    (file,) = folder.iterdir()
    victim = tmp_path / "victim"
    victim.write_text("mine")
    file.unlink()
    file.symlink_to(victim)
    assert check.kv_bytes(kv_bytes).failure
    assert victim.read_text() == "mine"


def test_a_pipe_in_the_files_place_holds_nobody(folder: Path) -> None:
    share_progress("Ada", folder)
    (file,) = folder.iterdir()
    file.unlink()
    os.mkfifo(file)
    assert check.kv_bytes(kv_bytes).failure
    assert read_board(folder).learners == []


@pytest.mark.parametrize("end", ["removed", "full", "a file"])
def test_a_folder_that_fails_later_costs_nothing(
    end: str, folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    share_progress("Ada", folder)
    capsys.readouterr()
    (file,) = folder.iterdir()
    if end == "full":
        monkeypatch.setattr(share._now, "path", Path("/dev/full"))
    else:
        file.unlink()
        folder.rmdir()
        if end == "a file":
            folder.write_text("no folder")
    assert check.kv_bytes(kv_bytes).failure
    assert capsys.readouterr() == ("", "")
    if end == "full":
        monkeypatch.setattr(share._now, "path", file)


def test_a_folder_that_is_not_there_is_told_once(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    share_progress("Ada", folder / "none")
    assert "so nothing is shared" in capsys.readouterr().out
    assert share._now is None


def test_a_line_cut_by_a_full_disk_costs_itself_alone(folder: Path) -> None:
    share_progress("Ada", folder)
    (file,) = folder.iterdir()
    with file.open("a") as opened:
        opened.write('{"t": 1, "who": "Ada", "ex": "ex-02-1", "pas')
    check.kv_bytes(kv_bytes)
    assert list(read_board(folder).learners[0].standings) == ["ex-01-1"]


def test_the_file_is_the_learners_and_for_the_teacher_to_read(folder: Path) -> None:
    if sys.platform == "win32":
        pytest.skip("modes are for Unix")
    before = os.umask(0o077)
    try:
        share_progress("Ada", folder)
    finally:
        os.umask(before)
    (file,) = folder.iterdir()
    assert stat.S_IMODE(file.stat().st_mode) == 0o644
    folder.chmod(0o3733)  # learners add and don't list
    assert check.kv_bytes(kv_bytes).failure
    assert len(written(folder)) == 2


@pytest.mark.parametrize("damage", ["", "not a token", "\xff", "../../x"])
def test_a_damaged_token_is_not_used(damage: str, folder: Path, tmp_path: Path) -> None:
    home = tmp_path / "home"
    home.mkdir()
    (home / "board.token").write_text(damage, encoding="latin-1")
    share_progress("Ada", folder)
    (file,) = folder.iterdir()
    assert file.stem.startswith("ada-")
    assert len(file.stem) == 20

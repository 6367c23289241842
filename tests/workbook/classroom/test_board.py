"""What the teacher sees: standings, the line that says what to explain, and nothing that harms."""

import json
import os
from pathlib import Path
from typing import Any

import pytest
from helpers.class_board import FULL, put

from workbook.__main__ import main
from workbook.classroom.board import read_board
from workbook.classroom.lines import LONGEST_NAME
from workbook.classroom.table import NOBODY, table


def test_the_line_says_what_to_explain_next(tmp_path: Path) -> None:
    for at in range(27):
        put(tmp_path, f"learner {at:02}", ("ex-02-2", 4 if at < 9 else 1, 4))
    board = read_board(tmp_path)
    assert board.line("ex-02-2") == f"ex-02-2: 9 of 27 passed; most stop at {FULL!r} (18)"
    said = table(board).splitlines()
    assert said[-3] == board.line("ex-02-2")
    assert said[-1] == f"Explain next: {FULL!r}; it stops 18 of 27 in ex-02-2."


def test_the_table_reads_as_promised(tmp_path: Path) -> None:
    put(tmp_path, "Bo", ("ex-02-1", 2, 6), ("ex-02-1", 3, 6), ("ex-02-10", -1, 4), t=1_000)
    put(tmp_path, "ada", ("ex-02-1", 6, 6), ("ex-02-2", 1, 4), t=940)
    put(tmp_path, "李明", t=0)
    assert [line.rstrip() for line in table(read_board(tmp_path), now=1_000).splitlines()] == [
        "                         02-1     02-2    02-10    quiet",
        "ada                        ok   1/4 ×1        ·    1 min",
        "Bo                     3/6 ×2        ·    to do    0 min",
        "李明                        ·        ·        ·   16 min",
        "",
        f"ex-02-1: 1 of 3 passed; most stop at {FULL!r} (1)",
        f"ex-02-2: 0 of 3 passed; most stop at {FULL!r} (1)",
        "ex-02-10: 0 of 3 passed",
    ]


def test_passed_stays_passed(tmp_path: Path) -> None:
    put(tmp_path, "Ada", ("ex-02-1", 6, 6), ("ex-02-1", 2, 6), ("ex-02-1", -1, 6))
    (learner,) = read_board(tmp_path).learners
    assert learner.standings["ex-02-1"].done
    assert learner.standings["ex-02-1"].tries == 1


def test_of_two_cases_with_as_many_the_earlier_is_named(tmp_path: Path) -> None:
    put(tmp_path, "Ada", ("ex-02-1", 3, 6), stop="late")
    put(tmp_path, "Ben", ("ex-02-1", 1, 6), stop="early")
    stop = read_board(tmp_path).stop("ex-02-1")
    assert stop
    assert stop.title == "early"


def test_one_learner_alone_is_nothing_to_explain(tmp_path: Path) -> None:
    put(tmp_path, "Ada", ("ex-02-1", 3, 6))
    assert read_board(tmp_path).explain_next() is None
    assert table(read_board(tmp_path)).splitlines()[-1].startswith("ex-02-1: 0 of 1 passed")


def test_only_the_chapters_asked_for(tmp_path: Path) -> None:
    put(tmp_path, "Ada", ("ex-02-1", 6, 6), ("ex-03-1", 7, 7))
    board = read_board(tmp_path, ["03"])
    assert board.labels == ["ex-03-1"]
    assert [learner.name for learner in board.learners] == ["Ada"]


EVIL = [
    b"",
    b"\xff\xfe",
    b"{",
    b"[1]",
    b"3",
    b"null",
    b'"text"',
    b"[" * 100_000,
    b'{"who": "no time", "ex": "ex-02-1", "passed": 1, "of": 1}',
    b'{"t": 1, "who": 3}',
    b'{"t": true, "who": "a bool"}',
    b'{"t": -5, "who": "before"}',
    b'{"t": 1e400, "who": "for ever"}',
    b'{"t": 1, "who": "  "}',
]
WRONG = [
    {"passed": 7},
    {"passed": -1},
    {"passed": True},
    {"passed": 1.0},
    {"of": 0, "passed": 0},
    {"of": 10**30, "passed": 10**29},
    {"of": "6"},
    {"ex": 3},
    {"ex": ""},
    {"ex": None},
]


@pytest.mark.parametrize("raw", EVIL, ids=range(len(EVIL)))
def test_what_is_no_line_is_passed_over(raw: bytes, tmp_path: Path) -> None:
    (tmp_path / "evil.jsonl").write_bytes(raw + b"\n")
    assert read_board(tmp_path).learners == []


@pytest.mark.parametrize("wrong", WRONG, ids=str)
def test_a_check_that_cannot_be_is_passed_over(wrong: dict[str, Any], tmp_path: Path) -> None:
    line = {"t": 1, "who": "Ada", "ex": "ex-02-1", "passed": 1, "of": 6, "todo": False} | wrong
    (tmp_path / "a.jsonl").write_text('{"t": 1, "who": "Ada"}\n' + json.dumps(line))
    (learner,) = read_board(tmp_path).learners
    assert learner.standings == {}


def test_names_and_titles_command_no_terminal(tmp_path: Path) -> None:
    put(tmp_path, "\x1b[2J<b>x</b>\u202e" + "y" * 100, ("ex-02-1\x07", 1, 6), stop="\x1b]0;z\x07")
    said = table(read_board(tmp_path), now=0)
    assert all(sign.isprintable() or sign == "\n" for sign in said)
    assert "<b>x</b>" in said
    assert len(read_board(tmp_path).learners[0].name) == LONGEST_NAME


def test_links_pipes_folders_and_strange_files_are_passed_over(tmp_path: Path) -> None:
    folder = tmp_path / "board"
    folder.mkdir()
    outside = tmp_path / "outside.jsonl"
    outside.write_text('{"t": 1, "who": "not here"}\n')
    (folder / "link.jsonl").symlink_to(outside)
    (folder / "loop.jsonl").symlink_to(folder / "loop.jsonl")
    (folder / "folder.jsonl").mkdir()
    (folder / "notes.txt").write_text('{"t": 1, "who": "no board file"}\n')
    os.mkfifo(folder / "pipe.jsonl")
    assert read_board(folder).learners == []


def test_an_endless_file_is_read_at_its_beginning_only(tmp_path: Path) -> None:
    path = put(tmp_path, "Ada", ("ex-02-1", 1, 6))
    with path.open("ab") as file:
        file.truncate(1 << 32)  # sparse: it takes no disk
    assert [learner.name for learner in read_board(tmp_path).learners] == ["Ada"]


def test_the_command(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["board", str(tmp_path)]) == 0
    assert capsys.readouterr().out == f"{NOBODY}\n"
    put(tmp_path, "Ada", ("ex-02-1", 6, 6))
    assert main(["board", str(tmp_path), "2"]) == 0
    assert "ex-02-1: 1 of 1 passed" in capsys.readouterr().out
    assert main(["board", str(tmp_path / "none")]) == 1
    assert "PAGED_ATTENTION_BOARD" in capsys.readouterr().err

"""A whole class: which files are taken, in which order, and the table that comes of it."""

import csv
import io
from collections.abc import Callable
from pathlib import Path

import pytest
from helpers.submissions import Notebook, all_right, hand_in

from bookbuild.__main__ import main
from bookbuild.book import ROOT, BookError, chapters
from bookbuild.editions.folder import lay
from bookbuild.editions.student import student
from bookbuild.grading import batch
from bookbuild.grading.alone import Outcome
from bookbuild.grading.batch import graded, read
from bookbuild.grading.edition import Chapter, read_edition
from bookbuild.grading.limits import Limits
from bookbuild.grading.marks import Mark
from bookbuild.grading.plan import Plan
from bookbuild.grading.processes import Processes
from bookbuild.grading.submission import notebooks
from bookbuild.grading.table import COLUMNS, Row, problem, rows

pytestmark = pytest.mark.xdist_group("grading")  # one process to fork from

Fill = Callable[[dict[str, str]], Notebook]


def test_the_command(
    edition: Path,
    fill: Fill,
    right: dict[str, str],
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    one = {"ex-02-2": right["ex-02-2"]}
    hand_in(fill(one), tmp_path / "class" / "ben" / "02_the_block_allocator.ipynb")
    hand_in(fill({}), tmp_path / "class" / "ada" / "my work.ipynb")
    hand_in("nothing", tmp_path / "class" / "=cmd.ipynb")
    hand_in(fill(right), tmp_path / "class" / ".ipynb_checkpoints" / "x.ipynb")
    out = tmp_path / "marks.csv"
    assert main(["grade", str(edition), str(tmp_path / "class"), "--out", str(out)]) == 0
    table = list(csv.DictReader(io.StringIO(out.read_text("utf-8"))))
    assert list(table[0]) == COLUMNS
    assert [(row["submission"], row["points"], row["max"]) for row in table][::6] == [
        ("'=cmd.ipynb", "0", ""),
        ("ada/my work.ipynb", "0", "40"),
        ("ben/02_the_block_allocator.ipynb", "4", "40"),
    ]
    assert [row["exercise"] for row in table[1:7]] == [*sorted(right), "total"]
    assert table[4] == {
        "submission": "ada/my work.ipynb",
        "chapter": "02",
        "exercise": "ex-02-4",
        "title": "Audit a pool",
        "optional": "optional",
        "points": "0",
        "max": "14",
        "passed": "0",
        "of": "8",
        "stopped": "not begun",
        "said": "",
    }
    said = capsys.readouterr()
    assert said.out == ""
    assert said.err.startswith("This is no sandbox")
    assert "Not graded: predictions" in said.err
    assert "judge.few_runs" in said.err


def test_nothing_to_grade_is_told(
    edition: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["grade", str(edition), str(tmp_path)]) == 1
    assert "name a notebook, or a folder" in capsys.readouterr().err
    assert main(["grade", str(tmp_path), str(edition)]) == 1
    assert "name the folder of an edition" in capsys.readouterr().err
    assert main(["grade", str(edition), str(tmp_path / "none.ipynb")]) == 0
    assert "it can't be read: No such file" in capsys.readouterr().out


@pytest.mark.parametrize("limit", ["--seconds=0", "--memory=-1", "--jobs=two"])
def test_a_limit_that_cannot_be_is_told(limit: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main(["grade", "edition", "class", limit])
    assert "a whole number above 0" in capsys.readouterr().err


def test_ctrl_c_leaves_no_table_and_runs_nothing_more(
    edition: Path,
    chapter: Chapter,
    fill: Fill,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    hand_in(fill({}), tmp_path / "ada.ipynb")
    out = tmp_path / "marks.csv"

    def stopped(*_: object) -> list[Row]:
        raise KeyboardInterrupt

    monkeypatch.setattr(batch, "graded", stopped)
    assert main(["grade", str(edition), str(tmp_path), "--out", str(out)]) == 130
    assert "no table was written" in capsys.readouterr().err
    assert [path.name for path in tmp_path.iterdir()] == ["ada.ipynb"]
    processes = Processes(Limits())
    processes.stop()
    outcome = processes.run(Plan(answer="1 / 0"), chapter.exercises[0])
    assert outcome.stopped == "you stopped it"


def test_notebooks_below_a_folder_in_the_order_of_their_names(tmp_path: Path) -> None:
    for name in ("b/02.ipynb", "a/z.ipynb", "a/b/c.ipynb", ".git/x.ipynb", "a/.x.ipynb", "a/n.txt"):
        hand_in("", tmp_path / name)
    (tmp_path / "a" / "round").symlink_to(tmp_path)
    found = [name for name, _ in notebooks([tmp_path, tmp_path / "b" / "02.ipynb"])]
    assert found == ["a/z.ipynb", "a/b/c.ipynb", "b/02.ipynb", "02.ipynb"]


def test_of_a_chapters_editions_the_last_correction_counts(edition: Path, tmp_path: Path) -> None:
    text = (edition / "02_the_block_allocator.ipynb").read_text("utf-8")
    for name, minutes in (
        ("02_the_block_allocator.ipynb", "8 minutes"),
        ("02_the_block_allocator (corrected 9.30).ipynb", "1 minutes"),
        ("02_the_block_allocator (corrected 09.30).ipynb", "7 minutes"),
        ("02_the_block_allocator (corrected 14.30).ipynb", "6 minutes"),
        ("02_the_block_allocator (corrected 2026-12-02 08.00).ipynb", "5 minutes"),
    ):
        hand_in(text.replace("8 minutes · difficulty 2 of 3", f"{minutes} · difficulty 2 of 3"),
                tmp_path / name)  # fmt: skip
    (chapter,) = read_edition(tmp_path)
    assert chapter.exercises[0].points == 5


def test_the_books_own_folder_is_an_edition_too() -> None:
    book = read_edition(ROOT / "chapters")
    assert [chapter.number for chapter in book] == [f"{number:02}" for number in range(12)]
    (second,) = read_edition(ROOT / "chapters" / "02_the_block_allocator.ipynb")
    assert [exercise.label for exercise in second.exercises] == [f"ex-02-{n}" for n in range(1, 6)]
    assert [exercise.points for exercise in second.exercises] == [8, 4, 6, 14, 8]


def test_a_folder_without_exercises_is_no_edition(tmp_path: Path) -> None:
    with pytest.raises(BookError, match="no chapters with exercises"):
        read_edition(tmp_path)


def test_what_this_machine_cannot_check_is_worth_no_number(chapter: Chapter) -> None:
    first, second = chapter.exercises[:2]
    marks = [
        Mark(first, None, Outcome(of=6, here=False, stopped="a case", said="No compiler.")),
        Mark(second, 4.0, Outcome(5, 5)),
    ]
    table = list(rows("ada", chapter, marks))
    assert [(row["points"], row["max"]) for row in table] == [("", 8), ("4", 4), ("4", 4)]


@pytest.mark.parametrize("text", ["=1+1", "+1", "-1", "@x", "\t=1", "\x1b[2J", "a\nb", "x" * 999])
def test_a_learners_words_command_nothing(text: str) -> None:
    row = problem(text, text)
    for said in (row["submission"], row["stopped"]):
        assert said.isprintable()
        assert not said.startswith(("=", "+", "-", "@"))
        assert len(said) <= 161


@pytest.mark.slow
def test_the_books_own_answers_get_all_points(tmp_path: Path) -> None:
    """Of every chapter, each exercise alone: so each slice of a chapter is enough to run on."""
    lay(student(chapters(ROOT, [])), tmp_path / "edition")
    all_right(tmp_path / "edition", tmp_path / "class", lambda _: True)
    edition = read_edition(tmp_path / "edition")
    found = [read(name, path, edition) for name, path in notebooks([tmp_path / "class"])]
    for some in graded(found, Limits(wall=300)):
        assert [row["points"] for row in some] == [str(row["max"]) for row in some]

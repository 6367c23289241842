"""Tables of wrong answers: what each does, where its check stops, and what that says."""

from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bookbuild.editions import kept
from bookbuild.editions.mistake_words import cell, plain, told
from bookbuild.editions.mistakes import MOST, Row, chosen, rows, table
from workbook.checks import check, exercises, load_mistakes
from workbook.checks.framework import Exercise

NOTHING = (  # which the check knows without being told
    "Your function returned nothing (None): is a `return` missing, or inside an `if` that "
    "wasn't taken?"
)


def third(n: int) -> int:
    """A right solution."""
    wholes = [n // 3]
    return wholes[0]


@pytest.fixture
def exercise() -> Exercise:
    exercise = Exercise("third", "ex-99-1", "A third", "third", "function", ("a", "b"))
    exercise.example("nine", 9, right=3, why="9 / 3 is 3.")
    exercise.example("ten", 10, right=3, why="A third | rounded down.")
    exercise.finished = third
    exercise.mistake("It was halved.")(lambda n: n // 2)
    exercise.mistake("One too many.", ("n // 3", "n // 3 + 1"))

    @exercise.mistake("Rounded up.")
    def rounds_up(n: int) -> int:
        return -(-n // 3)

    exercise.mistake("Nothing came back.", ("    return wholes[0]\n", ""))
    return exercise


def run(exercise: Exercise) -> Callable[[Any], Any]:
    from workbook.checks.framework.running import run_cases

    owned = [(exercise, case) for case in exercise.cases]
    return lambda answer: run_cases("third", owned, answer, lambda _: None)


def test_each_mistake_is_a_row_in_the_words_of_the_check(exercise: Exercise) -> None:
    assert rows(exercise, run(exercise)) == [
        Row("`n // 2`", 1, "nine", "4", "It was halved.", "lambda n: n // 2"),
        Row("`n // 3` → `n // 3 + 1`", 1, "nine", "4", "One too many.",
            "-    wholes = [n // 3]\n+    wholes = [n // 3 + 1]"),
        Row("rounds up", 2, "ten", "4", "Rounded up.",
            "def rounds_up(n: int) -> int:\n    return -(-n // 3)"),
        Row("without `return wholes[0]`", 1, "nine", "None", NOTHING, "-    return wholes[0]"),
    ]  # fmt: skip


def test_words_that_tell_nothing_are_left_out(exercise: Exercise) -> None:
    for shift in (2, 3):
        exercise.mistake(f"{shift} too many.")(lambda n, shift=shift: n // 3 + shift)
    assert [row.answer for row in rows(exercise, run(exercise))][-2:] == ["", ""]


class Right:
    def take(self) -> int:
        return 1

    def give(self) -> int:
        kept = 2
        return kept + 1


def words_of(*mistakes: Any, finished: Any = Right) -> list[tuple[str, str]]:
    exercise = Exercise("box", "ex-99-2", "A box", "Box", "class", ("a", "b"))
    exercise.finished = finished
    for mistake in mistakes:
        if isinstance(mistake, tuple):
            exercise.mistake("wrong", mistake)
        else:
            exercise.mistake("wrong")(mistake)
    return [told(exercise, mistake) for mistake in exercise.mistakes]


def test_a_class_made_of_a_right_one_shows_what_is_its_own() -> None:
    made = [
        type("Right", (Right,), {"take": lambda self: 2}),  # the same name: not Right's source
        type("Box", (Right,), {"take": lambda self: 3, "give": lambda self: 4}),
    ]
    assert words_of(*made) == [
        ("`take`: `2`", "class Right(Right):\n    take = lambda self: 2"),
        ("box", "class Box(Right):\n    take = lambda self: 3\n    give = lambda self: 4"),
    ]


def test_a_class_of_changed_text_shows_its_own_lines() -> None:
    ((words, code),) = words_of(("kept + 1", "kept"))
    assert (words, code) == (
        "`kept + 1` → `kept`",
        "-        return kept + 1\n+        return kept",
    )


def test_a_change_of_several_lines_is_not_squeezed_into_one() -> None:
    ((words, code),) = words_of(("kept = 2\n        return kept + 1", "return (\n            3)"))
    assert words == ""
    assert code.count("\n") == 3


def test_what_a_factory_gave_is_shown() -> None:
    def by(change: Any, times: int = 1) -> Any:
        def wrong(n: int) -> int:
            changed = change(n)
            return changed * times

        return wrong

    ((words, code), (more, _)) = words_of(by(lambda n: n + 1), by(abs, 3), finished=third)
    assert words == "wrong"  # two parts: neither alone says it
    assert code.endswith("# where change = lambda n: n + 1\n# where times = 1")
    assert more == "wrong"


def test_the_one_lambda_that_a_factory_gave_says_it_all() -> None:
    def by(change: Any) -> Any:
        def wrong(n: int) -> int:
            parts = [change(n)]
            return parts[0]

        return wrong

    assert [words for words, _ in words_of(by(lambda n: n + 1), finished=third)] == ["`n + 1`"]


def test_two_lambdas_on_a_line_are_told_apart() -> None:
    pair = (lambda n: n + 1), (lambda n: n * 2)
    assert [words for words, _ in words_of(*pair, finished=third)] == ["`n + 1`", "`n * 2`"]


def test_a_table_has_a_line_a_row_and_no_markup_of_programs(exercise: Exercise) -> None:
    row = Row("", 2, "a *b*", "[1 | 2]\nx_y", "Either | or.", "-    x\n+    y")
    lines = table([row], 5).split("\n")
    assert lines[0] == "**Wrong answers**, 1 of the 5 that this check knows."
    assert lines[4] == (r"| 1 | code 1 below | 2, a \*b\* | \[1 \| 2\] x\_y | Either \| or. |")
    assert "```diff\n-    x\n+    y\n```" in table([row], 5)


def test_no_rows_are_no_table() -> None:
    assert table([], 0).startswith("*This machine couldn't run the check")


ROWS = st.lists(
    st.builds(Row, st.just("a"), st.integers(1, 4), st.just("t"), st.sampled_from("gh"),
              st.sampled_from("uvwxyz"), st.just("c")),
    max_size=30,
)  # fmt: skip


@given(ROWS)
def test_the_chosen_are_few_told_apart_and_from_every_case(found: list[Row]) -> None:
    picked = chosen(found)
    assert len(picked) <= MOST
    assert set(picked) <= set(found)
    assert len({(row.case, row.got) for row in picked}) == len(picked)
    assert len({row.why for row in picked}) == len(picked)
    assert [row.case for row in picked] == sorted(row.case for row in picked)
    assert (found == []) == (picked == [])


def test_a_case_has_its_first_before_another_has_its_second() -> None:
    found = [Row(str(i), 1, "", f"got {i}", f"why {i}", "") for i in range(9)]
    found.append(Row("last", 2, "", "other", "other", ""))
    picked = [row.answer for row in chosen(found)]
    assert picked == ["0", "1", "2", "3", "4", "5", "6", "last"]


@pytest.mark.parametrize("text", ["a|b", "`a`", "$x$", "<b>", "~~a~~", "#1", "a\nb"])
def test_text_of_programs_is_no_markup(text: str) -> None:
    assert "\n" not in plain(text)
    for sign in "|`$<~#":
        assert plain(text).count(sign) == plain(text).count(f"\\{sign}")
    assert "\n" not in cell(text)


@pytest.mark.parametrize("name", ["ceil_div", "allocate_release", "audit"])
def test_every_wrong_answer_of_the_book_is_said_as_its_check_says_it(name: str) -> None:
    (exercise,) = [each for each in exercises() if each.name == name]
    load_mistakes(exercise.label)
    found = rows(exercise, getattr(check, name))
    assert len(found) == len(exercise.mistakes)
    for row, mistake in zip(found, exercise.mistakes, strict=True):
        assert mistake.says in row.why
        assert row.code
    assert len(chosen(found)) == MOST


def test_a_table_is_made_once(tmp_path: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    first = kept.known_rows("ceil_div", tmp_path)
    monkeypatch.setattr(kept, "rows", None)  # would fail if it were called
    assert kept.known_rows("ceil_div", tmp_path) == first
    monkeypatch.setattr(kept, "_digest", lambda: "other")
    with pytest.raises(TypeError):
        kept.known_rows("ceil_div", tmp_path)

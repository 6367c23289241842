"""A chapter taken apart: which cells are solutions, and what the others need of them."""

import pytest
from helpers.chapter_pages import each_chapter, page_of
from nbformat.v4 import new_code_cell, new_markdown_cell

from bookbuild.book import BookError, Chapter
from bookbuild.editions.names import undefined
from bookbuild.editions.parts import Part, checked, parts, tasks, without_checks
from bookbuild.rules.page import Page

pytestmark = pytest.mark.xdist_group("editions")


def made_of(*cells: str) -> Page:
    """A chapter 02 from lines like ``stub: def f(): …``; words without a role are prose or code."""
    found = []
    for cell in cells:
        role, _, source = cell.partition(": ")
        if role == "prose":
            found.append(new_markdown_cell(source))
        else:
            found.append(new_code_cell(source, metadata={"tags": [role]}))
    return Page("02_sample", "02", found)


def exercise(number: int, name: str, solution: str) -> list[str]:
    return [
        f"prose: :::{{exercise}} Title {number}\n:label: ex-02-{number}\n3 minutes\n:::",
        f"stub: def {name}(n):\n    raise NotImplementedError",
        f"check: check.checked_{name}({name})",
        "prose: :::{hint} Hint 1\n:class: dropdown\nLook.\n:::\n\n**Solution** (folded)",
        f"solution: {solution}\n\ncheck.checked_{name}({name}_solution)",
    ]


ONE = "def one_solution(n):\n    return n"
TWO = "def two_solution(n):\n    return one_solution(n)"


def needed(*cells: str) -> dict[str, tuple[str, ...]]:
    return {part.name: part.needed for part in parts(made_of(*cells))}


def test_an_exercise_is_told_by_the_names_of_the_notebook() -> None:
    (task,) = tasks(made_of(*exercise(1, "one", ONE)))
    assert task[:5] == ("ex-02-1", "Title 1", "one", "checked_one", "one_solution")
    assert (task.where.stub, task.where.check, task.where.solution) == (1, 2, 4)


def test_an_incomplete_exercise_is_named() -> None:
    with pytest.raises(BookError, match="ex-02-1 is not complete"):
        tasks(made_of(*exercise(1, "one", ONE)[:-1]))


def test_a_solution_that_nobody_needs_needs_nothing() -> None:
    assert needed(*exercise(1, "one", ONE), "break: other(1)") == {"ex-02-1": ()}


def test_a_later_cell_needs_a_solution() -> None:
    assert needed(*exercise(1, "one", ONE), "break: one_solution(1)") == {
        "ex-02-1": ("one_solution",)
    }


def test_a_solution_is_needed_by_a_needed_one_only() -> None:
    both = [*exercise(1, "one", ONE), *exercise(2, "two", TWO)]
    assert needed(*both) == {"ex-02-1": (), "ex-02-2": ()}
    assert needed(*both, "break: two_solution(1)") == {
        "ex-02-1": ("one_solution",),
        "ex-02-2": ("two_solution",),
    }


def test_a_name_that_is_bound_again_is_not_needed() -> None:
    cells = [*exercise(1, "one", ONE), "break: one_solution = abs", "break: one_solution(1)"]
    assert needed(*cells) == {"ex-02-1": ()}


def test_a_function_above_may_need_a_solution_below() -> None:
    cells = ["break: def early():\n    return one_solution(1)", *exercise(1, "one", ONE)]
    assert needed(*cells, "break: early()") == {"ex-02-1": ("one_solution",)}


def test_an_answer_is_a_part_and_says_which_of_its_names_are_needed() -> None:
    cells = ["answer: y = 1\ndef b(): ...\ndef a(): ...", "answer: z = 2", "break: a(), b(), y"]
    assert parts(made_of(*cells)) == [
        Part(0, "answer", "try-02-1", "y = 1\ndef b(): ...\ndef a(): ...\n", ("b", "a", "y")),
        Part(1, "answer", "try-02-2", "z = 2\n", ()),
    ]


def test_checks_are_taken_out_wherever_they_stand() -> None:
    source = "x = 1\ncheck.a(\n    x\n)\n\n# why\ny = 2\ncheck.b(y)"
    assert without_checks(source) == "x = 1\n\n# why\ny = 2\n"


@pytest.mark.parametrize("source", ["x = 1", "check.a()", "check.a(1)", "other.a(b)", ""])
def test_what_is_no_check_is_refused(source: str) -> None:
    with pytest.raises(BookError, match="check cell"):
        checked(source)


@each_chapter
def test_the_book_runs_without_what_it_does_not_need(chapter: Chapter) -> None:
    """Every name is bound by a cell that stays or by a part that is needed, in each chapter."""
    page = page_of(chapter)
    found = {part.at: part for part in parts(page)}
    assert {task.label for task in tasks(page)} <= {part.name for part in found.values()}
    whole = [cell.source for _, cell in page.code()]
    left = [
        cell.source if at not in found else found[at].source if found[at].needed else ""
        for at, cell in page.code()
    ]
    assert list(undefined(left)) == list(undefined(whole))

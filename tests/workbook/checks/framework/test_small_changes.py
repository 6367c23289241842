"""A failing check names a small change of a right solution, if exactly that change agrees."""

import ast
import importlib
import sys
import textwrap
from typing import Any

import pytest

from workbook.checks import load_mistakes
from workbook.checks.ch06.dividing import shares
from workbook.checks.framework import Exercise, Registry, expect, shown
from workbook.checks.framework.calls import Checks
from workbook.checks.framework.diagnosis.mutants.agreement import like, played
from workbook.checks.framework.diagnosis.mutants.making import Mutant, mutants, mutants_of
from workbook.checks.framework.diagnosis.outcome import play

cause = importlib.import_module("workbook.checks.framework.diagnosis.cause")


def taken(sizes: list[int], room: int) -> list[int]:
    """Those that fit into the room, one after the other."""
    fit = []
    for size in sizes:
        if size > room:
            break
        fit.append(size)
        room -= size
    return fit


def endless(n: int) -> int:
    """How often n can be halved."""
    times = 0
    while n > 1:
        n = n // 2
        times += 1
    return times


class Right:
    """A count that can't go below zero, and a list."""

    def __init__(self) -> None:
        self.count = 0

    def up(self) -> int:
        self.count += 1
        return self.count

    def down(self) -> int:
        if self.count == 0:
            raise ValueError("nothing is left")
        self.count -= 1
        return self.count


def changed(source: str) -> dict[str, str]:
    """Clauses and sources of all mutants of a function."""
    tree = ast.parse(textwrap.dedent(source))
    return {one.clause: one.source for one in mutants(tree, taken)}


@pytest.mark.parametrize(
    ("body", "clause", "became"),
    [
        ("x += 1\n return x", "`x += 1` is left out", "return x"),
        ("if a < b:\n  a = 1\n return a", "what stands below `if a < b` never happens", "return a"),
        ("if a < b:\n  a = 1\n return a", "what stands below `if a < b` always happens", "a = 1"),
        ("if a:\n  b = 1\n return b", "`if a` asks the opposite", "if not a:"),
        ("return a < b", "`return a <= b` stands in the place of `return a < b`", "a <= b"),
        ("return a[:b]", "`return a[:b - 1]` stands in the place of `return a[:b]`", "a[:b - 1]"),
        ("return a // b", "`return -(-a // b)` stands in the place of `return a // b`", "-a // b"),
        ("return a and b", "`return a or b` stands in the place of `return a and b`", "a or b"),
        ("return f(a, b)", "`return f(b, a)` stands in the place of `return f(a, b)`", "f(b, a)"),
        ("return max(a, b)", "`return min(a, b)` stands in the place of `return max(a, b)`", "min"),
        ("return a[-1]", "`return a[0]` stands in the place of `return a[-1]`", "a[0]"),
        ("return list(a)", "`return a` stands in the place of `return list(a)`", "return a"),
        ("return a.copy()", "`return a` stands in the place of `return a.copy()`", "return a"),
        ("return a", "`return b` stands in the place of `return a`", "return b"),
        ("a += b\n return a", "`a = b` stands in the place of `a += b`", "a = b"),
        ("f(a)\n g(b)\n return a", "`g(b)` comes before `f(a)`", "g(b)\n    f(a)"),
        ("for i in a:\n  f(i)\n return b",
         "`return b` stands inside the loop `for i in a`, at its end", "f(i)\n        return b"),
        ("for i in a:\n  f(i)\n return b", "the loop `for i in a` stops one earlier", "a[:-1]"),
        ("return [i for i in a if i]", "the loop `for i in a` begins one later", "in a[1:]"),
        ("return [i for i in a if i]", "the condition `if` `i` is left out", "if True"),
        ("while a:\n  f(a)\n return b",
         "`while a` goes round only once, as an `if` would", "break"),
        ("for i in a:\n  if i:\n   break\n  f(i)\n return b",
         "`continue` stands in the place of `break`", "continue"),
        ("if a:\n  raise KeyError('x')\n f(b)\n g(b)\n return a",
         "`if a` is asked only when all else has been done", "g(b)\n    if a:"),
        ("for i in a:\n  f(i)\n  g(i)\n return b", "`g(i)` stands after `for i in a`, not below it",
         "f(i)\n    g(i)"),
    ],
)  # fmt: skip
def test_a_change_is_made_and_told(body: str, clause: str, became: str) -> None:
    told = changed(f"def taken(a, b, x=0):\n {body}")
    assert clause in told, sorted(told)
    assert became in told[clause]


def test_of_a_long_expression_the_place_that_differs_is_shown() -> None:
    told = changed(
        "def taken(a, b):\n return a.first_of_many(b) + b.second_of_many(a) < a.third(b) - 1234567"
    )
    (words,) = (clause for clause in told if "<= a.third" in clause)
    assert words == "`…second_of_many(a) <= a.third(b)…` stands in the place of " + (
        "`…second_of_many(a) < a.third(b)…`"
    )


def test_an_item_is_never_put_in_the_place_of_its_list() -> None:
    told = changed("def taken(xs, n):\n return [x + n for x in xs]")
    assert any("`return [n + n for x in xs]`" in clause for clause in told)
    assert not any("xs + n" in clause or "for x in x]" in clause for clause in told)


def test_no_change_touches_words_annotations_or_a_docstring() -> None:
    source = '''def taken(a: dict[int, int], b=1):
        """Two."""
        raise KeyError(f"{a + 1}")'''
    assert set(changed(source)) == {"`raise KeyError` is left out"}


def test_making_mutants_registers_nothing_again() -> None:
    load_mistakes(shares.label)
    before = len(shares.also_right), len(shares.mistakes)
    made = [mutant.solution for right in shares.also_right for mutant in mutants_of(right)]
    assert made
    assert (len(shares.also_right), len(shares.mistakes)) == before


@pytest.fixture
def book() -> tuple[Checks, Exercise]:
    registry = Registry()
    exercise = registry.exercise(
        "taken", label="ex-99-1", title="T", stub="taken", takes="function", hints=("", "")
    )
    for sizes, room in (([3, 4, 5], 8), ([5, 2, 6], 13), ([7], 3), ([6, 6, 1], 7), ([1], 9)):
        exercise.example(
            f"{sizes} into {room}", sizes, room, right=taken(list(sizes), room), why="Law."
        )
    exercise.finished = taken
    return Checks(registry), exercise


def why(checks: Checks, source: str) -> str:
    names: dict[str, Any] = {}
    exec(compile(textwrap.dedent(source), "/tmp/ipykernel_1/78.py", "exec"), names)
    report = checks.taken(names["taken"])
    assert report.failure, repr(report)
    return report.failure.why


PLAIN = "One item too many, at the end. Law."
WITHOUT_ROOM = """
    def taken(sizes, room):
        out = []
        for s in sizes:
            {asks}
            out += [s]
        return out
"""


def test_the_change_that_agrees_in_every_case_is_told_with_the_law(book: Any) -> None:
    assert why(book[0], WITHOUT_ROOM.format(asks="if s > room: return out")) == (
        "In every case yours ends like a right solution in which `room -= size` is left out. Law."
    )


def test_of_two_that_nothing_tells_apart_both_are_told(book: Any) -> None:
    told = why(book[0], WITHOUT_ROOM.format(asks="pass"))
    assert told.startswith("In every case yours ends like a right solution in which what stan")
    assert "below `if size > room` never happens" in told


def test_a_change_that_differs_in_one_case_is_not_told(book: Any) -> None:
    asks = "if s > room or s == 5: return out\n            if s == 7: return [0]"
    assert "right solution" not in why(book[0], WITHOUT_ROOM.format(asks=asks))


def test_more_changes_than_two_say_nothing(book: Any, monkeypatch: Any) -> None:
    three = tuple(
        Mutant(taken, clause, "taken", line, one.source)
        for line, clause in enumerate("abc")
        for one in mutants_of(taken)
        if one.clause == "`room -= size` is left out"
    )
    agreement = sys.modules[like.__module__]
    monkeypatch.setattr(agreement, "mutants_of", lambda _: three)
    assert why(book[0], WITHOUT_ROOM.format(asks="if s > room: return out")) == PLAIN
    monkeypatch.setattr(agreement, "mutants_of", lambda _: three[:2])
    told = why(book[0], WITHOUT_ROOM.format(asks="if s > room: return out"))
    assert told.endswith("in which either a, or b. Law.")


def test_few_cases_say_nothing(book: Any) -> None:
    del book[1].cases[3:]
    assert why(book[0], WITHOUT_ROOM.format(asks="if s > room: return out")) == PLAIN


def test_a_known_mistake_comes_first_and_makes_no_mutant(book: Any, monkeypatch: Any) -> None:
    book[1].mistake("Nothing was taken off.", ("room -= size", "pass"))
    monkeypatch.setattr(cause, "like", None)
    asks = "if s > room: return out"
    assert why(book[0], WITHOUT_ROOM.format(asks=asks)) == "Nothing was taken off."


def test_a_search_that_takes_too_long_says_nothing(book: Any, monkeypatch: Any) -> None:
    monkeypatch.setattr(sys.modules[like.__module__], "_SECONDS", -1)
    assert why(book[0], WITHOUT_ROOM.format(asks="if s > room: return out")) == PLAIN


def test_a_change_that_never_ends_is_stopped_and_leaves_no_trace() -> None:
    registry = Registry()
    exercise = registry.exercise(
        "endless", label="ex-99-1", title="E", stub="endless", takes="function", hints=("", "")
    )
    exercise.example("nine", 9, right=3, why="Law.")
    (same,) = (one for one in mutants_of(endless) if one.clause == "`n = n // 2` is left out")
    before = sys.gettrace()
    assert played(same, exercise.cases[0]) == "|it never ends"
    assert sys.gettrace() is before


def test_no_fault_is_seen_in_a_method_that_the_reader_has_from_a_finished_class() -> None:
    registry = Registry()
    exercise = registry.exercise(
        "count", label="ex-99-1", title="C", stub="Count", takes="class", hints=("", "")
    )
    for ups in range(5):

        @exercise.case(f"{ups} up", tried="", right="", why="Law.")
        def body(cls: Any, ups: int = ups) -> None:
            count = cls()
            got = [count.up() for _ in range(ups)]
            expect(got == list(range(1, ups + 1)), got=shown(got))

    exercise.finished = Right

    class Two(Right):
        def up(self) -> int:
            self.count += 2
            return self.count

    class Whole(Right):
        def __init__(self) -> None:
            self.count = 1

    class Inherits(Whole):
        def up(self) -> int:
            return super().up()

    def told(cls: Any) -> str | None:
        case = exercise.cases[1]
        return like(exercise, case, cls, play(case, cls))

    assert "in `up` `self.count += 2` stands in the place of `self.count += 1`" in str(told(Two))
    assert "in `__init__` `self.count = 1`" in str(told(Whole))
    assert told(Inherits) is None

"""Six submissions of chapter 2, and what each is worth."""

import copy
import inspect
from collections.abc import Callable
from typing import Any

import pytest
from helpers.submissions import Notebook, points

pytestmark = pytest.mark.xdist_group("grading")  # one process to fork from

LOOP = "        while True: pass\n"
Fill = Callable[[dict[str, str]], Notebook]
Grade = Callable[[Notebook], dict[str, dict[str, Any]]]


def test_right(grade: Grade, fill: Fill, right: dict[str, str]) -> None:
    rows = grade(fill(right))
    assert points(rows) == ["8", "4", "6", "14", "8", "40"]
    assert all(row["stopped"] == row["said"] == "" for row in rows.values() if "stopped" in row)


def wrong(right: dict[str, str]) -> dict[str, str]:
    guard = (
        "        if self.refs[block] == 0:\n"
        '            raise BlockNotHeld(f"nobody holds block {block}; it was released before")\n'
    )
    assert guard in right["ex-02-1"]
    return right | {
        "ex-02-1": right["ex-02-1"].replace(guard, ""),
        "ex-02-2": inspect.cleandoc("""
            class MyBulkAllocator(mine(MyAllocator, AllocatorSolution)):
                def allocate_many(self, n):
                    return [self.allocate() for _ in range(n)]"""),
        "ex-02-4": inspect.cleandoc("""
            def audit(free, refs, tables):
                held = {b for t in tables for b in t}
                return {} if len(free) + len(held) == len(refs) else {0: "lost"}"""),
    }


def test_no_guard_a_loop_of_allocate_and_totals_only(
    grade: Grade, fill: Fill, right: dict[str, str]
) -> None:
    rows = grade(fill(wrong(right)))
    assert points(rows) == ["2.7", "0", "6", "1.8", "8", "18.5"]
    assert rows["ex-02-1"]["stopped"] == "releasing a block twice"
    assert rows["ex-02-1"]["said"] == "no error; num_free is 5 in a pool of 4"


def test_untouched(grade: Grade, fill: Fill) -> None:
    rows = grade(fill({}))
    assert set(points(rows)) == {"0"}
    assert {row["stopped"] for row in rows.values() if "stopped" in row} == {"not begun"}


CHEAT = """
class R:
    passed, titles, ok = 6, [1] * 6, True
class check:
    def __getattr__(self, n):
        return lambda x: R()
check = check()
class MyAllocator:
    pass
"""


def test_check_overwritten(grade: Grade, fill: Fill, right: dict[str, str]) -> None:
    assert points(grade(fill({"ex-02-1": CHEAT}))) == ["0"] * 6
    assert points(grade(fill(right | {"ex-02-1": CHEAT}))) == ["0", "4", "6", "14", "8", "32"]


def test_a_check_cell_copied(grade: Grade, fill: Fill, right: dict[str, str]) -> None:
    """jupyter/nbgrader#1083: there the whole notebook counts for nothing."""
    notebook = fill(right)
    at = next(
        at
        for at, cell in enumerate(notebook["cells"])
        if "check" in cell["metadata"].get("tags", [])
    )
    notebook["cells"].insert(at + 1, copy.deepcopy(notebook["cells"][at]))  # with its id
    assert points(grade(notebook))[-1] == "40"


@pytest.mark.parametrize(
    "where", [pytest.param("in a method", marks=pytest.mark.slow), "in the cell"]
)
def test_a_loop_without_end(where: str, grade: Grade, fill: Fill, right: dict[str, str]) -> None:
    """ucbds-infra/otter-grader#469, jupyter/nbgrader#427."""
    own = right["ex-02-1"]
    if where == "in a method":
        own = own.replace("        if not self.free:", f"{LOOP}        if not self.free:")
    else:
        own += "while True: pass\n"
    rows = grade(fill(right | {"ex-02-1": own}))
    assert points(rows) == ["0", "4", "6", "14", "8", "32"]
    assert rows["ex-02-1"]["said"].startswith("no end within")

"""The memory that chapter 1 builds keeps the same books as the engine's `PagedSequences`."""

import contextlib
from pathlib import Path
from typing import Any

import jupytext
import pytest

from paged_attention.errors import BlockPoolExhausted
from workbook.checks import check

CHAPTER = (
    Path(__file__).parents[2] / "chapters" / "source" / "01_reserved_memory_is_wasted_memory.md"
)
NEEDED = (
    "import random",
    "class Request",
    "def states",
    "def simulate",
    "class PagedSolution",
    "class Finished",
)


@pytest.fixture(scope="module")
def chapter() -> dict[str, Any]:
    """The cells that begin so, and nothing else: no model is loaded, nothing is drawn."""
    names: dict[str, Any] = {"__name__": "__main__"}
    for cell in jupytext.read(CHAPTER).cells:
        if cell.source.startswith(NEEDED):
            exec(compile(cell.source.split("\nfinished = ")[0], "cell", "exec"), names)
    return names


@pytest.fixture
def requests(chapter: dict[str, Any]) -> Any:
    request = chapter["Request"]
    pairs = {"A": (5, 11), "B": (3, 7), "C": (6, 14), "D": (4, 9), "E": (2, 6)}
    return {name: request(*pair) for name, pair in pairs.items()}


def states(rows: Any) -> list[list[str]]:
    return [sorted(state for state, _ in row.cells) for row in rows]


def seen(rows: Any) -> list[Any]:
    """The rows up to the end, or up to the step that runs dry."""
    kept: list[Any] = []
    with contextlib.suppress(BlockPoolExhausted):
        kept.extend(rows)
    return kept


def test_its_memory_passes_the_check(chapter: dict[str, Any]) -> None:
    assert check.paged(chapter["PagedSolution"]).ok


def test_the_engine_keeps_the_same_books_in_the_same_loop(
    chapter: dict[str, Any], requests: Any
) -> None:
    rows = [
        list(chapter["simulate"](chapter[memory](), requests))
        for memory in ("PagedSolution", "Finished")
    ]
    assert states(rows[0]) == states(rows[1])
    assert len(rows[0]) == 9


@pytest.mark.parametrize(("final", "dies_in"), [(13, None), (14, 8), (20, 8)])
def test_it_runs_dry_in_the_step_that_the_chapter_says(
    chapter: dict[str, Any], requests: Any, final: int, dies_in: int | None
) -> None:
    long = {name: request._replace(final=final) for name, request in requests.items()}
    rows = seen(chapter["simulate"](chapter["PagedSolution"](), long))
    if dies_in is None:
        assert rows[-1].label == "11"
    else:
        assert len(rows) == dies_in
        assert all(state != "free" for state, _ in rows[-1].cells)

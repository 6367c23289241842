"""The cache that chapter 3 builds, taken out of its cells, is the engine's: same checks, same
answers.
"""

import random
from pathlib import Path
from typing import Any

import jupytext
import pytest
import torch

from paged_attention.cache import PagedKVCache
from paged_attention.errors import BlockPoolExhausted
from workbook.checks import check

CHAPTER = (
    Path(__file__).parents[2] / "chapters" / "source" / "03_block_tables_and_the_paged_cache.md"
)
LAST = "check.paged_cache(MyPagedKVCache)"


PIECES = ("place", "gather", "reserve")


def built(*, by_reader: bool) -> dict[str, Any]:
    """The names after the cells up to the class's check, pictures left out.

    ``by_reader`` writes each solution in the place of its stub, and checks it.
    """
    names: dict[str, Any] = {"__name__": "__main__"}
    for cell in jupytext.read(CHAPTER).cells:
        if cell.cell_type != "code" or cell.source.startswith("show("):
            continue
        if cell.source == LAST:
            return names
        tags = set(cell.metadata.get("tags", []))
        if by_reader and "solution" in tags:
            exec(compile(cell.source.replace("_solution", ""), "cell", "exec"), names)
        if "check" not in tags:
            exec(compile(cell.source, "cell", "exec"), names)
    raise AssertionError(f"the chapter has no cell {LAST}")


@pytest.fixture(scope="module", params=["the book's pieces", "the reader's"])
def cache_class(request: pytest.FixtureRequest) -> Any:
    return built(by_reader=request.param == "the reader's")["MyPagedKVCache"]


def test_the_class_passes_its_checks(cache_class: Any) -> None:
    report = check.paged_cache(cache_class)
    assert report.ok, repr(report)


def test_the_finished_cache_passes_them_too() -> None:
    report = check.paged_cache(PagedKVCache)
    assert report.ok, repr(report)


@pytest.mark.parametrize("by_reader", [False, True])
def test_a_piece_that_passed_enters_the_class(by_reader: bool) -> None:
    names = built(by_reader=by_reader)
    entered = [getattr(names["MyPagedKVCache"], piece) for piece in PIECES]
    wanted = ["place", "gather_batch", "reserve"]
    wanted = wanted if by_reader else [f"{name}_solution" for name in wanted]
    assert [piece.__name__ for piece in entered] == wanted


@pytest.mark.parametrize("seed", range(5))
def test_both_give_the_same_tables_and_tensors(cache_class: Any, seed: int) -> None:
    draw = random.Random(seed)
    mine, finished = (cls(2, 12, 4, 2, 3) for cls in (cache_class, PagedKVCache))
    alive: list[int] = []
    for step in range(60):
        if not alive or draw.random() < 0.2:
            alive.append(step)
            for cache in (mine, finished):
                cache.create(step)
        batch, tokens = draw.sample(alive, draw.randint(1, min(3, len(alive)))), draw.randint(1, 5)
        room = [reserved(cache, batch, tokens) for cache in (mine, finished)]
        assert room[0] == room[1]
        if not room[0]:
            gone = alive.pop(0)
            for cache in (mine, finished):
                cache.free(gone)
            continue
        assert mine.tables == finished.tables
        starts = torch.tensor([mine.lengths[seq] for seq in batch])
        k, v = torch.randn(2, len(batch), 2, tokens, 3)
        for cache in (mine, finished):
            cache.set_batch(batch)
        for layer in range(2):
            both = [
                cache.update(layer, k, v, starts[:, None] + torch.arange(tokens))
                for cache in (mine, finished)
            ]
            assert all(torch.equal(a, b) for a, b in zip(*both, strict=True))
        assert mine.lengths == finished.lengths


def reserved(cache: Any, batch: list[int], tokens: int) -> bool:
    try:
        for seq in batch:
            cache.reserve(seq, tokens)
    except BlockPoolExhausted:
        return False
    return True

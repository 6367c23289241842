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


@pytest.fixture(scope="module")
def built() -> Any:
    """``MyPagedKVCache`` after the cells up to its check, stubs and pictures left out."""
    names: dict[str, Any] = {"__name__": "__main__"}
    for cell in jupytext.read(CHAPTER).cells:
        if cell.cell_type != "code" or cell.source.startswith("show("):
            continue
        if cell.source == LAST:
            return names["MyPagedKVCache"]
        if not {"stub", "check"} & set(cell.metadata.get("tags", [])):
            exec(compile(cell.source, "cell", "exec"), names)
    raise AssertionError(f"the chapter has no cell {LAST}")


@pytest.mark.parametrize("which", ["built", "finished"])
def test_both_pass_the_same_checks(built: Any, which: str) -> None:
    report = check.paged_cache(built if which == "built" else PagedKVCache)
    assert report.ok, repr(report)


@pytest.mark.parametrize("seed", range(5))
def test_both_give_the_same_tables_and_tensors(built: Any, seed: int) -> None:
    draw = random.Random(seed)
    mine, finished = (cls(2, 12, 4, 2, 3) for cls in (built, PagedKVCache))
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

"""The cache that chapter 4 builds, taken out of its cells, forks and copies like the engine's."""

import random
from pathlib import Path
from typing import Any

import jupytext
import pytest
import torch

from paged_attention.beam import beam_search
from paged_attention.cache import PagedKVCache
from paged_attention.errors import BlockPoolExhausted
from paged_attention.generate import generate
from paged_attention.model import Model, tiny_model
from paged_attention.sampling import Sampling
from workbook.checks import check

CHAPTER = Path(__file__).parents[2] / "chapters" / "source" / "04_forks_and_copy_on_write.md"
LAST = "MyPagedKVCache.reserve_many = reserve_many"


@pytest.fixture(scope="module")
def built() -> Any:
    """``MyPagedKVCache`` after the cell that makes it whole, checks and pictures left out."""
    names: dict[str, Any] = {"__name__": "__main__"}
    for cell in jupytext.read(CHAPTER).cells:
        if cell.cell_type != "code" or cell.source.startswith("show("):
            continue
        if "check" not in cell.metadata.get("tags", []):
            exec(compile(cell.source, "cell", "exec"), names)
        if cell.source.endswith(LAST):
            return names["MyPagedKVCache"]
    raise AssertionError(f"the chapter has no cell that ends in {LAST}")


@pytest.fixture(scope="module")
def tiny() -> Model:
    torch.set_num_threads(1)
    return tiny_model()


@pytest.mark.parametrize("which", ["built", "finished"])
def test_both_pass_the_same_checks(built: Any, which: str) -> None:
    cls = built if which == "built" else PagedKVCache
    for report in (check.forking_cache(cls), check.paged_cache(cls)):
        assert report.ok, repr(report)


@pytest.mark.parametrize("seed", range(5))
def test_both_take_the_same_blocks(built: Any, seed: int) -> None:
    draw = random.Random(seed)
    ours, finished = (cls(1, 14, 4, 1, 1) for cls in (built, PagedKVCache))
    for cache in (ours, finished):
        cache.create(0)
    for step in range(1, 200):
        alive = list(ours.tables)
        operation = draw.choice(["fork", "step", "step", "step", "cut", "free"])
        some = draw.sample(alive, draw.randint(1, len(alive)))
        tokens = {seq: draw.randint(0, 4) for seq in some}
        cut = draw.randint(0, ours.lengths[some[0]])
        results = [act(cache, operation, some[0], step, tokens, cut) for cache in (ours, finished)]
        assert results[0] == results[1]
        assert ours.tables == finished.tables
        assert ours.lengths == finished.lengths
        ours.check_invariants()


def act(cache: Any, operation: str, seq: int, new: int, tokens: dict[int, int], cut: int) -> bool:
    """Do it; whether there was room."""
    if operation == "fork" and len(cache.tables) < 6:
        cache.fork(seq, new)
    elif operation == "cut":
        cache.truncate(seq, cut)
    elif operation == "free" and len(cache.tables) > 1:
        cache.free(seq)
    elif operation == "step":
        try:
            cache.reserve_many(tokens)
        except BlockPoolExhausted:
            return False
        for name, count in tokens.items():
            cache.lengths[name] += count
    return True


def test_samples_and_beams_of_a_model_are_the_same(built: Any, tiny: Model) -> None:
    config, results = tiny.config, []
    for cls in (built, PagedKVCache):
        cache = cls(config.layers, 60, 4, config.kv_heads, config.head_dim)
        hot = Sampling(temperature=1.0, seed=3)
        samples = generate(tiny.decoder, cache, [[5, 6, 7, 8, 9]], 8, samples=3, sampling=hot)
        beams = beam_search(tiny.decoder, cache, [5, 6, 7, 8, 9], 3, 8)
        results.append((samples, [beam.tokens for beam in beams]))
        assert cache.allocator.num_free == 60
    assert results[0] == results[1]

"""The prefix cache that chapter 5 builds, taken out of its cells, hits what the engine's hits."""

import random
from pathlib import Path
from typing import Any

import jupytext
import pytest

from paged_attention.cache import PagedKVCache
from paged_attention.errors import BlockPoolExhausted
from paged_attention.journal import Journal
from paged_attention.prefix import PrefixCache
from paged_attention.runs import RunTree
from paged_attention.tables import ceil_div
from workbook.checks import check

CHAPTER = Path(__file__).parents[2] / "chapters" / "source" / "05_prefix_caching.md"
SOLUTIONS = ("PrefixCacheSolution", "ExactIndexSolution", "EvictingCacheSolution")
INDEXES = ("WholePrefixIndex", "CheckedChainIndex")
FAST = ("Run", "RunIndex", "PublishingRunIndex", "LazyQueue", "QueueSolution")
FUNCTIONS = ("pack", "agrees_solution", "cut_solution")


@pytest.fixture(scope="module")
def chapter() -> dict[str, Any]:
    """The names after the chapter's imports, its solutions and its other two indexes."""
    names: dict[str, Any] = {"__name__": "__main__"}
    cells = [cell.source for cell in jupytext.read(CHAPTER).cells if cell.cell_type == "code"]
    kept = (*SOLUTIONS, *INDEXES, "ChainIndex")
    for source in [
        cells[0],
        *(c for c in cells if c.startswith(tuple(f"class {n}" for n in kept))),
    ]:
        exec(compile(source, "cell", "exec"), names)
    return names


def test_the_chapter_s_classes_pass_the_checks(chapter: dict[str, Any]) -> None:
    for exercise, name in zip(("prefix_cache", "exact_index", "evict"), SOLUTIONS, strict=True):
        report = getattr(check, exercise)(chapter[name])
        assert report.ok, repr(report)


@pytest.mark.parametrize("name", [*INDEXES, "ExactIndexSolution"])
def test_every_index_finds_the_same(chapter: dict[str, Any], name: str) -> None:
    built = chapter["PrefixCacheSolution"](PagedKVCache(1, 400, 4, 1, 1), chapter[name]())
    finished = PrefixCache(PagedKVCache(1, 400, 4, 1, 1))
    draw = random.Random(1)
    for seq in range(60):
        # Few prefixes, none of which meet modulo 97: the chain's last resort is another test's.
        prompt = [10 * draw.randrange(2) + i // 4 for i in range(draw.randint(1, 12))]
        assert serve(built, seq, prompt) == serve(finished, seq, prompt)


@pytest.mark.parametrize("seed", range(5))
def test_under_pressure_both_hit_the_same(chapter: dict[str, Any], seed: int) -> None:
    index = chapter["ExactIndexSolution"]()
    built = chapter["EvictingCacheSolution"](PagedKVCache(1, 20, 4, 1, 1), index)
    finished = PrefixCache(PagedKVCache(1, 20, 4, 1, 1))
    draw = random.Random(seed)
    for seq in range(200):
        prompt = [10 * level + draw.randrange(2) for level in range(4) for _ in range(4)]
        prompt = prompt[: draw.randint(1, 16)] + [99] * draw.randrange(9)
        assert serve(built, seq, prompt) == serve(finished, seq, prompt)
        for prefix in (built, finished):
            prefix.cache.free(seq)
        assert len(index.keys) == len(finished)
        assert built.cache.allocator.num_free == finished.cache.allocator.num_free


def test_the_admission_of_break_it_is_refused_by_the_engine() -> None:
    cache = PagedKVCache(1, 8, 4, 1, 1)
    prefix = PrefixCache(cache)
    serve(prefix, "idle", list(range(8)))
    cache.free("idle")
    serve(prefix, "running", [90] * 12)
    assert prefix.attach("long", list(range(24))) == 8
    with pytest.raises(BlockPoolExhausted):
        cache.reserve("long", 16)
    prefix.check_invariants()


@pytest.fixture(scope="module")
def fast(chapter: dict[str, Any]) -> dict[str, Any]:
    """The third part's classes and functions, with the book's solutions for the reader's."""
    names = chapter | {"mine": lambda _theirs, ours: ours, "agrees": None, "cut": None}
    starts = (*(f"class {name}" for name in FAST), *(f"def {name}" for name in FUNCTIONS))
    for cell in jupytext.read(CHAPTER).cells:
        if cell.cell_type == "code" and cell.source.startswith(starts):
            exec(compile(cell.source, "cell", "exec"), names)
    return names


@pytest.mark.parametrize("seed", range(5))
def test_the_chapter_s_runs_are_the_engine_s(fast: dict[str, Any], seed: int) -> None:
    built, finished = fast["PublishingRunIndex"](width=4), RunTree(999, 4, Journal())
    draw, space = random.Random(seed), (None, None)
    fresh = iter(range(999))
    for _ in range(60):
        prompt = [draw.choice([0, 0, 0, 1]) for _ in range(draw.randint(1, 12))]
        packed = fast["pack"](prompt)
        known = finished.find(space, packed)
        assert built.find(packed) == known
        table = known + [next(fresh) for _ in prompt[len(known) :]]
        built.publish(packed, table)
        finished.publish(space, packed[4 * len(known) :], table, len(known))

        def runs(run: Any) -> list[Any]:
            return [[c.first, c.blocks, runs(c)] for c in run.children.values()]

        assert sorted(runs(built.top)) == sorted(runs(finished._roots[space]))


def serve(prefix: Any, seq: Any, prompt: list[int]) -> int:
    """Attach, pretend to run the rest, remember; returns the tokens reused."""
    cache = prefix.cache
    reused: int = prefix.attach(seq, prompt)
    missing = ceil_div(len(prompt), cache.block_size) - len(cache.tables[seq])
    if not isinstance(prefix, PrefixCache) and missing > cache.allocator.num_free:
        prefix.evict(missing - cache.allocator.num_free)
    cache.reserve(seq, len(prompt) - reused)
    cache.lengths[seq] = len(prompt)
    prefix.remember(seq, prompt)
    return reused

"""What chapter 10 builds, taken out of its cells, agrees with the engine."""

from pathlib import Path
from typing import Any

import jupytext
import pytest
from hypothesis import given
from hypothesis import strategies as st

from paged_attention.cache import PagedKVCache
from paged_attention.prefix import PrefixCache
from paged_attention.tables import blocks_needed, kernel_table

CHAPTER = Path(__file__).parents[2] / "chapters" / "source" / "10_choosing_the_block_size.md"


@pytest.fixture(scope="module")
def built() -> dict[str, Any]:
    """The chapter's imports and its solutions, without their checks."""
    cells = [c for c in jupytext.read(CHAPTER).cells if c.cell_type == "code"]
    names: dict[str, Any] = {"__name__": "__main__"}
    exec(cells[0].source, names)
    for cell in cells[1:]:
        if "solution" in cell.metadata.get("tags", []):
            exec(cell.source.split("\ncheck.")[0], names)
    return names


@given(st.lists(st.integers(1, 400), min_size=1, max_size=9), st.integers(1, 300))
def test_waste_is_what_a_cache_holds(built: dict[str, Any], lengths: list[int], b: int) -> None:
    cache = PagedKVCache(1, sum(blocks_needed(n, b) for n in lengths), b, 1, 1)
    for seq, length in enumerate(lengths):
        cache.create(seq)
        cache.reserve(seq, length)
    held = sum(map(len, cache.tables.values())) * b
    assert built["waste_at_solution"](lengths, b) == pytest.approx(1 - sum(lengths) / held)


@given(
    st.lists(st.lists(st.integers(0, 2), min_size=1, max_size=14), min_size=1, max_size=7),
    st.integers(1, 5),
)
def test_tokens_run_are_what_the_prefix_cache_leaves(
    built: dict[str, Any], prompts: list[list[int]], b: int
) -> None:
    blocks = sum(blocks_needed(len(prompt), b) for prompt in prompts)
    prefix = PrefixCache(PagedKVCache(1, blocks, b, 1, 1))
    run = 0
    for seq, prompt in enumerate(prompts):
        reused = prefix.attach(seq, prompt)
        run += len(prompt) - reused
        prefix.cache.reserve(seq, len(prompt) - reused)
        prefix.cache.advance({seq: len(prompt)})
        prefix.remember(seq, prompt)
    assert built["tokens_run_solution"](prompts, b) == run


@given(st.lists(st.integers(0, 30), max_size=5), st.integers(1, 8), st.integers(1, 6))
def test_pages_are_the_engine_s(
    built: dict[str, Any], table: list[int], page: int, pages: int
) -> None:
    mine = built["kernel_table_solution"](table, page * pages, page)
    assert mine == kernel_table(table, page * pages, page)

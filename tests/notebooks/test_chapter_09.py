"""What chapter 9 builds, taken out of its cells, agrees with the finished kernels."""

import linecache
import math
from collections.abc import Callable
from pathlib import Path
from typing import Any

import jupytext
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from paged_attention.kernels import paged_prefill_attention, prefill_inputs, reference

CHAPTER = Path(__file__).parents[2] / "chapters" / "source" / "09_paged_prefill.md"
FILE = "<solutions of chapter 9>"
BATCH = st.lists(st.tuples(st.integers(0, 60), st.integers(0, 50)), min_size=1, max_size=5)


@pytest.fixture(scope="module")
def built() -> dict[str, Any]:
    """The chapter's imports, its solutions without their checks, and the cells that build steps."""
    cells = [c for c in jupytext.read(CHAPTER).cells if c.cell_type == "code"]
    wanted = [cells[0].source, cells[1].source, "cut = None"]
    for cell in cells[2:]:
        if "solution" in cell.metadata.get("tags", []):
            wanted.append(cell.source.split("\ncheck.")[0])
        elif cell.source.startswith(("def tile(", "MIXED =", "def prepared(")):
            wanted.append(cell.source)
        elif "def by_tiles(" in cell.source:
            body = cell.source[cell.source.index("def by_tiles(") :]
            wanted.append(body[: body.index("\nstep = ")])
    source = "\n\n".join(wanted)
    linecache.cache[FILE] = (len(source), None, source.splitlines(keepends=True), FILE)
    names: dict[str, Any] = {"__name__": "__main__"}
    exec(compile(source, FILE, "exec"), names)
    names["cut"] = names["tile_map_solution"]
    return names


def starts_of(rows: list[tuple[int, int]]) -> tuple[list[int], list[int]]:
    starts = [0]
    for _, new in rows:
        starts.append(starts[-1] + new)
    return [known + new for known, new in rows], starts


@given(rows=BATCH, tokens=st.integers(1, 30))
def test_the_map_is_the_engine_s(
    built: dict[str, Any], rows: list[tuple[int, int]], tokens: int
) -> None:
    lengths, starts = starts_of(rows)
    mine = built["tile_map_solution"](lengths, starts, tokens)
    assert mine == [tuple(tile) for tile in prefill_inputs.tile_map(starts, lengths, tokens)]


@given(rows=BATCH)
def test_every_new_token_sees_what_the_reference_lets_it_see(
    built: dict[str, Any], rows: list[tuple[int, int]]
) -> None:
    seen = built["keys_seen_solution"](*starts_of(rows))
    assert seen == [known + i + 1 for known, new in rows for i in range(new)]


@given(rows=BATCH.filter(lambda rows: any(new for _, new in rows)), tokens=st.integers(1, 9))
@settings(max_examples=10)
def test_tiles_in_numpy_are_attention(
    built: dict[str, Any], rows: list[tuple[int, int]], tokens: int
) -> None:
    step = built["make_step"](rows)
    out = built["by_tiles"](step, tokens)
    torch.testing.assert_close(out.double(), reference.prefill(step), atol=1e-5, rtol=1e-5)


@pytest.mark.parametrize("block_size", [4, 24])
def test_the_kernel_is_attention(built: dict[str, Any], block_size: int) -> None:
    pytest.importorskip("triton", reason="no wheels for this system")
    step = built["make_step"](built["MIXED"], block_size=block_size, empty=math.nan)
    prefill: Callable[..., torch.Tensor] = built["through"](built["prefill_kernel_solution"])
    right = paged_prefill_attention(*step[:6], block_size)
    torch.testing.assert_close(prefill(*step[:6], block_size), right, atol=1e-5, rtol=1e-5)

"""Bad prefill steps are refused with their name, before anything is read; and the tile map."""

from typing import Any

import pytest
import torch
from helpers.prefill import prefill_step, with_triton
from hypothesis import given
from hypothesis import strategies as st

from paged_attention import kernels
from paged_attention.errors import BadTensor, PositionNotReserved, UnknownBlock
from paged_attention.kernels import (
    cpu,
    paged_prefill_attention,
    prefill_cpu,
    prefill_gather,
    prefill_twin,
    reference,
    triton_is_here,
)
from paged_attention.kernels.prefill_inputs import Tile, tile_map


def arguments(**changed: Any) -> dict[str, Any]:
    step = prefill_step([(0, 0), (5, 3), (9, 9)])
    names = ("q", "k_pool", "v_pool", "block_tables", "lengths", "query_starts")
    return {name: getattr(step, name) for name in names} | {"block_size": 4} | changed


BAD: list[tuple[str, dict[str, Any], str]] = [
    ("q as a batch", {"q": torch.zeros(1, 6, 12, 16)}, r"q \[N, Hq, D\].*got \[1, 6, 12, 16\]"),
    ("starts a matrix", {"query_starts": torch.zeros(4, 1).long()}, r"query_starts \[B \+ 1\]"),
    ("a start too few", {"query_starts": torch.zeros(3).long()}, "query_starts has 3 numbers"),
    ("a length too many", {"lengths": torch.zeros(4).long()}, "lengths 4: B sequences need B"),
    ("starts as floats", {"query_starts": torch.zeros(4)}, "query_starts is torch.float32"),
    ("pools of two types", {"v_pool": torch.zeros(8, 2, 4, 16).half()}, "must be alike"),
    ("another block size", {"block_size": 8}, "block_size is 8, .* blocks of 4"),
    ("another head size", {"q": torch.zeros(12, 6, 8)}, "head size 8, the pools 16"),
    ("heads not shared evenly", {"q": torch.zeros(12, 5, 16)}, "5 query heads .* 2 KV heads"),
    ("q of whole numbers", {"q": torch.zeros(12, 6, 16).int()}, "q is torch.int32"),
]


@pytest.mark.parametrize(("name", "changed", "said"), BAD, ids=[name for name, *_ in BAD])
def test_bad_tensors(name: str, changed: dict[str, Any], said: str) -> None:
    with pytest.raises(BadTensor, match=said):
        paged_prefill_attention(**arguments(**changed))


@pytest.mark.parametrize(
    "prefill",
    [prefill_cpu.prefill, prefill_gather.prefill, prefill_twin.prefill, reference.prefill],
)
@pytest.mark.parametrize(
    ("changed", "error", "said"),
    [
        ({"query_starts": [1, 1, 4, 12]}, BadTensor, "goes from 1 to 12; q has 12 .* from 0 to 12"),
        ({"query_starts": [0, 0, 3, 11]}, BadTensor, "goes from 0 to 11"),
        ({"query_starts": [0, 4, 3, 12]}, BadTensor, "row 0 has length 0 and 4 new tokens"),
        ({"query_starts": [0, 0, -1, 12]}, BadTensor, "row 1 has length 5 and -1 new tokens"),
        ({"query_starts": [0, 0, 2, 12]}, BadTensor, "row 2 has length 9 and 10 new tokens"),
        ({"lengths": [0, 2, 9]}, BadTensor, "row 1 has length 2 and 3 new tokens"),
        ({"lengths": [0, 99, 9]}, PositionNotReserved, "row 1 has length 99"),
        ({"lengths": [-1, 5, 9]}, PositionNotReserved, "row 0 has length -1"),
        ({"lengths": [0, 9, 9]}, UnknownBlock, "row 1 keeps tokens 8 to 11 in block"),
    ],
    ids=str,
)
def test_numbers_out_of_range(
    prefill: Any, changed: dict[str, list[int]], error: type[Exception], said: str
) -> None:
    if prefill is prefill_cpu.prefill and cpu.find_compiler() is None:
        pytest.skip("no C++ compiler here")
    step = prefill_step([(0, 0), (5, 3), (9, 9)])
    numbers = {name: torch.tensor(values) for name, values in changed.items()}
    with pytest.raises(error, match=said):
        prefill(step._replace(**numbers))


def test_a_step_without_a_sequence() -> None:
    step = prefill_step([(5, 0)])
    none = step._replace(
        block_tables=step.block_tables[:0],
        lengths=step.lengths[:0],
        query_starts=torch.zeros(1).long(),
    )
    kernels = [prefill_gather.prefill, prefill_twin.prefill, reference.prefill]
    if triton_is_here():
        kernels += with_triton().values()
    for prefill in kernels:
        assert prefill(none).shape == (0, 6, 16)


def test_what_is_used_is_said() -> None:
    step = prefill_step([(5, 3)])
    assert "torch.float64" not in kernels.which_kernel(step)
    assert "float64" in kernels.which_kernel(step._replace(q=step.q.double()))
    assert "no kernel for meta" in kernels.which_kernel(step._replace(q=step.q.to("meta")))
    if cpu.find_compiler() is not None:
        assert kernels.which_kernel(step).startswith("C++ through the block tables")


def test_tiles_of_a_ragged_batch() -> None:
    starts = [0, 512, 513, 514, 515, 522]
    tiles = tile_map(starts, [512, 1, 1, 1, 7], 21)
    assert len(tiles) == 29
    assert tiles[:2] == [Tile(0, 504), Tile(0, 483)]


def test_who_reads_most_comes_first_whatever_is_new() -> None:
    assert tile_map([0, 1, 65], [8001, 64], 21)[0] == Tile(0, 0)


@given(st.lists(st.tuples(st.integers(0, 300), st.integers(0, 60)), max_size=6), st.integers(1, 40))
def test_every_new_token_is_in_one_tile(rows: list[tuple[int, int]], tokens: int) -> None:
    starts, lengths = [0], []
    for known, new in rows:
        starts.append(starts[-1] + new)
        lengths.append(known + new)
    tiles = tile_map(starts, lengths, tokens)
    found, reads = [], []
    for row, first in tiles:
        count = starts[row + 1] - starts[row]
        last = min(first + tokens, count)
        assert 0 <= first < last, "an empty tile"
        found += range(starts[row] + first, starts[row] + last)
        reads.append(lengths[row] - count + last)
    assert sorted(found) == list(range(starts[-1]))
    assert reads == sorted(reads, reverse=True)

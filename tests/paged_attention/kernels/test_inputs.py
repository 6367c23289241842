"""Bad input is refused with its name, before anything is read; odd but good input is taken."""

from typing import Any

import pytest
import torch
from helpers.decode import Kernel, decode_step

from paged_attention import kernels
from paged_attention.errors import BadTensor, PositionNotReserved, UnknownBlock
from paged_attention.kernels import cpu, gather, paged_decode_attention, reference, twin


def arguments(**changed: Any) -> dict[str, Any]:
    step = decode_step([0, 5, 9])
    names = ("q", "k_pool", "v_pool", "block_tables", "lengths", "block_size")
    return {name: getattr(step, name) for name in names} | changed


BAD: list[tuple[str, dict[str, Any], str]] = [
    ("q without heads", {"q": torch.zeros(3, 16)}, r"q \[B, Hq, D\]"),
    ("pools of one layer more", {"k_pool": torch.zeros(2, 8, 2, 4, 16)}, r"got .*\[2, 8, 2, 4, 16"),
    ("tables flat", {"block_tables": torch.zeros(3, dtype=torch.int64)}, "tables"),
    ("lengths a matrix", {"lengths": torch.zeros(3, 1, dtype=torch.int64)}, "lengths"),
    ("pools of two shapes", {"v_pool": torch.zeros(9, 2, 4, 16)}, "must be alike"),
    ("pools of two types", {"v_pool": torch.zeros(8, 2, 4, 16).half()}, "must be alike"),
    ("another block size", {"block_size": 8}, "block_size is 8, .* blocks of 4"),
    ("another head size", {"q": torch.zeros(3, 6, 8)}, "head size 8, the pools 16"),
    ("heads not shared evenly", {"q": torch.zeros(3, 5, 16)}, "5 query heads .* 2 KV heads"),
    ("a row too many", {"q": torch.zeros(4, 6, 16)}, "q has 4 rows, block_tables 3"),
    ("a length too few", {"lengths": torch.zeros(2, dtype=torch.int64)}, "lengths 2"),
    ("q of whole numbers", {"q": torch.zeros(3, 6, 16).int()}, r"q is torch.int32.*float32"),
    ("lengths as floats", {"lengths": torch.zeros(3)}, "lengths is torch.float32.*int32, int64"),
    ("tables as bytes", {"block_tables": torch.zeros(3, 4).byte()}, "block_tables is torch.uint8"),
    ("tables elsewhere", {"block_tables": torch.zeros(3, 4).long().to("meta")}, "on meta"),
]


@pytest.mark.parametrize(("name", "changed", "said"), BAD, ids=[name for name, *_ in BAD])
def test_bad_tensors(name: str, changed: dict[str, Any], said: str) -> None:
    with pytest.raises(BadTensor, match=said):
        paged_decode_attention(**arguments(**changed))


def test_pools_of_other_types() -> None:
    whole = torch.zeros(8, 2, 4, 16, dtype=torch.int8)
    with pytest.raises(BadTensor, match=r"k_pool is torch\.int8"):
        paged_decode_attention(**arguments(k_pool=whole, v_pool=whole))


def test_numbers_of_a_key_must_lie_side_by_side() -> None:
    turned = torch.zeros(8, 2, 16, 4).transpose(2, 3)
    with pytest.raises(BadTensor, match="last stride 1"):
        paged_decode_attention(**arguments(k_pool=turned, v_pool=turned))


@pytest.mark.parametrize("decode", [cpu.decode, gather.decode, twin.decode, reference.decode])
@pytest.mark.parametrize(
    ("length", "block", "error", "said"),
    [
        (17, 0, PositionNotReserved, "row 1 has length 17; .* 4 blocks of 4, 16 tokens"),
        (-1, 0, PositionNotReserved, "row 1 has length -1"),
        (5, 99, UnknownBlock, "row 1 keeps tokens 4 to 7 in block 99, .* blocks 0 to 8"),
        (5, -1, UnknownBlock, "in block -1"),
    ],
)
def test_lengths_and_entries_out_of_range(
    decode: Any, length: int, block: int, error: type[Exception], said: str
) -> None:
    if decode is cpu.decode and cpu.find_compiler() is None:
        pytest.skip("no C++ compiler here")
    step = decode_step([0, 5, 9, 1])
    step = step._replace(block_tables=step.block_tables[:, :4].clamp(0, 7))
    step.block_tables[1, 1] = block
    step.lengths[1] = length
    with pytest.raises(error, match=said):
        decode(step)


def test_entries_past_a_row_s_end_are_never_looked_at() -> None:
    given = arguments()
    given["block_tables"][:, 3:] = -(2**40)
    assert paged_decode_attention(**given).isfinite().all()


def test_an_empty_batch() -> None:
    given = arguments(
        q=torch.zeros(0, 6, 16),
        block_tables=torch.zeros(0, 4, dtype=torch.int64),
        lengths=torch.zeros(0, dtype=torch.int64),
    )
    assert paged_decode_attention(**given).shape == (0, 6, 16)


@pytest.mark.parametrize("decode", [gather.decode, twin.decode, reference.decode])
def test_each_kernel_takes_an_empty_batch(decode: Kernel) -> None:
    whole = decode_step([5])
    none = whole._replace(
        q=whole.q[:0], block_tables=whole.block_tables[:0], lengths=whole.lengths[:0]
    )
    assert decode(none).shape == (0, 6, 16)


def test_tables_without_a_column_serve_empty_rows() -> None:
    tables, lengths = torch.zeros(3, 0, dtype=torch.int64), torch.zeros(3, dtype=torch.int64)
    assert not paged_decode_attention(**arguments(block_tables=tables, lengths=lengths)).any()


def test_tables_and_queries_in_any_order_of_memory() -> None:
    given = arguments()
    right = paged_decode_attention(**given)
    given["block_tables"] = given["block_tables"].T.contiguous().T
    given["lengths"] = torch.stack([given["lengths"], given["lengths"]], 1)[:, 0]
    given["q"] = given["q"].transpose(0, 2).contiguous().transpose(0, 2)
    assert torch.equal(paged_decode_attention(**given), right)


def test_scales() -> None:
    step = decode_step([5, 9])
    given = (step.q, step.k_pool, step.v_pool, step.block_tables, step.lengths, 4)
    plain = paged_decode_attention(*given)
    double = paged_decode_attention(*given, scale=0.125, k_scale=2.0, v_scale=3.0)
    torch.testing.assert_close(double, 3 * plain)


def test_a_device_without_a_kernel_gathers() -> None:
    step = decode_step([5])
    moved = step._replace(q=step.q.to("meta"))
    assert "no kernel for meta" in kernels.which_kernel(moved)

"""Chapter 07: head sizes that aren't powers of two, and rows without a token."""

import math
from typing import Any

from workbook.checks.ch07.decode_kernel import OUTSIDE
from workbook.checks.framework import exercise, expect
from workbook.checks.toolboxes.decode_steps import decode_step, expect_right, launch, numbers

decode_edges = exercise(
    "decode_edges",
    label="ex-07-6",
    title="Edges",
    stub="decode_edges",
    takes="function",
    hints=(
        "`d` now has LANES numbers and only HEAD_DIM of them are real. Which of the four places "
        "that use `d` touch memory? And what are `l` and `acc` when the loop never ran?",
        "`real = d < HEAD_DIM`: mask the query with it, K and V with "
        "`written[:, None] & real[None, :]`, and the store. Addresses go on counting in HEAD_DIM. "
        "At the end divide by `tl.where(l > 0, l, 1.0)`.",
    ),
)


def _expect_lanes(kernel: Any, head_dim: int, heads: int = 2, **layout: Any) -> None:
    step = decode_step([5, 12], heads=heads, kv_heads=heads // 2, head_dim=head_dim, **layout)
    expect_right(kernel, step, OUTSIDE)


@decode_edges.case(
    "a head size of 48",
    tried="head size 48, LANES 64; 2 rows of 5 and 12 tokens, 4 heads over 2",
    right="48 numbers a head, each right",
    why="A tile is LANES wide, memory isn't: in q, in the pools and in out, neighbours are "
    "HEAD_DIM numbers apart, and lanes 48 to 63 of a tile would be the neighbour's.",
)
def _48(kernel: Any) -> None:
    _expect_lanes(kernel, 48, heads=4, behind=12)


@decode_edges.case(
    "neighbours that hold NaN",
    tried="2 heads over 1, and NaN in every slot that nobody wrote",
    right="48 numbers a head, each right",
    why="Lanes 48 to 63 of a key are the beginning of the next slot. A query of 0 there doesn't "
    "help: 0 × NaN is NaN.",
)
def _poison(kernel: Any) -> None:
    _expect_lanes(kernel, 48, unwritten=math.nan, behind=1)


@decode_edges.case(
    "head sizes 80 and 96, to the last slot of the pool",
    tried="head sizes 80 and 96, LANES 128; every block of the pool is in use",
    right="80 and 96 numbers a head, each right, and nothing read behind the pools",
    why="LANES is given, the next power of two; and behind the last slot of a pool comes memory "
    "that isn't the pool's.",
)
def _wider(kernel: Any) -> None:
    for head_dim in (80, 96):
        _expect_lanes(kernel, head_dim, spare=0)


@decode_edges.case(
    "a power of two as before",
    tried="head size 16, LANES 16",
    right="the answer of your kernel of exercise 5",
    why="Where every lane is real, nothing changes.",
)
def _power(kernel: Any) -> None:
    _expect_lanes(kernel, 16)


@decode_edges.case(
    "rows without a token",
    tried="lengths 0, 5, 0; out holds 7.0 before the launch",
    right="zeros in rows 0 and 2",
    why="A batch is padded with empty rows, and their answer goes into the next layer: it must be "
    "a number.",
)
def _empty(kernel: Any) -> None:
    step = decode_step([0, 5, 0], heads=2)
    out = launch(kernel, step, OUTSIDE, before=7.0)
    for row in (0, 2):
        zeros = not out[row].any().item()  # NaN counts as true
        got = f"row {row}: {numbers(out[row, 0].tolist())}"
        expect(zeros, got=got, right="0.0000, 0.0000, 0.0000 …")
    expect_right(kernel, step, OUTSIDE)

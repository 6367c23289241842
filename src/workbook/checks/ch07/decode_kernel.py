"""Chapter 07: the kernel with one program for each row and query head."""

import math
from functools import partial
from typing import Any

from workbook.checks.framework import CheckFailed, exercise
from workbook.checks.toolboxes import decode_steps, far_blocks
from workbook.checks.toolboxes.decode_steps import decode_step, far_below_zero
from workbook.checks.toolboxes.sparse_pool import far_step

OUTSIDE = (
    (
        "seen from block_tables",
        "The table of this row has no such entry: a row of `length` tokens uses "
        "ceil(length / BLOCK_SIZE) entries, and no more are there.",
    ),
)
expect_right = partial(decode_steps.expect_right, outside=OUTSIDE)

decode_kernel = exercise(
    "decode_kernel",
    label="ex-07-5",
    title="The decode kernel",
    stub="decode_kernel",
    takes="function",
    hints=(
        "The body of the loop is the body of `walk`, line by line. Down to the score you have "
        "written it already, in `scores_of`; V is loaded from the same place as K.",
        "`higher = tl.maximum(m, tl.max(score, 0))`, then `p` and `shrink` with `tl.exp2`. `acc` "
        "and `l` are both multiplied by `shrink`; to `acc` comes `tl.sum(p[:, None] * v, 0)`, to "
        "`l` `tl.sum(p, 0)`. `m = higher` is the last line.",
    ),
)


@decode_kernel.case(
    "three blocks, eight heads over two",
    tried="1 row of 12 tokens in 3 shuffled blocks of 4, head size 8; query heads 0 to 3 read KV "
    "head 0, 4 to 7 KV head 1",
    right="softmax(scores) @ values",
    why="For each block that the table names: higher = max(m, its highest score), p = 2 ** (score "
    "- higher), shrink = 2 ** (m - higher), acc = acc * shrink + p @ v, l = l * shrink + sum(p), "
    "and last m = higher. The answer is acc / l.",
)
def _table(kernel: Any) -> None:
    import torch

    step = decode_step([12], heads=8, kv_heads=2, unwritten=math.nan)
    for pool in (step.k_pool, step.v_pool):  # blocks of others, each with numbers of its own
        others = pool.isnan()
        pool[others] = torch.linspace(-2, 2, int(others.sum()))
    try:
        expect_right(kernel, step)
    except CheckFailed as failed:
        failed.tried = f"12 tokens in blocks of 4; the table is {step.tables[0]}"
        raise


@decode_kernel.case(
    "two sequences",
    tried="2 rows of 8 and 12 tokens, each with its own table and queries; 2 heads over 1",
    right="each row reads its own table",
    why="Row `r` of `block_tables` begins `r * MAX_BLOCKS` entries after its start.",
)
def _rows(kernel: Any) -> None:
    expect_right(kernel, decode_step([8, 12], heads=2))


@decode_kernel.case(
    "lengths 1, 3, 4, 5, 17",
    tried="5 rows in blocks of 4; every slot that nobody wrote holds 0",
    right="tokens up to the length count, all of them and no others",
    why="The last block is partly written, unless the length is a multiple of the block size.",
)
def _lengths(kernel: Any) -> None:
    expect_right(kernel, decode_step([1, 3, 4, 5, 17]))


@decode_kernel.case(
    "the same over NaN",
    tried="the same rows, with NaN in every slot that nobody wrote",
    right="the same answers",
    why="Over zeros it was right. The weight of an empty slot is 0, and 0 × NaN is NaN: what "
    "nobody wrote must not be read.",
)
def _poison(kernel: Any) -> None:
    expect_right(kernel, decode_step([1, 3, 4, 5, 17], unwritten=math.nan))


@decode_kernel.case(
    "scores in the thousands",
    tried="12 tokens, queries 4,000 times as large",
    right="finite",
    why="2 ** 128 is infinite in float32. Only differences to the maximum may be exponents.",
)
def _loud(kernel: Any) -> None:
    expect_right(kernel, decode_step([12], loud=4000.0))


@decode_kernel.case(
    "a score far below 0",
    tried="1 token, whose score is far below -2,000",
    right="its value: one token has all the weight",
    why="The first maximum is -inf. From a higher start the only weight would be 2 ** -2,000, "
    "which is 0.",
)
def _far_below(kernel: Any) -> None:
    expect_right(kernel, far_below_zero(decode_step([1])))


@decode_kernel.case(
    far_blocks.TITLE,
    tried=far_blocks.TRIED,
    right="the answer, as from any pool",
    why=far_blocks.WRAPPED,
)
def _far(kernel: Any) -> None:
    far_blocks.steadily(expect_right, kernel, far_step())

"""Chapter 08: the kernel with one program for each KV head, and tiles apart from blocks."""

import math
from functools import partial
from typing import Any

from workbook.checks.framework import exercise, expect
from workbook.checks.toolboxes import decode_steps, far_blocks
from workbook.checks.toolboxes.decode_steps import far_below_zero, numbers
from workbook.checks.toolboxes.sparse_pool import far_step

LENGTHS = [0, 3, 17, 40, 100]
HEAD_DIM = 16
OUTSIDE = (
    (
        "seen from block_tables",
        "An entry outside the tables was read. A row's entries begin at row * MAX_BLOCKS, and the "
        "last tile reaches past the length: the load needs `mask=written`.",
    ),
    (
        " writes ",
        "The tile has QUERIES rows and the group only GROUP. In `out` the others are the next "
        "group's, whose program may be done: on a GPU, whoever stores last wins.",
    ),
    (
        "seen from q,",
        "This group's queries are heads kv_head * GROUP + g, for g below GROUP. The tile's other "
        "rows "
        "lie behind them in `q`, or behind all of it: load them as 0, with a mask.",
    ),
)
expect_right = partial(decode_steps.expect_right, outside=OUTSIDE, grouped=True)
launch = partial(decode_steps.launch, outside=OUTSIDE, grouped=True)
tiled_step = partial(decode_steps.decode_step, block_size=16, head_dim=HEAD_DIM)

grouped_kernel = exercise(
    "grouped_kernel",
    label="ex-08-3",
    title="The grouped kernel",
    stub="grouped_kernel",
    takes="function",
    hints=(
        "A tile may begin in the middle of a block and end in the next but one, so each position "
        "asks the table for itself: one vector of entries, one of slots. Which of the masks of "
        "chapter 7 does the table need now, too?",
        "`block = tl.load(table + position // BLOCK_SIZE, mask=written, other=0).to(tl.int64)`, "
        "`token = (block * KV_HEADS + kv_head) * BLOCK_SIZE + position % BLOCK_SIZE`. Scores: "
        '`tl.dot(group, tl.trans(k), input_precision="ieee") * scale`, then `tl.where` with '
        "`written[None, :]`. `m`, `l` and `shrink` have one number for each query, so `tl.max` and "
        "`tl.sum` go along axis 1.",
    ),
)


@grouped_kernel.case(
    "two tiles, eight heads over two",
    tried="1 row of 64 tokens in 2 shuffled blocks of 32, head size 16, TILE 32; heads 0 to 3 read "
    "KV head 0, 4 to 7 KV head 1",
    right="the answers of chapter 7's kernel",
    why="For each tile and query: higher = max(m, its highest score), p = 2 ** (score - higher), "
    "shrink = 2 ** (m - higher), acc = acc * shrink + p @ v, l = l * shrink + sum(p), and last m = "
    "higher. The answer is acc / l.",
)
def _two_tiles(kernel: Any) -> None:
    expect_right(kernel, tiled_step([64], heads=8, kv_heads=2, block_size=32))


@grouped_kernel.case(
    "two rows",
    tried="2 rows of 32 and 64 tokens in blocks of 32, 6 heads over 3",
    right="each group reads its KV head, each row its table",
    why="Program (row, kv_head) answers heads kv_head * GROUP to kv_head * GROUP + GROUP - 1.",
)
def _rows(kernel: Any) -> None:
    expect_right(kernel, tiled_step([32, 64], heads=6, kv_heads=3, block_size=32))


for _size in (8, 24, 16):

    @grouped_kernel.case(
        f"blocks of {_size}",
        tried=f"lengths 0, 3, 17, 40, 100 in blocks of {_size}, 6 heads over 2; zeros where nobody "
        "wrote",
        right="rows 1 to 4 right, whatever the block size",
        why="Block size and tile are two numbers. A tile of 32 takes four blocks of 8, or ends in "
        "the middle of a block of 24.",
    )
    def _blocks(kernel: Any, size: int = _size) -> None:
        expect_right(kernel, tiled_step(LENGTHS, heads=6, kv_heads=2, block_size=size))


@grouped_kernel.case(
    "the same over NaN",
    tried="lengths 0, 3, 17, 40, 100 in blocks of 24, NaN where nobody wrote",
    right="the same answers",
    why="Weight 0 doesn't erase: in a `tl.dot`, too, 0 × NaN is NaN. Mask the load of V.",
)
def _poison(kernel: Any) -> None:
    step = tiled_step(LENGTHS, heads=6, kv_heads=2, block_size=24, unwritten=math.nan)
    expect_right(kernel, step)


@grouped_kernel.case(
    "a row without tokens",
    tried="lengths 0, 3, 17, 40, 100",
    right="zeros in row 0",
    why="Its loop never ran, so l is 0: divide by something else, and store.",
)
def _empty(kernel: Any) -> None:
    row = launch(kernel, tiled_step(LENGTHS, heads=6, kv_heads=2))[0]
    zeros = not row.any().item()  # NaN counts as true
    expect(zeros, got=f"row 0: {numbers(row[0].tolist())}", right="0.0000, 0.0000, 0.0000 …")


@grouped_kernel.case(
    "a score far below 0",
    tried="1 token, whose score is far below -2,000",
    right="its value: one token has all the weight",
    why="The first `m` is -inf. From a higher start the only weight would be 2 ** -2,000, which is "
    "0.",
)
def _far_below(kernel: Any) -> None:
    expect_right(kernel, far_below_zero(tiled_step([1], heads=2)))


@grouped_kernel.case(
    "in bfloat16",
    tried="40 tokens, queries and pools in bfloat16",
    right="the same to 2 digits",
    why="The pools of a model that serves hold 16 bits.",
)
def _bfloat16(kernel: Any) -> None:
    expect_right(kernel, tiled_step([40], heads=3, dtype="bfloat16"), digits=2e-2)


@grouped_kernel.case(
    far_blocks.TITLE,
    tried=far_blocks.TRIED,
    right="the answer, as from any pool",
    why=far_blocks.WRAPPED,
)
def _far(kernel: Any) -> None:
    far_blocks.steadily(expect_right, kernel, far_step(), digits=1e-3)

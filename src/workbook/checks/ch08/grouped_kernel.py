"""Chapter 08: the kernel with one program for each KV head, and tiles apart from blocks."""

import math
from functools import partial
from typing import Any

from workbook.checks.framework import CheckFailed, attempt, exercise, expect, in_words
from workbook.checks.framework.source import line_in
from workbook.checks.toolboxes import decode_steps
from workbook.checks.toolboxes.decode_steps import (
    TILE,
    DecodeStep,
    attention,
    far_below_zero,
    numbers,
)

LENGTHS = [0, 3, 17, 40, 100]
HEAD_DIM = 16
OUTSIDE = (
    (
        "seen from block_tables",
        "The last tile reaches past the length, and past the end of its row of the table: the "
        "load of the entries needs `mask=written`.",
    ),
    (
        " writes ",
        "The tile has QUERIES rows and the group only GROUP. In `out` the others are the next "
        "group's, whose program may be done: on a GPU, whoever stores last wins.",
    ),
    (
        "seen from q,",
        "The group has GROUP queries; the tile's other rows lie behind it in `q`, and behind "
        "the last group comes memory that isn't yours. Load them as 0, with a mask.",
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
    "one tile, one head",
    tried="32 tokens in one block of 32, head size 16, TILE 32",
    right="the answer of chapter 7's kernel",
    why="With one head in the group, 15 of the 16 rows are padding and the first one counts.",
)
def _one_tile(kernel: Any) -> None:
    step = tiled_step([32], block_size=32)
    root = HEAD_DIM**-0.5
    known = [
        (
            lambda row, head: attention(step, row, head, scale=1 / math.log2(math.e)),
            "The scores were not multiplied by `scale`.",
        ),
        (
            lambda row, head: attention(step, row, head, scale=root * math.log2(math.e)),
            "That is what `tl.exp` gives; `scale` has log2(e) in it, so the weights are `tl.exp2`.",
        ),
    ]
    expect_right(kernel, step, known)


@grouped_kernel.case(
    "three tiles",
    tried="96 tokens in 3 blocks of 32, 4 heads over one",
    right="the same",
    why="`m`, `l` and `acc` live on from tile to tile. When a query's `m` rises, its `l` and its "
    "row of `acc` shrink.",
)
def _three_tiles(kernel: Any) -> None:
    expect_right(kernel, tiled_step([96], heads=4, block_size=32))


@grouped_kernel.case(
    "two rows, nine heads over three",
    tried="2 rows of 32 tokens in blocks of 32; heads 0, 1, 2 read KV head 0, heads 3, 4, 5 KV "
    "head 1 …",
    right="each group reads its KV head, each row its table",
    why="Program (row, kv_head) answers heads kv_head * GROUP to kv_head * GROUP + GROUP - 1.",
)
def _heads(kernel: Any) -> None:
    step = tiled_step([32, 32], heads=9, kv_heads=3, block_size=32)
    known = [
        (
            lambda row, head: attention(step, row, head, kv_head=head % 3),
            "The heads came out permuted: query g of this group is head kv_head * GROUP + g, not "
            "g * KV_HEADS + kv_head.",
        ),
        (
            lambda row, head: attention(step, row, head, table=step.tables[0]),
            "Row 1 read row 0's table.",
        ),
        (
            lambda row, head: attention(step, row, head, kv_head=0),
            "Every group read KV head 0. The address of a key needs `kv_head`.",
        ),
    ]
    expect_right(kernel, step, known)


def _one_entry(step: DecodeStep, row: int, head: int, *, runs_on: bool) -> list[float]:
    """The answer when each tile asks the table once, for its first position.

    ``runs_on``: from there straight through memory, else with the right slots in the wrong block.
    """
    _, kv_heads, size, head_dim = step.k_pool.shape
    places = []
    for position in range(step.lengths[row]):
        start = position // TILE * TILE
        slot = start % size + position - start if runs_on else position % size
        token = step.tables[row][start // size] * kv_heads + head // step.group
        places.append(token * size + slot)
    pools = [
        pool.reshape(-1, head_dim)[[place % (pool.numel() // head_dim) for place in places]]
        for pool in (step.k_pool, step.v_pool)
    ]
    k_pool, v_pool = (pool[:, None, None] for pool in pools)
    line = DecodeStep(step.q, k_pool, v_pool, [], step.lengths)
    return attention(line, row, head, kv_head=0, table=range(len(places)))


_NO_OTHER = (
    "A load with a mask and without `other` leaves anything in the masked lanes, here NaN, and 0 × "
    "NaN is NaN: say `other=0.0`."
)
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
        step = tiled_step(LENGTHS, heads=6, kv_heads=2, block_size=size)
        known = [
            (
                lambda row, head: _one_entry(step, row, head, runs_on=True),
                "Each tile ran on behind the block where it began. A block has BLOCK_SIZE slots; "
                "what lies behind them is another head's, or another block's.",
            ),
            (
                lambda row, head: _one_entry(step, row, head, runs_on=False),
                "Each tile asked the table once. Its positions lie in several blocks: position p "
                "is in the block of entry p // BLOCK_SIZE.",
            ),
            (
                lambda row, head: attention(
                    step, row, head, empty_slots=-step.lengths[row] % TILE
                ),
                "The last tile was counted whole: 100 tokens became 128, and the 28 others got a "
                "score of 0. Their score must be -inf. (This happened: pytorch/pytorch#160861)",
            ),
        ]  # fmt: skip
        expect_right(kernel, step, known, nan=_NO_OTHER)


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
    zeros = not row.any().item() and not row.isnan().any().item()
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
    step = tiled_step([40], heads=3, dtype="bfloat16")
    outcome = attempt(launch, kernel, step)
    if isinstance(outcome.error, AssertionError):
        raise CheckFailed(
            in_words(outcome.error) + line_in(outcome.error, kernel),
            right="no error",
            why="`p` is float32, `v` is bfloat16, and `tl.dot` wants both of one type: "
            "`p.to(v.dtype)`.",
        )
    if outcome.error is not None:
        raise outcome.error
    for head in range(3):
        got, right = outcome.value[0, head].tolist(), attention(step, 0, head)
        close = all(abs(a - b) <= 2e-2 * max(1.0, abs(b)) for a, b in zip(got, right, strict=True))
        expect(close, got=f"head {head}: {numbers(got)}", right=numbers(right))

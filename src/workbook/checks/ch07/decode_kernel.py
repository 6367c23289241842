"""Chapter 07: the kernel with one program for each row and query head."""

import math
from typing import Any

from workbook.checks.framework import CheckFailed, exercise
from workbook.checks.toolboxes.decode_steps import (
    BLOCK,
    DecodeStep,
    attention,
    decode_step,
    expect_right,
    far_below_zero,
    launch,
    numbers,
)

OUTSIDE = (
    (
        "seen from block_tables",
        "The table of this row has no such entry: a row of `length` tokens uses "
        "ceil(length / BLOCK_SIZE) entries, and no more are there.",
    ),
)
decode_kernel = exercise(
    "decode_kernel",
    label="ex-07-2",
    title="The decode kernel",
    stub="decode_kernel",
    takes="function",
    hints=(
        "The body of the loop is the body of `walk`, line by line: `pool[block, kv_head]` becomes "
        "a `tl.load` from `pool + place`, with `place` as in the cell on addresses.",
        "`block = tl.load(block_tables + row * MAX_BLOCKS + index).to(tl.int64)`, "
        "`token = (block * KV_HEADS + kv_head) * BLOCK_SIZE + slot`, "
        "`place = token[:, None] * HEAD_DIM + d[None, :]`. Mask both loads with `written[:, "
        "None]`, and the scores with `tl.where`. A score is `tl.sum(k * query[None, :], 1)`.",
    ),
)


def _blocks_unscaled(step: DecodeStep, row: int, head: int, *, l_scaled: bool) -> list[float]:
    """The answer of a walk that never brings ``acc`` to the new scale, and ``l`` if asked."""
    import torch

    m, l, acc = -math.inf, 0.0, torch.zeros(step.q.shape[2], dtype=torch.float64)  # noqa: E741
    for block in step.tables[row]:
        k, v = (pool[block, head // step.group].double() for pool in (step.k_pool, step.v_pool))
        score = k @ step.q[row, head].double() * step.q.shape[2] ** -0.5
        higher = max(m, score.max().item())
        p = torch.exp(score - higher)
        l = (l * math.exp(m - higher) if l_scaled else l) + p.sum().item()  # noqa: E741
        acc, m = acc + p @ v, higher
    answer: list[float] = (acc / l).tolist()
    return answer


@decode_kernel.case(
    "one block, one head",
    tried="4 tokens in one block, head size 8",
    right="softmax(scores) @ values",
    why="Scores are sums over the head size, times `scale`; the weights are powers of two.",
)
def _one_block(kernel: Any) -> None:
    step = decode_step([4], spare=0)
    root, log2_e = step.q.shape[2] ** -0.5, math.log2(math.e)
    out = launch(kernel, step, OUTSIDE)
    if out.isnan().all():
        raise CheckFailed(
            "every number of out is still NaN",
            right=numbers(attention(step, 0, 0)),
            why="Either nothing was stored, or NaN was computed, for example as -inf minus -inf.",
        )
    known = [
        (
            lambda row, head: attention(step, row, head, scale=1 / log2_e),
            "`scale` was left out. It holds 1 / sqrt(D), and the log2(e) that makes powers of two "
            "out of powers of e.",
        ),
        (
            lambda row, head: attention(step, row, head, scale=root * log2_e),
            "That is what `tl.exp` gives. `scale` has log2(e) in it, so the weights are `tl.exp2`.",
        ),
    ]
    expect_right(kernel, step, known, OUTSIDE)


@decode_kernel.case(
    "four blocks, out of order",
    tried="16 tokens in 4 shuffled blocks",
    right="the answer over the blocks that the table names, in its order",
    why="Each block is found through the table, and the running values carry over to the next.",
)
def _table(kernel: Any) -> None:
    step = decode_step([16])
    known = [
        (
            lambda row, head: attention(step, row, head, table=[0, 1, 2, 3]),
            "Those are blocks 0, 1, 2, 3. `index` is the logical block; the table, read with one "
            "`tl.load`, says where it lies.",
        ),
        (
            lambda row, head: _blocks_unscaled(step, row, head, l_scaled=True),
            "`acc` was never multiplied by `shrink`: earlier values keep weights that they had "
            "under a lower maximum.",
        ),
        (
            lambda row, head: _blocks_unscaled(step, row, head, l_scaled=False),
            "Neither `l` nor `acc` was multiplied by `shrink` when the maximum rose.",
        ),
        (
            lambda row, head: attention(step, row, head, table=step.tables[row][-1:], length=4),
            "That is the last block alone: `m`, `l` and `acc` must live outside the loop.",
        ),
    ]
    try:
        expect_right(kernel, step, known, OUTSIDE)
    except CheckFailed as failed:
        failed.tried = f"16 tokens; the table is {step.tables[0]}"
        raise


@decode_kernel.case(
    "two sequences",
    tried="2 rows of 8 tokens, each with its own table and query",
    right="each row reads its own table",
    why="Row `r` of `block_tables` begins `r * MAX_BLOCKS` entries after its start.",
)
def _rows(kernel: Any) -> None:
    step = decode_step([8, 8])
    known = [
        (
            lambda row, head: attention(step, row, head, table=step.tables[0]),
            "Row 1 read row 0's table: somebody else's history, and no error.",
        ),
        (
            lambda row, head: attention(step, row, head, table=_flat(step)[row : row + 2]),
            "The tables were read one entry apart; a row is MAX_BLOCKS entries long.",
        ),
    ]
    expect_right(kernel, step, known, OUTSIDE)


def _flat(step: DecodeStep) -> list[int]:
    return [block for table in step.tables for block in table]


@decode_kernel.case(
    "nine query heads, three KV heads",
    tried="1 row of 8 tokens; query heads 0, 1, 2 read KV head 0, heads 3, 4, 5 KV head 1 …",
    right="each query head reads the KV head of its group",
    why="Query head h reads KV head h // (HEADS // KV_HEADS).",
)
def _heads(kernel: Any) -> None:
    step = decode_step([8], heads=9, kv_heads=3)
    known = [
        (
            lambda row, head: attention(step, row, head, kv_head=head % 3),
            "Query head 1 read KV head 1, and its group is KV head 0: that was h % 3, not h // 3.",
        ),
        (
            lambda row, head: attention(step, row, head, kv_head=0),
            "Query head 3 read KV head 0, like everybody. The address needs the head.",
        ),
    ]
    expect_right(kernel, step, known, OUTSIDE)


@decode_kernel.case(
    "lengths 1, 4, 5, 17",
    tried="4 rows in blocks of 4; every slot that nobody wrote holds 0",
    right="tokens up to the length count, all of them and no others",
    why="The last block is partly written, unless the length is a multiple of the block size.",
)
def _lengths(kernel: Any) -> None:
    step = decode_step([1, 4, 5, 17], heads=3)
    known = [
        (
            lambda row, head: attention(
                step, row, head, length=max(1, step.lengths[row] // BLOCK * BLOCK)
            ),
            "A length of 5 takes 2 blocks: round up, or the last tokens are never read.",
        ),
        (
            lambda row, head: attention(
                step, row, head, empty_slots=-step.lengths[row] % BLOCK
            ),
            "The empty slots of the last block were counted, with a score of 0. Their score must "
            "be -inf, so that their weight is 0.",
        ),
    ]  # fmt: skip
    out = launch(kernel, step, OUTSIDE)
    if out[2].isnan().any() and not out[1].isnan().any():
        raise CheckFailed(
            f"NaN in row 2, of length 5: {numbers(out[2, 0].tolist())}",
            right=numbers(attention(step, 2, 0)),
            why="A load with a mask and without `other` leaves anything in the masked lanes, here "
            "NaN: say `other=0.0`.",
        )
    if out[0].isnan().any() and not out[1].isnan().any():
        raise CheckFailed(
            f"row 0, of length 1: {numbers(out[0, 0].tolist())}",
            right=numbers(attention(step, 0, 0)),
            why="No block was walked for a length of 1. `length // BLOCK_SIZE` rounds down; 5 "
            "tokens would lose one, too.",
        )
    expect_right(kernel, step, known, OUTSIDE)


@decode_kernel.case(
    "the same over NaN",
    tried="lengths 1, 4, 5, 17; every slot that nobody wrote holds NaN, in both pools",
    right="the same answers",
    why="A slot that nobody wrote may hold anything, and nothing of it may reach the answer.",
)
def _poison(kernel: Any) -> None:
    step = decode_step([1, 4, 5, 17], heads=3, unwritten=math.nan)
    out = launch(kernel, step, OUTSIDE)
    bad = [row for row in range(4) if out[row].isnan().any()]
    if bad:
        raise CheckFailed(
            f"NaN in rows {bad}, whose lengths are {[step.lengths[row] for row in bad]}",
            why="Over zeros it was right. The weight of an empty slot is 0, and 0 × NaN is NaN: "
            "the load of V needs its mask, too. (This happened: vllm-project/vllm#47305, "
            "flashinfer-ai/flashinfer#941)",
        )
    expect_right(kernel, step, (), OUTSIDE)


@decode_kernel.case(
    "scores in the thousands",
    tried="12 tokens, queries 4,000 times as large",
    right="finite",
    why="2 ** 128 is infinite in float32. Only differences to the maximum may be exponents.",
)
def _loud(kernel: Any) -> None:
    expect_right(kernel, decode_step([12], loud=4000.0), (), OUTSIDE)
    expect_right(
        kernel,
        far_below_zero(decode_step([1])),
        tried="1 token, whose score is far below -2,000",
        why="The first maximum is -inf, not 0 and not -1,000: from there the only weight would be "
        "2 ** -2,000, which is 0.",
    )

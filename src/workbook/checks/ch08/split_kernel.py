"""Chapter 08: the grouped kernel over one part of a history, to be merged."""

import math
from dataclasses import replace
from itertools import accumulate
from typing import Any, NamedTuple

from paged_attention.exp2 import LOG2_E
from workbook.checks.ch08.grouped_kernel import tiled_step
from workbook.checks.framework import CheckFailed, exercise, expect
from workbook.checks.toolboxes import far_blocks
from workbook.checks.toolboxes.decode_steps import (
    TILE,
    DecodeStep,
    arguments,
    attention,
    near,
    numbers,
)
from workbook.checks.toolboxes.launching import listed, run_kernel
from workbook.checks.toolboxes.sparse_pool import far_step

UNTOUCHED = 12345.0
PLACE = (
    "A part's place is (row * HEADS + head) * splits + split, with HEAD_DIM numbers each in "
    "part_acc: every part of every real head has one, and the merge reads them all."
)
OUTSIDE = (
    (
        " writes ",
        "The tile has QUERIES rows and the group only GROUP. The others' places are the next "
        "group's, or nobody's: mask all three stores.",
    ),
    (
        "seen from block_tables",
        "A table has entries up to the length only: cut `last` to the length, and mask the load.",
    ),
)

WHOLE_TILES = (
    "A part ends within a tile, and is not the last: it multiplies a whole tile for a few tokens. "
    "Parts are whole tiles, so round the span up to a multiple of TILE."
)

split_kernel = exercise(
    "split_kernel",
    label="ex-08-4",
    title="The split kernel",
    stub="split_kernel",
    takes="function",
    hints=(
        "Which tokens are this program's? From `first` to `last`, whole tiles of them; the loop "
        "runs there, and a tile's last positions may lie behind `last`. What does a part without "
        "tokens store?",
        "`span = tl.cdiv(tl.cdiv(length, splits), TILE) * TILE`, `first = tl.minimum(split * span, "
        "length)`, `last = tl.minimum(first + span, length)`. Part `(row * HEADS + head) * splits "
        "+ split` is this one's place in `part_m` and `part_l`, `part[:, None] * HEAD_DIM + "
        "d[None, :]` in `part_acc`; all three stores have the mask of the real rows.",
    ),
)


class Parts(NamedTuple):
    """What a kernel stored: m, l [B, Hq, splits] and acc [B, Hq, splits, D]."""

    m: Any
    l: Any  # noqa: E741
    acc: Any


def parts_of(kernel: Any, step: DecodeStep, splits: int) -> Parts:
    """The kernel's parts; what it stored nothing to holds ``UNTOUCHED``."""
    import torch

    rows, heads, head_dim = step.q.shape
    m = torch.full((rows, heads, splits), UNTOUCHED)
    parts = Parts(m, m.clone(), torch.full((rows, heads, splits, head_dim), UNTOUCHED))
    results = {"part_m": parts.m, "part_l": parts.l, "part_acc": parts.acc}
    grid = (rows, step.k_pool.shape[1], splits)
    run_kernel(kernel, grid, OUTSIDE, **arguments(step), **results)
    return parts


def tokens(kernel: Any, step: DecodeStep, splits: int) -> list[float]:
    """How many tokens each part of row 0 took: over queries of 0 every weight is 1, so l counts."""
    quiet = replace(step, q=step.q * 0)
    found: list[float] = parts_of(kernel, quiet, splits).l[0, 0].tolist()
    return found


def merged(parts: Parts) -> Any:
    """The answers of all parts together, in float64."""
    import torch

    m, l, acc = (part.double() for part in parts)  # noqa: E741
    weight = torch.where(l > 0, torch.exp2(m - m.amax(-1, keepdim=True)), 0.0)
    total = (weight * l).sum(-1)
    return (weight[..., None] * acc).sum(-2) / torch.where(total > 0, total, 1.0)[..., None]


def expect_parts(kernel: Any, step: DecodeStep, splits: int, digits: float = 1e-4) -> Parts:
    """Fail with the first place that nobody stored to, or the first answer that is wrong."""
    parts = parts_of(kernel, step, splits)
    for name, part in parts._asdict().items():
        for row, head, split, *_ in (part == UNTOUCHED).nonzero().tolist()[:1]:
            got = f"row {row}, head {head}, part {split}: nothing was stored in part_{name}"
            raise CheckFailed(got, why=PLACE)
    out = merged(parts)
    places = ((r, h) for r in range(out.shape[0]) for h in range(out.shape[1]))
    for row, head in ((r, h) for r, h in places if step.lengths[r]):
        right = attention(step, row, head)
        if not near(out[row, head].tolist(), right, digits):
            told = tokens(kernel, step, splits)
            got = f"row {row}, head {head}, merged: {numbers(out[row, head].tolist())}"
            got = f"{got}; tokens a part in row 0: {listed(told)}"
            raise CheckFailed(got, right=numbers(right), why=_counted(sum(told), step.lengths[0]))
    return parts


def _counted(tokens_of_all: float, length: int) -> str | None:
    """What the parts' tokens say of a wrong answer; nothing if they are as many as there are."""
    if abs(tokens_of_all - length) < 0.5:
        return None
    if tokens_of_all < length:
        return (
            f"The parts together have {tokens_of_all:.0f} of {length} tokens: some are read by "
            "nobody. Round up, and let the last part go on to the end."
        )
    return (
        f"The parts together have {tokens_of_all:.0f} tokens where there are {length}: some are in "
        "two parts, or lie behind the end. A part's tokens are those from `first` to below `last`."
    )


@split_kernel.case(
    "one part",
    tried="1 row of 40 tokens in blocks of 16, 8 heads over 2, 1 part",
    right="m, l and acc of the whole history",
    why="With one part, m, l and acc are what your grouped kernel has before it divides: tokens "
    "first to last - 1, in the places (row * HEADS + head) * splits + split, unchanged.",
)
def _one(kernel: Any) -> None:
    import torch

    step = tiled_step([40], heads=8, kv_heads=2)
    m, l, _ = expect_parts(kernel, step, 1)  # noqa: E741
    keys = step.k_pool[step.tables[0], 0].flatten(0, 1)[:40].double()
    scores = keys @ step.q[0, 0].double() * step.q.shape[2] ** -0.5 * LOG2_E
    right = scores.max().item(), torch.exp2(scores - scores.max()).sum().item()
    got = m[0, 0, 0].item(), l[0, 0, 0].item()
    expect(
        near(got, right, 1e-3),
        got=f"row 0, head 0: m {got[0]:.4f}, l {got[1]:.4f}",
        right=f"m {right[0]:.4f}, l {right[1]:.4f}",
    )


@split_kernel.case(
    "two parts",
    tried="96 tokens in blocks of 32, 2 heads, 2 parts",
    right="merged, the whole answer",
    why="Each token is in exactly one part, and each part in the place that the merge reads: "
    "(row * HEADS + head) * splits + split.",
)
def _two(kernel: Any) -> None:
    expect_parts(kernel, tiled_step([96], heads=2, block_size=32), 2)


@split_kernel.case(
    "a cut inside a block",
    tried=f"100 tokens in blocks of 24, 3 parts, TILE {TILE}",
    right="merged, the whole answer; no part has more than 64 tokens",
    why="A part may begin in the middle of a block; its last tile ends where the part ends. The "
    "longest part makes all others wait, so parts are even, in whole tiles.",
)
def _cut(kernel: Any) -> None:
    step = tiled_step([100], block_size=24)
    expect_parts(kernel, step, 3)
    told = tokens(kernel, step, 3)
    expect(max(told) <= 64.5, got=f"tokens a part: {listed(told)}")
    cuts = [round(cut) for cut in accumulate(told)]
    expect(
        all(cut % TILE == 0 or cut == 100 for cut in cuts),
        got=f"tokens a part: {listed(told)}, cut at {listed(cuts[:-1])}",
        right=f"cuts at multiples of {TILE}, or at the end",
        why=WHOLE_TILES,
    )


@split_kernel.case(
    "heads and rows",
    tried="2 rows of 70 and 40 tokens, 8 heads over 2, 3 parts",
    right="each (row, head, part) in its own place",
    why="part_m and part_l are [B, HEADS, splits], part_acc is [B, HEADS, splits, HEAD_DIM]: the "
    "part runs faster than the head.",
)
def _heads(kernel: Any) -> None:
    expect_parts(kernel, tiled_step([70, 40], heads=8, kv_heads=2), 3)


@split_kernel.case(
    "short rows, over NaN",
    tried="lengths 0, 3, 17, 40, 100 in 4 parts; NaN where nobody wrote",
    right="right answers, and (-inf, 0, 0) from a part without tokens",
    why="A short row leaves parts without tokens, and the merge must be able to see it.",
)
def _short(kernel: Any) -> None:
    step = tiled_step([0, 3, 17, 40, 100], heads=6, kv_heads=2, unwritten=math.nan)
    m, l, acc = expect_parts(kernel, step, 4)  # noqa: E741
    empty = bool((l[0] == 0).all() and (m[0] == -math.inf).all() and (acc[0] == 0).all())
    got = f"row 0, head 0: m {listed(m[0, 0].tolist())}, l {listed(l[0, 0].tolist())}"
    expect(empty, got=f"{got}, acc begins {listed(acc[0, 0, :, 0].tolist())}")


@split_kernel.case(
    "more parts than tiles",
    tried="100 tokens in 16 parts",
    right="merged, the whole answer",
    why="`split * span` may lie behind the end: cut it to the length.",
)
def _many(kernel: Any) -> None:
    expect_parts(kernel, tiled_step([100]), 16)


@split_kernel.case(
    "in bfloat16",
    tried="40 tokens in 2 parts, queries and pools in bfloat16",
    right="the same to 2 digits",
    why="The pools of a model that serves hold 16 bits; the parts stay in float32.",
)
def _bfloat16(kernel: Any) -> None:
    expect_parts(kernel, tiled_step([40], heads=3, dtype="bfloat16"), 2, digits=2e-2)


@split_kernel.case(
    far_blocks.TITLE,
    tried=f"{far_blocks.TRIED}; 2 parts",
    right="the answer, as from any pool",
    why=far_blocks.WRAPPED,
)
def _far(kernel: Any) -> None:
    far_blocks.steadily(expect_parts, kernel, far_step(), 2, digits=1e-3)

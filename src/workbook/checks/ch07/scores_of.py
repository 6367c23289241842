"""Chapter 07: the scores of one block."""

import math
from collections.abc import Sequence
from typing import Any

from workbook.checks.framework import exercise, expect
from workbook.checks.toolboxes.launching import listed, run_kernel

scores_of = exercise(
    "scores_of",
    label="ex-07-4",
    title="Scores of a block",
    stub="scores_of",
    takes="function",
    hints=(
        "A score is one number a slot. Along which axis of the tile is added?",
        '`tl.sum(k * query[None, :], 1)`, and `tl.where(written, …, float("-inf"))`. Query head h '
        "reads KV head `h // (HEADS // KV_HEADS)`.",
    ),
)


def _scores(
    title: str, lengths: Sequence[int], index: int, why: str, heads: int = 8, kv_heads: int = 2
) -> None:
    rows, slots, head_dim, scale = len(lengths), 4, 16, 0.75

    @scores_of.case(
        title,
        tried=f"index {index}; rows of {' and '.join(map(str, lengths))} tokens in blocks of "
        f"{slots}, {heads} heads over {kv_heads}, head size {head_dim}, scale {scale}",
        right="k · q × scale for each slot, -inf where nobody wrote",
        why=why,
    )
    def _case(kernel: Any) -> None:
        import torch

        draw = torch.Generator().manual_seed(7)
        width = index + 2
        tables = torch.randperm(rows * width + 2, generator=draw)[: rows * width].view(rows, width)
        q = torch.randint(-3, 4, (rows, heads, head_dim), generator=draw).float()
        shape = (rows * width + 2, kv_heads, slots, head_dim)
        pool = torch.randint(-3, 4, shape, generator=draw).float()
        out = torch.full((rows, heads, slots), math.nan)
        sizes: dict[str, Any] = {
            "HEADS": heads,
            "KV_HEADS": kv_heads,
            "HEAD_DIM": head_dim,
            "BLOCK_SIZE": slots,
        }
        run_kernel(
            kernel, (rows, heads), q=q, k_pool=pool, block_tables=tables.int(), out=out,
            lengths=torch.tensor(lengths, dtype=torch.int32), index=index, scale=scale,
            MAX_BLOCKS=width, **sizes,
        )  # fmt: skip
        for row, head in ((r, h) for r in range(rows) for h in range(heads)):
            keys = pool[tables[row, index], head // (heads // kv_heads)]
            right = keys @ q[row, head] * scale
            right[max(0, lengths[row] - index * slots) :] = -math.inf
            got = out[row, head].tolist()
            expect(
                got == right.tolist(),
                got=f"row {row}, head {head}: {listed(got)}",
                right=listed(right.tolist()),
            )


_scores(
    "eight heads over two",
    [12],
    1,
    "The score of slot t is the sum over d of k[t, d] * query[d], the query scaled once; the tile "
    "of keys is that of `tile_of`. Query heads 0 to 3 read KV head 0, 4 to 7 KV head 1.",
)
_scores("two rows", [8, 9], 0, "Each row has its own queries, table and place in out.")
_scores(
    "blocks that end early",
    [6, 7, 8, 5],
    1,
    "A slot that nobody wrote has the score -inf, so that its weight is 0.",
    heads=6,
    kv_heads=3,
)

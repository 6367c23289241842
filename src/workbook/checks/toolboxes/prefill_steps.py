"""Prefill steps for kernels: small ones, their answers token by token, and a launch by tile map."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from workbook.checks.framework import CheckFailed
from workbook.checks.toolboxes.decode_steps import (
    DecodeStep,
    arguments,
    attention,
    decode_step,
    near,
    numbers,
    power_of_two,
)
from workbook.checks.toolboxes.launching import Outside, run_kernel
from workbook.checks.toolboxes.sparse_pool import far_step

TILE = 16  # keys


@dataclass(frozen=True)
class PrefillStep:
    """New tokens of several sequences, each with its table, as if each were a row of decode."""

    each: DecodeStep  # a row for each new token; its length is what it sees
    rows: list[int]  # of each new token
    lengths: list[int]
    starts: list[int]
    tables: list[list[int]]


def prefill_step(known_and_new: Sequence[tuple[int, int]], **options: Any) -> PrefillStep:
    """One sequence for each (known, new); options are those of ``decode_step``."""
    import torch

    lengths = [known + new for known, new in known_and_new]
    step = decode_step(lengths, **options)
    rows = [row for row, (_, new) in enumerate(known_and_new) for _ in range(new)]
    seen = [known + i + 1 for known, new in known_and_new for i in range(new)]
    starts = [0]
    for _, new in known_and_new:
        starts.append(starts[-1] + new)
    shape = (len(rows), *step.q.shape[1:])
    q = torch.randn(shape, generator=torch.Generator().manual_seed(9)).to(step.q.dtype)
    each = DecodeStep(q, step.k_pool, step.v_pool, [step.tables[row] for row in rows], seen)
    return PrefillStep(each, rows, lengths, starts, step.tables)


def far_prefill() -> PrefillStep:
    """Six known tokens and five new ones, in blocks so far away that int32 wraps around."""
    import torch

    far = far_step()
    q = torch.randn(5, *far.q.shape[1:], generator=torch.Generator().manual_seed(9))
    seen = [7, 8, 9, 10, 11]
    each = DecodeStep(q, far.k_pool, far.v_pool, far.tables * 5, seen)
    return PrefillStep(each, [0] * 5, far.lengths, [0, 5], far.tables)


def tiles_of(step: PrefillStep, tokens: int) -> list[tuple[int, int]]:
    """The tile map, heaviest first."""
    from paged_attention.kernels.prefill_inputs import tile_map

    return [(tile.row, tile.first) for tile in tile_map(step.starts, step.lengths, tokens)]


def launch(
    kernel: Any,
    step: PrefillStep,
    tokens: int,
    outside: Outside = (),
    *,
    backwards: bool = False,
) -> Any:
    """The kernel's ``out`` [N, Hq, D], which held NaN; ``backwards``: the lightest tile first."""
    import torch

    tiles = tiles_of(step, tokens)
    each = step.each
    out = torch.full_like(each.q, math.nan)
    as_decode = DecodeStep(each.q, each.k_pool, each.v_pool, step.tables, step.lengths)
    given = arguments(as_decode) | {
        "query_starts": torch.tensor(step.starts, dtype=torch.int32),
        "tiles": torch.tensor(tiles[::-1] if backwards else tiles, dtype=torch.int32),
        "TOKENS": tokens,
        "QUERIES": max(16, power_of_two(tokens * each.group)),
        "TILE": TILE,
    }
    run_kernel(kernel, (len(tiles), each.k_pool.shape[1]), outside, **given, out=out)
    return out


def expect_right(
    kernel: Any,
    step: PrefillStep,
    tokens: int,
    outside: Outside = (),
    *,
    backwards: bool = False,
    digits: float = 1e-4,
) -> None:
    """Fail with the first token and head that are wrong, and say which tokens are."""
    out = launch(kernel, step, tokens, outside, backwards=backwards).tolist()
    heads = range(len(out[0]))
    right = [[attention(step.each, at, head) for head in heads] for at in range(len(out))]
    wrong = [
        at
        for at in range(len(out))
        if not all(near(out[at][h], right[at][h], digits) for h in heads)
    ]
    if not wrong:
        return
    at = wrong[0]
    head = next(h for h in heads if not near(out[at][h], right[at][h], digits))
    token = at - step.starts[step.rows[at]]
    raise CheckFailed(
        f"wrong rows of q: {wrong}; row {at} (sequence {step.rows[at]}, its new token {token}), "
        f"head {head}: {numbers(out[at][head])}",
        right=numbers(right[at][head]),
    )

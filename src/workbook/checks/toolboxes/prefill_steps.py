"""Prefill steps for kernels: small ones, their answers token by token, and a launch by tile map."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from workbook.checks.framework import CheckFailed, NotHere, in_words
from workbook.checks.framework.source import line_in
from workbook.checks.toolboxes.decode_steps import (
    DecodeStep,
    Outside,
    attention,
    decode_step,
    near,
    numbers,
    power_of_two,
)

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
    from workbook.triton_or_stub import HAS_TRITON, NO_TRITON

    if not HAS_TRITON:
        raise NotHere(NO_TRITON)
    import torch

    from paged_attention.kernels.interpreter import OutsideMemory, interpreted

    tiles = tiles_of(step, tokens)
    out = torch.full_like(step.each.q, math.nan)
    given = _arguments(step, tokens) | {
        "tiles": torch.tensor(tiles[::-1] if backwards else tiles, dtype=torch.int32),
        "out": out,
    }
    try:
        interpreted(kernel)[(len(tiles), step.each.k_pool.shape[1])](**given)
    except OutsideMemory as error:
        got = in_words(error) + line_in(error, kernel)
        why = next((text for part, text in outside if part in str(error)), None)
        raise CheckFailed(got, why=why) from None
    return out


def _arguments(step: PrefillStep, tokens: int) -> dict[str, Any]:
    """All that a reader's kernel may name, and the finished one, but ``tiles`` and ``out``."""
    import torch

    _, heads, head_dim = step.each.q.shape
    _, kv_heads, block_size, _ = step.each.k_pool.shape
    width = max(1, *(len(table) for table in step.tables))
    padded = [table + [0] * (width - len(table)) for table in step.tables]
    block_stride, head_stride, slot_stride, _ = step.each.k_pool.stride()
    return {
        "q": step.each.q,
        "k_pool": step.each.k_pool,
        "v_pool": step.each.v_pool,
        "block_tables": torch.tensor(padded, dtype=torch.int32),
        "lengths": torch.tensor(step.lengths, dtype=torch.int32),
        "query_starts": torch.tensor(step.starts, dtype=torch.int32),
        "scale": head_dim**-0.5 * math.log2(math.e),
        "HEADS": heads,
        "KV_HEADS": kv_heads,
        "GROUP": step.each.group,
        "TOKENS": tokens,
        "QUERIES": max(16, power_of_two(tokens * step.each.group)),
        "HEAD_DIM": head_dim,
        "BLOCK_SIZE": block_size,
        "MAX_BLOCKS": width,
        "TILE": TILE,
        # The finished kernel takes strides, scaled values, and heads of any size.
        "LANES": power_of_two(head_dim),
        "v_scale": 1.0,
        "q_row_stride": step.each.q.stride(0),
        "q_head_stride": step.each.q.stride(1),
        "block_stride": block_stride,
        "head_stride": head_stride,
        "slot_stride": slot_stride,
        "table_stride": width,
    }


def expect_right(
    kernel: Any,
    step: PrefillStep,
    tokens: int,
    outside: Outside = (),
    *,
    backwards: bool = False,
) -> None:
    """Fail with the first token and head that are wrong, and say which tokens are."""
    out = launch(kernel, step, tokens, outside, backwards=backwards).tolist()
    heads = range(len(out[0]))
    right = [[attention(step.each, at, head) for head in heads] for at in range(len(out))]
    wrong = [at for at in range(len(out)) if not all(near(out[at][h], right[at][h]) for h in heads)]
    if not wrong:
        return
    at = wrong[0]
    head = next(h for h in heads if not near(out[at][h], right[at][h]))
    token = at - step.starts[step.rows[at]]
    raise CheckFailed(
        f"wrong rows of q: {wrong}; row {at} (sequence {step.rows[at]}, its new token {token}), "
        f"head {head}: {numbers(out[at][head])}",
        right=numbers(right[at][head]),
    )

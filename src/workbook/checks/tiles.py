"""What the checks of chapter 08's kernels share: small steps over blocks of any size, a launch."""

import math
import random
from collections.abc import Sequence
from typing import Any

from workbook.checks.core import CheckFailed, NotHere, in_words
from workbook.checks.decoding import DecodeStep, Known, attention, near, numbers
from workbook.checks.running import line_in

TILE = 32
HEAD_DIM = 16


def tiled_step(
    lengths: Sequence[int],
    *,
    heads: int = 1,
    kv_heads: int = 1,
    block_size: int = 16,
    unwritten: float = 0.0,
    dtype: str = "float32",
) -> DecodeStep:
    """A decode step over shuffled blocks; whatever nobody wrote holds ``unwritten``."""
    import torch

    random_numbers = torch.Generator().manual_seed(8)
    counts = [-(-length // block_size) for length in lengths]
    # Block 0 is nobody's: an entry that was masked reads as 0, and what lies there must not count.
    ids = random.Random(8).sample(range(1, sum(counts) + 3), sum(counts))
    tables = [[ids.pop(0) for _ in range(count)] for count in counts]
    shape = (sum(counts) + 3, kv_heads, block_size, HEAD_DIM)
    pools = [torch.full(shape, unwritten) for _ in range(2)]
    for table, length in zip(tables, lengths, strict=True):
        for position in range(length):
            for pool in pools:
                pool[table[position // block_size], :, position % block_size] = torch.randn(
                    kv_heads, HEAD_DIM, generator=random_numbers
                )
    q = torch.randn(len(lengths), heads, HEAD_DIM, generator=random_numbers)
    q, k_pool, v_pool = (x.to(getattr(torch, dtype)) for x in (q, *pools))
    return DecodeStep(q, k_pool, v_pool, tables, list(lengths))


def launch(kernel: Any, step: DecodeStep) -> Any:
    """The kernel's ``out`` [B, Hq, D], NaN where nothing was stored."""
    from workbook.triton_or_stub import HAS_TRITON, NO_TRITON

    if not HAS_TRITON:
        raise NotHere(NO_TRITON)
    import torch

    from paged_attention.kernels.interpreter import OutsideMemory, interpreted

    rows, heads, _ = step.q.shape
    block_size, kv_heads = step.k_pool.shape[2], step.k_pool.shape[1]
    width = max(1, *(len(table) for table in step.tables))
    padded = [table + [0] * (width - len(table)) for table in step.tables]
    out = torch.full_like(step.q, math.nan)
    block_stride, head_stride, slot_stride, _ = step.k_pool.stride()
    try:
        interpreted(kernel)[(rows, kv_heads)](
            q=step.q,
            k_pool=step.k_pool,
            v_pool=step.v_pool,
            block_tables=torch.tensor(padded, dtype=torch.int32),
            lengths=torch.tensor(step.lengths, dtype=torch.int32),
            out=out,
            scale=HEAD_DIM**-0.5 * math.log2(math.e),
            HEADS=heads,
            KV_HEADS=kv_heads,
            HEAD_DIM=HEAD_DIM,
            BLOCK_SIZE=block_size,
            MAX_BLOCKS=width,
            GROUP=step.group,
            QUERIES=max(16, 1 << (step.group - 1).bit_length()),
            TILE=TILE,
            # The finished kernel takes strides, scaled values and head sizes of any kind.
            v_scale=1.0,
            q_row_stride=step.q.stride(0),
            q_head_stride=step.q.stride(1),
            block_stride=block_stride,
            head_stride=head_stride,
            slot_stride=slot_stride,
            table_stride=width,
            LANES=HEAD_DIM,
        )
    except OutsideMemory as error:
        got = in_words(error) + line_in(error, kernel)
        raise CheckFailed(got, why=_why_outside(str(error))) from None
    return out


def _why_outside(said: str) -> str | None:
    if "seen from block_tables" in said:
        return (
            "The last tile reaches past the length, and past the end of its row of the table: the "
            "load of the entries needs `mask=written`."
        )
    if " writes " in said:
        return (
            "The tile has QUERIES rows and the group only GROUP. In `out` the others are the next "
            "group's, whose program may be done: on a GPU, whoever stores last wins."
        )
    if "seen from q," in said:
        return (
            "The group has GROUP queries; the tile's other rows lie behind it in `q`, and behind "
            "the last group comes memory that isn't yours. Load them as 0, with a mask."
        )
    return None


def expect_right(
    kernel: Any, step: DecodeStep, known: Sequence[Known] = (), *, nan: str | None = None
) -> None:
    """Fail with the first row and head that are wrong, and the why of a known mistake.

    ``nan``: the why if that answer isn't a number.
    """
    out = launch(kernel, step).tolist()
    places = [(r, h) for r in range(len(out)) for h in range(len(out[r])) if step.lengths[r]]
    for row, head in places:
        right = attention(step, row, head)
        if near(out[row][head], right):
            continue
        nan = nan if any(map(math.isnan, out[row][head])) else None
        why = (
            text for wrong, text in known if all(near(out[r][h], wrong(r, h)) for r, h in places)
        )
        got = f"row {row}, head {head}: {numbers(out[row][head])}"
        raise CheckFailed(got, right=numbers(right), why=next(why, nan))

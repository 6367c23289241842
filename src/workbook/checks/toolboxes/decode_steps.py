"""Decode steps for kernels: small ones over blocks of any size, their answers, and a launch."""

import math
import random
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from paged_attention.exp2 import LOG2_E
from workbook.checks.framework import CheckFailed
from workbook.checks.toolboxes.launching import Outside, run_kernel

BLOCK, TILE = 4, 32


@dataclass(frozen=True)
class DecodeStep:
    """One query a row, pools whose unwritten slots hold ``unwritten``, tables of any width."""

    q: Any  # [B, Hq, D]
    k_pool: Any  # [num_blocks, Hkv, block_size, D]
    v_pool: Any
    tables: list[list[int]]  # without padding
    lengths: list[int]

    @property
    def group(self) -> int:
        """Query heads that share a KV head."""
        heads: int = self.q.shape[1] // self.k_pool.shape[1]
        return heads


def decode_step(
    lengths: Sequence[int],
    *,
    heads: int = 1,
    kv_heads: int = 1,
    head_dim: int = 8,
    block_size: int = BLOCK,
    unwritten: float = 0.0,
    loud: float = 1.0,
    spare: int = 3,
    behind: int = 0,
    dtype: str = "float32",
) -> DecodeStep:
    """A step over shuffled blocks, ``spare`` more between them (0: in order) and ``behind`` after
    them. Of the spare ones block 0 is one: a masked entry reads as 0, and what lies there must not
    count. ``loud`` multiplies the queries, and with them the scores.
    """
    import torch

    random_numbers = torch.Generator().manual_seed(7)
    counts = [-(-length // block_size) for length in lengths]
    ids = list(range(sum(counts)))
    if spare:
        ids = random.Random(13).sample(range(1, sum(counts) + spare), sum(counts))
    tables = [[ids.pop(0) for _ in range(count)] for count in counts]
    shape = (sum(counts) + spare + behind, kv_heads, block_size, head_dim)
    pools = [torch.full(shape, unwritten) for _ in range(2)]
    for table, length in zip(tables, lengths, strict=True):
        for position in range(length):
            for pool in pools:
                pool[table[position // block_size], :, position % block_size] = torch.randn(
                    kv_heads, head_dim, generator=random_numbers
                )
    q = torch.randn(len(lengths), heads, head_dim, generator=random_numbers) * loud
    q, k_pool, v_pool = (x.to(getattr(torch, dtype)) for x in (q, *pools))
    return DecodeStep(q, k_pool, v_pool, tables, list(lengths))


def far_below_zero(step: DecodeStep) -> DecodeStep:
    """``step``, of one row and one token, with the query opposite to the key, 4,000 times it."""
    key = step.k_pool[step.tables[0][0], :, 0].repeat_interleave(step.group, 0)  # [Hq, D]
    return replace(step, q=-4000 * key[None])


def attention(step: DecodeStep, row: int, head: int) -> list[float]:
    """The right answer of one query, in float64."""
    import torch

    length, block_size = step.lengths[row], step.k_pool.shape[2]
    positions = range(length)
    blocks = [step.tables[row][position // block_size] for position in positions]
    slots = [position % block_size for position in positions]
    keys, values = (
        pool[blocks, head // step.group, slots].double() for pool in (step.k_pool, step.v_pool)
    )
    scores = keys @ step.q[row, head].double() * step.q.shape[2] ** -0.5
    answer: list[float] = (torch.softmax(scores, 0) @ values).tolist()
    return answer


def launch(
    kernel: Any,
    step: DecodeStep,
    outside: Outside = (),
    *,
    grouped: bool = False,
    before: float = math.nan,
) -> Any:
    """The kernel's ``out`` [B, Hq, D], which held ``before``.

    One program a query head, or ``grouped``, a KV head. The kernel gets the arguments that it
    names. ``outside`` has the why for memory that isn't its own, by a part of the error's text.
    """
    import torch

    rows, heads, _ = step.q.shape
    out = torch.full_like(step.q, before)
    grid = (rows, step.k_pool.shape[1] if grouped else heads)
    run_kernel(kernel, grid, outside, **arguments(step), out=out)
    return out


def arguments(step: DecodeStep) -> dict[str, Any]:
    """All that a kernel of chapter 07 or 08 may name, and the finished ones, but its results."""
    import torch

    _, heads, head_dim = step.q.shape
    _, kv_heads, block_size, _ = step.k_pool.shape
    width = max(1, *(len(table) for table in step.tables))
    padded = [table + [0] * (width - len(table)) for table in step.tables]
    block_stride, head_stride, slot_stride, _ = step.k_pool.stride()
    return {
        "q": step.q,
        "k_pool": step.k_pool,
        "v_pool": step.v_pool,
        "block_tables": torch.tensor(padded, dtype=torch.int32),
        "lengths": torch.tensor(step.lengths, dtype=torch.int32),
        "scale": head_dim**-0.5 * LOG2_E,
        "HEADS": heads,
        "KV_HEADS": kv_heads,
        "GROUP": step.group,
        "QUERIES": max(16, power_of_two(step.group)),
        "HEAD_DIM": head_dim,
        "LANES": power_of_two(head_dim),
        "BLOCK_SIZE": block_size,
        "MAX_BLOCKS": width,
        "TILE": TILE,
        # The finished kernels take strides, scaled values, and blocks of any size.
        "SLOTS": power_of_two(block_size),
        "v_scale": 1.0,
        "q_row_stride": step.q.stride(0),
        "q_head_stride": step.q.stride(1),
        "block_stride": block_stride,
        "head_stride": head_stride,
        "slot_stride": slot_stride,
        "table_stride": width,
    }


def power_of_two(n: int) -> int:
    """The lowest that is at least ``n``."""
    return 1 << (n - 1).bit_length()


def expect_right(
    kernel: Any,
    step: DecodeStep,
    outside: Outside = (),
    *,
    grouped: bool = False,
    digits: float = 1e-4,
) -> None:
    """Fail with the first row and head that are wrong; a row without tokens isn't looked at."""
    out = launch(kernel, step, outside, grouped=grouped).tolist()
    for row, head in ((r, h) for r in range(len(out)) for h in range(len(out[r]))):
        if not step.lengths[row]:
            continue
        right = attention(step, row, head)
        if not near(out[row][head], right, digits):
            got = f"row {row}, head {head}: {numbers(out[row][head])}"
            raise CheckFailed(got, right=numbers(right))


def near(got: Sequence[float], right: Sequence[float], digits: float = 1e-4) -> bool:
    """Equal to so many digits, float32's by default; NaN is never near."""
    return all(abs(a - b) <= digits * max(1.0, abs(b)) for a, b in zip(got, right, strict=True))


def numbers(values: Sequence[float]) -> str:
    """The first three numbers of an answer."""
    # "+ 0" turns -0.0 into 0.0.
    return ", ".join(f"{round(value, 4) + 0:.4f}" for value in values[:3]) + " …"

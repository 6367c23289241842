"""What the checks of chapter 07's kernels share: small decode steps, their answers, a launch."""

import math
import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from types import SimpleNamespace
from typing import Any

from workbook.checks.core import CheckFailed, NotHere, in_words
from workbook.checks.running import line_in

BLOCK = 4
Known = tuple[Callable[[int, int], list[float]], str]  # a wrong answer for (row, head), and its why


@dataclass(frozen=True)
class DecodeStep:
    """One query a row, pools whose unwritten slots hold ``unwritten``, tables padded with 0."""

    q: Any  # [B, Hq, D]
    k_pool: Any  # [num_blocks, Hkv, BLOCK, D]
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
    unwritten: float = 0.0,
    loud: float = 1.0,
    spare: int = 3,
    behind: int = 0,
) -> DecodeStep:
    """A step over shuffled blocks, ``spare`` more between them (0: in order) and ``behind`` after
    them. ``loud`` multiplies the queries, and with them the scores.
    """
    import torch

    random_numbers = torch.Generator().manual_seed(7)
    counts = [-(-length // BLOCK) for length in lengths]
    ids = list(range(sum(counts)))
    if spare:
        ids = random.Random(13).sample(range(sum(counts) + spare), sum(counts))
    tables = [[ids.pop(0) for _ in range(count)] for count in counts]
    shape = (sum(counts) + spare + behind, kv_heads, BLOCK, head_dim)
    pools = [torch.full(shape, unwritten) for _ in range(2)]
    for table, length in zip(tables, lengths, strict=True):
        for position in range(length):
            for pool in pools:
                pool[table[position // BLOCK], :, position % BLOCK] = torch.randn(
                    kv_heads, head_dim, generator=random_numbers
                )
    q = torch.randn(len(lengths), heads, head_dim, generator=random_numbers) * loud
    return DecodeStep(q, pools[0], pools[1], tables, list(lengths))


def far_below_zero(step: DecodeStep) -> DecodeStep:
    """``step``, of one row and one token, with the query opposite to the key, 4,000 times it."""
    key = step.k_pool[step.tables[0][0], :, 0].repeat_interleave(step.group, 0)  # [Hq, D]
    return replace(step, q=-4000 * key[None])


def attention(
    step: DecodeStep,
    row: int,
    head: int,
    *,
    length: int | None = None,
    kv_head: int | None = None,
    table: Sequence[int] | None = None,
    scale: float | None = None,
    empty_slots: int = 0,
) -> list[float]:
    """The right answer in float64; each argument makes one thing wrong.

    ``empty_slots`` adds so many slots of score 0 and value 0.
    """
    import torch

    length = step.lengths[row] if length is None else length
    kv_head = head // step.group if kv_head is None else kv_head
    table = step.tables[row] if table is None else table
    scale = step.q.shape[2] ** -0.5 if scale is None else scale
    keys, values = (
        pool[list(table), kv_head].flatten(0, 1)[:length].double()
        for pool in (step.k_pool, step.v_pool)
    )
    scores = torch.cat([keys @ step.q[row, head].double() * scale, torch.zeros(empty_slots)])
    answer: list[float] = (torch.softmax(scores, 0)[:length] @ values).tolist()
    return answer


def launch(kernel: Any, step: DecodeStep, *, before: float = math.nan) -> Any:
    """The kernel's ``out``, which held ``before``. It gets the arguments that it names."""
    from workbook.triton_or_stub import HAS_TRITON, NO_TRITON

    if not HAS_TRITON:
        raise NotHere(NO_TRITON)
    import torch

    from paged_attention.kernels.interpreter import OutsideMemory, interpreted

    rows, heads, head_dim = step.q.shape
    width = max(1, *(len(table) for table in step.tables))
    padded = [table + [0] * (width - len(table)) for table in step.tables]
    out = torch.full_like(step.q, before)
    lanes = 1 << (head_dim - 1).bit_length()
    scale = head_dim**-0.5 * math.log2(math.e)
    block_stride, head_stride, slot_stride, _ = step.k_pool.stride()
    given = SimpleNamespace(
        q=step.q,
        k_pool=step.k_pool,
        v_pool=step.v_pool,
        block_tables=torch.tensor(padded, dtype=torch.int32),
        lengths=torch.tensor(step.lengths, dtype=torch.int32),
        out=out,
        scale=scale,
        HEADS=heads,
        KV_HEADS=step.k_pool.shape[1],
        HEAD_DIM=head_dim,
        BLOCK_SIZE=BLOCK,
        MAX_BLOCKS=width,
        LANES=lanes,
        # The finished kernel takes strides, so that pools may be cut out of larger tensors.
        q_row_stride=step.q.stride(0),
        q_head_stride=step.q.stride(1),
        block_stride=block_stride,
        head_stride=head_stride,
        slot_stride=slot_stride,
        table_stride=width,
        GROUP=step.group,
        SLOTS=BLOCK,
    )
    try:
        interpreted(kernel)[(rows, heads)](**vars(given))
    except OutsideMemory as error:
        why = (
            "The table of this row has no such entry: a row of `length` tokens uses "
            "ceil(length / BLOCK_SIZE) entries, and no more are there."
        )
        at_table = "seen from block_tables" in str(error)
        got = in_words(error) + line_in(error, kernel)
        raise CheckFailed(got, why=why if at_table else None) from None
    return out


def expect_right(
    kernel: Any,
    step: DecodeStep,
    known: Sequence[Known] = (),
    *,
    tried: str | None = None,
    why: str | None = None,
) -> None:
    """Fail with the first row and head that are wrong.

    The why comes from the first wrong answer of ``known`` that all rows and heads have, else it is
    ``why``, else the case's.
    """
    out = launch(kernel, step).tolist()
    places = [(row, head) for row in range(len(out)) for head in range(len(out[row]))]
    for row, head in places:
        right = attention(step, row, head)
        if near(out[row][head], right):
            continue
        better = (
            text for wrong, text in known if all(near(out[r][h], wrong(r, h)) for r, h in places)
        )
        got = f"row {row}, head {head}: {numbers(out[row][head])}"
        raise CheckFailed(got, tried=tried, right=numbers(right), why=next(better, why))


def near(got: Sequence[float], right: Sequence[float]) -> bool:
    """Equal to float32's precision; NaN is never near."""
    return all(abs(a - b) <= 1e-4 * max(1.0, abs(b)) for a, b in zip(got, right, strict=True))


def numbers(values: Sequence[float]) -> str:
    """The first three numbers of an answer."""
    # "+ 0" turns -0.0 into 0.0.
    return ", ".join(f"{round(value, 4) + 0:.4f}" for value in values[:3]) + " …"

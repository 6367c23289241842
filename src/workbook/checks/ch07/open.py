"""Chapter 07's open task: attention over a sliding window, with sinks."""

import math
from typing import Any

from workbook.checks.framework import CheckFailed, NotHere, Rejected, open_task
from workbook.checks.framework.cases import in_words
from workbook.checks.toolboxes.decode_steps import (
    BLOCK,
    DecodeStep,
    arguments,
    decode_step,
    near,
    numbers,
)

CASES = (  # lengths, window, sinks
    ([1, 4, 5, 17], 8, 0),
    ([40, 9, 3], 8, 4),
    ([64], 6, 1),
    ([23], 16, 5),
)


def kept(length: int, window: int, sinks: int) -> list[int]:
    """The positions that count."""
    return [p for p in range(length) if p >= length - window or p < sinks]


def _played(lengths: list[int], window: int, sinks: int) -> DecodeStep:
    """A step whose slots hold NaN where nobody may read: given away, or never written."""
    step = decode_step(lengths, heads=4, kv_heads=2, unwritten=math.nan)
    for table, length in zip(step.tables, lengths, strict=True):
        for position in set(range(length)) - set(kept(length, window, sinks)):
            for pool in (step.k_pool, step.v_pool):
                pool[table[position // BLOCK], :, position % BLOCK] = math.nan
    return step


def _right(step: DecodeStep, row: int, head: int, positions: list[int]) -> list[float]:
    import torch

    blocks = [step.tables[row][position // BLOCK] for position in positions]
    slots = [position % BLOCK for position in positions]
    keys, values = (
        pool[blocks, head // step.group, slots].double() for pool in (step.k_pool, step.v_pool)
    )
    scores = keys @ step.q[row, head].double() * step.q.shape[2] ** -0.5
    answer: list[float] = (torch.softmax(scores, 0) @ values).tolist()
    return answer


@open_task(
    "window",
    label="open-07",
    title="A sliding window",
    asks="a kernel with the arguments of decode_kernel and two more, WINDOW: tl.constexpr and "
    "SINKS: tl.constexpr: a token sees the last WINDOW positions of its history and the first "
    "SINKS. All others hold NaN, in blocks that may be somebody else's by now.",
    unit="entries",
    better="less",
    today=(180, "the whole table, and masks"),
    book=(92, "only the blocks of the sinks and of the window"),
)
def window(answer: Any) -> int:
    """How many entries of the tables its programs read, over four batches."""
    from workbook.triton_or_stub import HAS_TRITON, NO_TRITON

    if not HAS_TRITON:
        raise Rejected(NO_TRITON)
    return sum(_entries_read(answer, *case) for case in CASES)


def _entries_read(answer: Any, lengths: list[int], width: int, sinks: int) -> int:
    import torch

    from paged_attention.kernels.interpreter import interpreted

    step = _played(lengths, width, sinks)
    given, out = arguments(step), torch.full_like(step.q, math.nan)
    table = given["block_tables"]
    start, end = table.data_ptr(), table.data_ptr() + table.numel() * table.element_size()
    read = 0

    def count(addresses: Any) -> None:
        nonlocal read
        read += int(((addresses >= start) & (addresses < end)).sum())

    try:
        run = interpreted(answer, count)[len(lengths), step.q.shape[1]]
        run(**given, out=out, WINDOW=width, SINKS=sinks)
    except (CheckFailed, NotHere):
        raise
    except Exception as error:
        raise Rejected(f"It ends in {in_words(error)}.") from None
    for row, length in enumerate(lengths):
        for head in range(step.q.shape[1]):
            right = _right(step, row, head, kept(length, width, sinks))
            got = out[row, head].tolist()
            if not near(got, right):
                raise Rejected(
                    f"Length {length}, window {width}, {sinks} sinks, head {head}: "
                    f"{numbers(got)} for {numbers(right)}"
                )
    return read

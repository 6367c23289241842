"""Chapter 07: softmax over blocks, each looked at once."""

import math
from collections.abc import Iterator, Sequence
from typing import Any

from workbook.checks.framework import attempt, exercise, expect, shown

Block = tuple[list[float], list[float]]  # scores, values
BLOCKS: list[Block] = [([0, 1], [4, 2]), ([2, 0], [1, 8]), ([3], [11])]
LISTED = "[([0, 1], [4, 2]), ([2, 0], [1, 8]), ([3], [11])]"

online_softmax = exercise(
    "online_softmax",
    label="ex-07-1",
    title="Online softmax",
    stub="online_softmax",
    takes="function",
    hints=(
        "What are all earlier weights worth when the maximum rises? Each of them was a power of "
        "two relative to the old maximum, and so is their sum.",
        "`new = max(m, *scores)`, then `shrink = 2.0 ** (m - new)`. Both `l` and `acc` are "
        "multiplied by `shrink` before the block's own part is added; `m = new` comes last.",
    ),
)


ONCE = (
    "`blocks` can be gone through once. The point of it is one pass: a second look would read "
    "every key again."
)


def _expect(got: Any, right: float) -> None:
    is_number = isinstance(got, (int, float)) and not isinstance(got, bool)
    expect(is_number and math.isclose(got, right, rel_tol=1e-9), got=shown(got))


@online_softmax.case(
    "three blocks",
    tried=f"online_softmax({LISTED})",
    right="6.75",
    why="The weights are 1, 2, 4, 1 and 8; the weighted values add up to 108, the weights to 16.",
)
def _three(function: Any) -> None:
    _expect(function(_copy(BLOCKS)), 6.75)


@online_softmax.case(
    "one block",
    tried="online_softmax([([3, 1], [2, 7])])",
    right="3.0",
    why="(8 × 2 + 2 × 7) / 10: with one block there is nothing to bring to another scale.",
)
def _one(function: Any) -> None:
    _expect(function([([3, 1], [2, 7])]), 3.0)


@online_softmax.case(
    "the same blocks backwards",
    tried="online_softmax([([3], [11]), ([2, 0], [1, 8]), ([0, 1], [4, 2])])",
    right="6.75",
    why="The order is free. Here the maximum comes first and never rises.",
)
def _backwards(function: Any) -> None:
    _expect(function(_copy(BLOCKS[::-1])), 6.75)


@online_softmax.case(
    "each block is looked at once",
    tried="online_softmax(block for block in blocks): a generator, which can be read only once",
    right="6.75",
    why="The point of it is one pass: a second look at the blocks would read every key again.",
)
def _once(function: Any) -> None:
    def blocks() -> Iterator[Block]:
        yield from _copy(BLOCKS)

    outcome = attempt(function, blocks())  # as a list they were answered, so it is the second look
    expect(outcome.error is None, got=str(outcome), why=ONCE)
    expect(math.isclose(outcome.value, 6.75), got=shown(outcome.value), why=ONCE)


@online_softmax.case(
    "scores of 2,000",
    tried="online_softmax([([2000, 1999], [3, 8]), ([2001], [0])])",
    right="2.0",
    why="2.0 ** 2000 is too large for a float. Only differences to the maximum may be exponents.",
)
def _high(function: Any) -> None:
    _expect(function([([2000, 1999], [3, 8]), ([2001], [0])]), 2.0)


@online_softmax.case(
    "scores of -2,000",
    tried="online_softmax([([-2000], [4]), ([-2001], [1])])",
    right="3.0",
    why="A maximum that starts at 0 stays there, and every weight underflows to 0. Nothing has "
    "been seen at the start, so the maximum is -inf.",
)
def _low(function: Any) -> None:
    _expect(function([([-2000], [4]), ([-2001], [1])]), 3.0)


@online_softmax.case(
    "scores that fall by 2,000",
    tried="online_softmax([([2000], [1]), ([0], [5])])",
    right="1.0",
    why="`m` is the highest score so far, not the highest of this block: it never falls, so no "
    "factor is ever above 1.",
)
def _falling(function: Any) -> None:
    _expect(function([([2000], [1]), ([0], [5])]), 1.0)


def _copy(blocks: Sequence[Block]) -> list[Block]:
    return [(list(scores), list(values)) for scores, values in blocks]

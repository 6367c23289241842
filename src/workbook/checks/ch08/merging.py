"""Chapter 08: parts of one history, merged into its answer."""

import itertools
import math
from collections.abc import Sequence
from typing import Any

from workbook.checks.framework import exercise, expect, shown

Part = tuple[float, float, float]  # m, l, acc
EMPTY: Part = (-math.inf, 0.0, 0.0)
AFTER_1: list[Part] = [(1, 1.5, 4.0), (3, 1.625, 8.5)]  # chapter 7's blocks, cut after the first
AFTER_2: list[Part] = [(2, 2.0, 5.0), (3, 1.0, 7.0)]
SINGLE: list[Part] = [(1, 1.5, 4.0), (2, 1.25, 3.0), (3, 1.0, 7.0)]

merge = exercise(
    "merge",
    label="ex-08-2",
    title="Merge",
    stub="merge",
    takes="function",
    hints=(
        "Bring all parts to one maximum, as the walk did when `m` rose, and add. What must a part "
        "without tokens add?",
        "`m` is the highest of all; a part's `l` and `acc` are multiplied by "
        "`2.0 ** (m_part - m)`. Skip the parts whose `l` is 0, divide once at the end, and return "
        "0.0 when nothing is left.",
    ),
)


def _expect(got: Any, right: float, **words: str) -> None:
    is_number = isinstance(got, (int, float)) and not isinstance(got, bool)
    close = is_number and math.isclose(got, right, rel_tol=1e-9, abs_tol=1e-12)
    expect(close, got=shown(got), **words)


def _listed(parts: Sequence[Part]) -> str:
    one = ", ".join(f"({'-inf' if m == -math.inf else m}, {l}, {acc})" for m, l, acc in parts)  # noqa: E741
    return f"merge([{one}])"


def _merges(title: str, parts: list[Part], right: float, why: str) -> None:
    @merge.case(title, tried=_listed(parts), right=shown(right), why=why)
    def _case(function: Any) -> None:
        _expect(function(list(parts)), right)


_merges(
    "cut after block 1",
    AFTER_1,
    4.75,
    "To m = 3: l = 1.5 / 4 + 1.625 = 2 and acc = 4 / 4 + 8.5 = 9.5.",
)
_merges("cut after block 2", AFTER_2, 4.75, "To m = 3: l = 2 / 2 + 1 = 2, acc = 5 / 2 + 7 = 9.5.")


@merge.case(
    "three parts, in any order",
    tried="the three blocks as parts of their own, in all six orders",
    right="4.75",
    why="The highest maximum may come first, in the middle or last.",
)
def _orders(function: Any) -> None:
    for parts in itertools.permutations(SINGLE):
        _expect(function(list(parts)), 4.75, tried=_listed(parts))


_merges(
    "an answer of 0 counts",
    [(1, 1.5, 0.0), (1, 1.5, 3.0)],
    1.0,
    "A part whose values add up to 0 has tokens all the same, and they weigh. A part without "
    "tokens is known by its `l`.",
)
_merges(
    "a maximum of 2,000",
    [(2000, 1.5, 3.0), (1998, 2.0, 8.0)],
    2.5,
    "2.0 ** 2000 is no float. Only differences to the highest maximum may be exponents.",
)
_merges(
    "maxima 4,000 apart",
    [(-2000, 2.0, 8.0), (2000, 1.5, 3.0)],
    2.0,
    "Seen from the highest maximum the other part weighs nothing. No weight may be above 1.",
)
_merges(
    "a maximum of -2,000,000",
    [(-2_000_000, 1.5, 3.0), (-2_000_002, 2.0, 8.0)],
    2.5,
    "Scores may all lie far below 0. The search for the highest begins at -inf, or at a part.",
)


@merge.case(
    "two parts without tokens, anywhere",
    tried="(1, 1.5, 4.0), (3, 1.625, 8.5) and twice (-inf, 0.0, 0.0), in every order",
    right="4.75",
    why="-inf minus -inf is NaN. A part without tokens adds nothing, also where it comes first or "
    "meets its like. (This happened: vllm-project/vllm#27491)",
)
def _empties(function: Any) -> None:
    for parts in itertools.permutations([EMPTY, EMPTY, *AFTER_1]):
        _expect(function(list(parts)), 4.75, tried=_listed(parts))


@merge.case(
    "nothing but empty parts",
    tried=_listed([EMPTY, EMPTY]),
    right="0.0",
    why="A sequence of length 0 has the answer 0 (chapter 7): every part is empty, and so is the "
    "sum of their `l`.",
)
def _nothing(function: Any) -> None:
    for empty in (1, 2, 3):
        _expect(function([EMPTY] * empty), 0.0, tried=_listed([EMPTY] * empty))

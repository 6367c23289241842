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

# What comes out of the cut after block 1 when one thing is wrong.
KNOWN = (
    ((4 / 1.5 + 8.5 / 1.625) / 2, "That is the mean of the two answers. The second part has higher "
     "scores, so it must count for more: by its `l`, on a common scale."),
    ((2 * 4 / 1.5 + 3 * 8.5 / 1.625) / 5, "The parts were weighed by their numbers of tokens. "
     "Tokens don't weigh alike: their scores say how much."),
    (12.5 / 3.125, "The sums were added as they came. Each is seen from its own `m`; bring both to "
     "the higher one first."),
    (12.5 / 2, "`acc` was added as it came; only `l` was brought to the higher `m`."),
    (9.5 / 3.125, "`l` was added as it came; only `acc` was brought to the higher `m`."),
    ((0.25 * 4 / 1.5 + 8.5 / 1.625) / 1.25, "Two finished answers were weighed by `2 ** m` alone. "
     "A part's weight is all of its `l`, so divide last."),
    ((16 + 8.5) / (6 + 1.625), "The lower part grew by 4. Seen from a higher maximum it is a "
     "quarter of what it was."),
    (8.5 / 1.625, "That is the second part's answer; the first was never added."),
)  # fmt: skip


def _expect(
    got: Any, answer: float, known: Sequence[tuple[float, str]] = (), **words: str | None
) -> None:
    is_number = isinstance(got, (int, float)) and not isinstance(got, bool)
    close = is_number and math.isclose(got, answer, rel_tol=1e-9, abs_tol=1e-12)
    better = (text for wrong, text in known if is_number and math.isclose(got, wrong, rel_tol=1e-6))
    expect(close, got=shown(got), **({"why": next(better, None)} | words))


def _listed(parts: Sequence[Part]) -> str:
    one = ", ".join(f"({'-inf' if m == -math.inf else m}, {l}, {acc})" for m, l, acc in parts)  # noqa: E741
    return f"merge([{one}])"


def _merges(title: str, parts: list[Part], right: float, why: str, known: Any = ()) -> None:
    @merge.case(title, tried=_listed(parts), right=shown(right), why=why)
    def _case(function: Any) -> None:
        _expect(function(list(parts)), right, known)


_merges(
    "cut after block 1",
    AFTER_1,
    4.75,
    "To m = 3: l = 1.5 / 4 + 1.625 = 2 and acc = 4 / 4 + 8.5 = 9.5.",
    KNOWN,
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
    level: list[Part] = [(1, 1.5, 0.0), (1, 1.5, 3.0)]
    _expect(
        function(list(level)),
        1.0,
        tried=_listed(level),
        right="1.0",
        why="A part whose values add up to 0 weighs like any other: whether it has tokens, `l` "
        "says, not `acc`.",
    )


_merges(
    "a maximum of 2,000",
    [(2000, 1.5, 3.0), (1998, 2.0, 8.0)],
    2.5,
    "2.0 ** 2000 is no float. Only differences to the highest maximum may be exponents.",
)
_merges(
    "a maximum of -2,000,000",
    [(-2_000_000, 1.5, 3.0), (-2_000_002, 2.0, 8.0)],
    2.5,
    "Scores may all lie far below 0. The search for the highest begins at -inf, or at a part.",
)


@merge.case(
    "two parts without tokens",
    tried=_listed([AFTER_1[0], EMPTY, EMPTY, AFTER_1[1]]),
    right="4.75",
    why="-inf minus -inf is NaN. Whoever compares the two empty parts with each other must not "
    "spread it: a part without tokens adds nothing. (This happened: vllm-project/vllm#27491)",
)
def _empty(function: Any) -> None:
    one, other = AFTER_1
    for parts in (
        [one, EMPTY, EMPTY, other],
        [EMPTY, EMPTY, one, other],
        [EMPTY, EMPTY, one],
        [one, other, EMPTY, EMPTY],
    ):
        right = 4.75 if other in parts else one[2] / one[1]
        _expect(function(list(parts)), right, tried=_listed(parts), right=shown(right))


@merge.case(
    "nothing but empty parts",
    tried=_listed([EMPTY, EMPTY]),
    right="0.0",
    why="A sequence of length 0 has the answer 0 (chapter 7): every part is empty, and so is the "
    "sum of their `l`.",
)
def _nothing(function: Any) -> None:
    got = function([EMPTY, EMPTY])
    nan = isinstance(got, float) and math.isnan(got)
    why = "NaN comes from -inf minus -inf: the highest maximum of no tokens is -inf, too."
    expect(not nan, got=shown(got), why=why)
    _expect(got, 0.0)

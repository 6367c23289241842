"""Mistakes with merge about parts without tokens, and about what parts are seen from."""
# ruff: noqa: E741

import math
from collections.abc import Sequence

from workbook.checks.ch08.merging import merge
from workbook.checks.ch08.mistakes.merging import Part, right

MEET = (
    "Two empty parts at the front meet before any token comes, and -inf minus -inf is NaN. A NaN "
    "isn't above 0, either: that test at the end turns it into 0.0. Skip what has no tokens."
)


def in_pairs(parts: Sequence[Part]) -> Part:
    """One part after the other, without a guard."""
    m, l, acc = parts[0]
    for part in parts[1:]:
        higher = max(m, part[0])
        shrink, weight = 2.0 ** (m - higher), 2.0 ** (part[0] - higher)
        m, l, acc = higher, l * shrink + part[1] * weight, acc * shrink + part[2] * weight
    return m, l, acc


@merge.mistake(MEET)
def guards_all_empty(parts: Sequence[Part]) -> float:
    if not any(l for _, l, _ in parts):
        return 0.0
    _, l, acc = in_pairs(parts)
    return acc / l


@merge.mistake(MEET)
def guards_the_division(parts: Sequence[Part]) -> float:
    _, l, acc = in_pairs(parts)
    return acc / l if l > 0 else 0.0


@merge.mistake(MEET)
def guards_zero(parts: Sequence[Part]) -> float:
    _, l, acc = in_pairs(parts)
    return acc / l if l else 0.0


@merge.mistake(
    "`acc` was multiplied by its `l`, as if it were an answer. It is the sum of the weighted "
    "values already."
)
def taken_for_answers(parts: Sequence[Part]) -> float:
    return right([(m, l, acc * l) for m, l, acc in parts])


@merge.mistake(
    "One empty part makes the whole answer 0.0. It adds nothing; the others answer all the same."
)
def zero_if_any_is_empty(parts: Sequence[Part]) -> float:
    return right(parts) if all(l for _, l, _ in parts) else 0.0


@merge.mistake(
    "A part was skipped because its `m` is 0. That is a maximum like any other: whether there are "
    "tokens, `l` says."
)
def skips_m_of_zero(parts: Sequence[Part]) -> float:
    return right([part for part in parts if part[0]] or [(0.0, 0.0, 0.0)])


@merge.mistake(
    "A part was skipped because its `m` isn't above 0. Scores may lie below: whether there are "
    "tokens, `l` says."
)
def skips_m_below_zero(parts: Sequence[Part]) -> float:
    return right([part for part in parts if part[0] > 0] or [(0.0, 0.0, 0.0)])


@merge.mistake(
    "With an odd number of parts the last one is lost: it has no partner, and must go on as it is."
)
def odd_one_lost(parts: Sequence[Part]) -> float:
    return right(parts[: max(1, len(parts) // 2 * 2)])


@merge.mistake(
    "All parts were seen from the first one's maximum. Another may lie far above, and a weight has "
    "no upper bound then; if the first is empty, everything is seen from -inf."
)
def from_the_first(parts: Sequence[Part]) -> float:
    m = parts[0][0]
    l = sum(2.0 ** (part[0] - m) * part[1] for part in parts if part[1])
    acc = sum(2.0 ** (part[0] - m) * part[2] for part in parts if part[1])
    return acc / l if l else 0.0


@merge.mistake(
    "All parts were seen from the last one's maximum. Another may lie far above, and a weight has "
    "no upper bound then; if the last is empty, everything is seen from -inf."
)
def from_the_last(parts: Sequence[Part]) -> float:
    return from_the_first([parts[-1], *parts[:-1]])


@merge.mistake(
    "To `m`, a power of two, `math.log(l)` was added, which is one of e: it takes `math.log2`."
)
def natural_log(parts: Sequence[Part]) -> float:
    told = [(m + math.log(l), acc / l) for m, l, acc in parts if l]
    return right([(lse, 1.0, answer) for lse, answer in told] or [(0.0, 0.0, 0.0)])

"""Mistakes with merge, as readers make them."""
# ruff: noqa: E741

import math
from collections.abc import Callable, Sequence

from workbook.checks.ch08.merging import EMPTY, merge

Part = tuple[float, float, float]


Merge = Callable[[Sequence[Part]], float]


def right(parts: Sequence[Part]) -> float:
    m = max(part[0] for part in parts)
    l = sum(2.0 ** (part[0] - m) * part[1] for part in parts if part[1])
    acc = sum(2.0 ** (part[0] - m) * part[2] for part in parts if part[1])
    return acc / l if l else 0.0


def weighed(weight: Callable[[float, float], tuple[float, float]]) -> Merge:
    """Like ``merge``; ``weight(m_part, m)`` gives what ``l`` and ``acc`` are multiplied by."""

    def wrong(parts: Sequence[Part]) -> float:
        m = max(part[0] for part in parts)
        told = [(*part, *weight(part[0], m)) for part in parts if part[1]]
        l = sum(one[3] * one[1] for one in told)
        acc = sum(one[4] * one[2] for one in told)
        return acc / l if l else 0.0

    return wrong


@merge.mistake(
    "That is the mean of the two answers. The second part has higher scores, so it must count for"
    " more: by its `l`, on a common scale."
)
def average(parts: Sequence[Part]) -> float:
    answers = [acc / l for _, l, acc in parts if l]
    return sum(answers) / len(answers)


@merge.mistake(
    "The parts were weighed by their numbers of tokens. Tokens don't weigh alike: their scores "
    "say how much."
)
def by_tokens(parts: Sequence[Part]) -> float:
    tokens = {1.5: 2, 1.625: 3}
    return sum(tokens[l] * acc / l for _, l, acc in parts) / sum(tokens[l] for _, l, _ in parts)


@merge.mistake(
    "Two finished answers were weighed by `2 ** m` alone. A part's weight is all of its `l`, so "
    "divide last."
)
def divided_first(parts: Sequence[Part]) -> float:
    m = max(part[0] for part in parts)
    weights = [2.0 ** (part[0] - m) for part in parts]
    return sum(w * acc / l for w, (_, l, acc) in zip(weights, parts, strict=True)) / sum(weights)


@merge.mistake(
    "The sums were divided by the sum of the factors. A part's weights add up to its `l`, so that "
    "is what is multiplied by the factor and added below the line."
)
def without_l(parts: Sequence[Part]) -> float:
    m = max(part[0] for part in parts)
    if m == -math.inf:
        return 0.0
    weights = [2.0 ** (part[0] - m) for part in parts]
    return sum(w * part[2] for w, part in zip(weights, parts, strict=True)) / sum(weights)


@merge.mistake("Only the two parts with the highest maxima were merged; all of them weigh.")
def two_highest(parts: Sequence[Part]) -> float:
    return right(sorted(parts)[-2:])


@merge.mistake("That is the second part's answer; the first was never added.")
def last_part(parts: Sequence[Part]) -> float:
    _, l, acc = parts[-1]
    return acc / l


@merge.mistake(
    "Each part was taken to be higher than the one before it. The highest maximum may come first,"
    " in the middle or last."
)
def as_if_rising(parts: Sequence[Part]) -> float:
    """Takes it that each part's maximum is higher than the one before."""
    l = acc = 0.0
    for at, part in enumerate(parts):
        if part[1]:
            shrink = 2.0 ** -abs(part[0] - parts[at - 1][0]) if at else 1.0
            l, acc = l * shrink + part[1], acc * shrink + part[2]
    return acc / l if l else 0.0


@merge.mistake(
    "No maximum is subtracted: 2.0 ** 2000 is no float. Only differences to the highest maximum "
    "may be exponents."
)
def from_zero(parts: Sequence[Part]) -> float:
    told = [part for part in parts if part[1]]
    l = sum(2.0 ** part[0] * part[1] for part in told)
    return sum(2.0 ** part[0] * part[2] for part in told) / l if l else 0.0


@merge.mistake(
    "The search for the highest maximum begins at 0, and all of them may lie far below. It begins"
    " at -inf, or at a part."
)
def starts_at_zero(parts: Sequence[Part]) -> float:
    m, l, acc = 0.0, 0.0, 0.0
    for part in parts:
        higher = max(m, part[0])
        shrink, weight = 2.0 ** (m - higher), 2.0 ** (part[0] - higher)
        m, l, acc = higher, l * shrink + part[1] * weight, acc * shrink + part[2] * weight
    return acc / l if l else 0.0


@merge.mistake(
    "An empty part ends the merge: what comes behind it is never added. Skip it and go on."
)
def stops_at_empty(parts: Sequence[Part]) -> float:
    told = []
    for part in parts:
        if not part[1]:
            break
        told.append(part)
    return right(told) if told else 0.0


@merge.mistake("The maxima are powers of two here: the factor is `2.0 ** (m_part - m)`, not e.")
def powers_of_e(parts: Sequence[Part]) -> float:
    log2_e = 1.4426950408889634
    return right([(m * log2_e, l, acc) for m, l, acc in parts])


@merge.mistake("All parts but the first two were left out: `parts` may have any number of them.")
def two_parts(parts: Sequence[Part]) -> float:
    return right(parts[:2]) if any(part[1] for part in parts[:2]) else 0.0


@merge.mistake("The part with the highest maximum answered alone; the others weigh, too.")
def winner(parts: Sequence[Part]) -> float:
    _, l, acc = max(parts)
    return acc / l if l else 0.0


@merge.mistake(
    "With nothing but empty parts the highest maximum is -inf, and -inf minus -inf is NaN: a "
    "sequence of length 0 has the answer 0."
)
def unguarded(parts: Sequence[Part]) -> float:
    """Right as long as one part has tokens."""
    m = max(part[0] for part in parts)
    l = sum(2.0 ** (part[0] - m) * part[1] for part in parts)
    acc = sum(2.0 ** (part[0] - m) * part[2] for part in parts)
    return acc / l


@merge.mistake(
    "With no token anywhere there is nothing to divide by. A sequence of length 0 has the answer "
    "0 (chapter 7): every part is empty, and so is the sum of their `l`."
)
def no_tokens_at_all(parts: Sequence[Part]) -> float:
    told = [part for part in parts if part[1]]
    m = max((part[0] for part in told), default=0.0)
    l = sum(2.0 ** (part[0] - m) * part[1] for part in told)
    return sum(2.0 ** (part[0] - m) * part[2] for part in told) / l


merge.mistake(
    "The sums were added as they came. Each is seen from its own `m`; bring both to the higher "
    "one first."
)(weighed(lambda _, __: (1, 1)))
merge.mistake("`acc` was added as it came; only `l` was brought to the higher `m`.")(
    weighed(lambda a, m: (2.0 ** (a - m), 1))
)
merge.mistake("`l` was added as it came; only `acc` was brought to the higher `m`.")(
    weighed(lambda a, m: (1, 2.0 ** (a - m)))
)
merge.mistake(
    "The lower part grew by 4. Seen from a higher maximum it is a quarter of what it was."
)(weighed(lambda a, m: (2.0 ** (m - a), 2.0 ** (m - a))))


@merge.mistake(
    "A part was skipped because its `acc` is 0. Its tokens weigh all the same: whether there are "
    "any, `l` says."
)
def skips_zero_sums(parts: Sequence[Part]) -> float:
    return right([part for part in parts if part[2]] or [(0.0, 0.0, 0.0)])


@merge.mistake(
    "The first part was never added: the loop begins at the second, and nothing stands for it."
)
def first_lost(parts: Sequence[Part]) -> float:
    return right(parts[1:])


@merge.mistake("Only the first part was answered.")
def first_alone(parts: Sequence[Part]) -> float:
    return right(parts[:1])


@merge.mistake(
    "The sums were divided by the number of parts; the common `l` is what the weights add up to."
)
def over_parts(parts: Sequence[Part]) -> float:
    l = right([(m, l, l) for m, l, _ in parts])
    m = max(part[0] for part in parts)
    return sum(2.0 ** (a - m) * c for a, b, c in parts if b) / len(parts) * l


merge.finished = right
merge.probes += [
    ([EMPTY, (1, 1.5, 4.0), (3, 1.625, 8.5)],),
    ([(1, 1.5, 4.0), EMPTY, (3, 1.625, 8.5)],),
    ([(1, 1.5, 4.0), EMPTY],),
    ([(0, 1.0, 2.0), (1, 1.0, 5.0)],),
    ([(-3, 1.0, 2.0), (-2, 1.25, 5.0), (-5, 1.5, 4.0)],),
]
merge.mistake(
    "That is what `math.exp` gives: `m` is in powers of two here, so the weights are `2.0 ** …`.",
    ("2.0 ** (part[0] - m)", "math.exp(part[0] - m)"),
)
merge.mistake("`acc` was never divided by `l`.", ("acc / l", "acc"))
merge.mistake("That is `l / acc`, upside down.", ("acc / l if l", "l / acc if l"))
merge.mistake(
    "The lowest `m` was taken for the common scale: a weight may then grow without an end.",
    ("m = max(", "m = min("),
)

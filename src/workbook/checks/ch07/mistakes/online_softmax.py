"""Mistakes with online_softmax, as readers make them."""
# ruff: noqa: E741

import math
from collections.abc import Iterable

from workbook.checks.ch07.online_softmax import ONCE, online_softmax

Blocks = Iterable[tuple[list[float], list[float]]]


def right(blocks: Blocks, acc_scaled: bool = True, l_scaled: bool = True) -> float:
    m, l, acc = -math.inf, 0.0, 0.0
    for scores, values in blocks:
        new = max(m, *scores)
        shrink = 2.0 ** (m - new)
        p = [2.0 ** (score - new) for score in scores]
        l = l * (shrink if l_scaled else 1) + sum(p)
        acc = acc * (shrink if acc_scaled else 1) + sum(
            a * v for a, v in zip(p, values, strict=True)
        )
        m = new
    return acc / l


@online_softmax.mistake(
    "Only `l` was brought to the new scale. The values in `acc` kept the weights that they had "
    "under the old maximum, so the first blocks count too much."
)
def acc_unscaled(blocks: Blocks) -> float:
    return right(blocks, acc_scaled=False)


@online_softmax.mistake(
    "Only `acc` was brought to the new scale. `l` still counts the first blocks in full, so the "
    "result is too small."
)
def l_unscaled(blocks: Blocks) -> float:
    return right(blocks, l_scaled=False)


@online_softmax.mistake(
    "Neither sum was brought to the new scale: `shrink` was left out, or `m = new` stands before "
    "it "
    "and makes it 1."
)
def both_unscaled(blocks: Blocks) -> float:
    return right(blocks, acc_scaled=False, l_scaled=False)


@online_softmax.mistake(
    "The short block was filled up with a score of 0 and a value of 0. A score of 0 is a weight "
    "like any other: what isn't there needs a weight of 0, which is a score of -inf."
)
def padded_with_zeros(blocks: Blocks) -> float:
    filled = []
    for scores, values in blocks:
        rest = [0.0] * (2 - len(scores))
        filled.append((scores + rest, values + rest))
    return right(filled)


@online_softmax.mistake("That is the answer of the first two blocks: the last one was never added.")
def last_block_lost(blocks: Blocks) -> float:
    return right(list(blocks)[:-1])


@online_softmax.mistake(
    "That is the average of the three blocks' own answers. Blocks whose scores are higher must "
    "count for more."
)
def averaged(blocks: Blocks) -> float:
    answers = [right([block]) for block in blocks]
    return sum(answers) / len(answers)


@online_softmax.mistake("Weights here are powers of two, `2.0 ** score`, not of e.")
def powers_of_e(blocks: Blocks) -> float:
    log2_e = math.log2(math.e)
    return right([([s * log2_e for s in scores], values) for scores, values in blocks])


@online_softmax.mistake(
    "The old sums were scaled up, not down: when the maximum rises, what was weighed before "
    "becomes smaller."
)
def upside_down(blocks: Blocks) -> float:
    m, l, acc = None, 0.0, 0.0
    for scores, values in blocks:
        new = max(scores) if m is None else max(m, *scores)
        grow = 1.0 if m is None else 2.0 ** (new - m)
        p = [2.0 ** (score - new) for score in scores]
        l = l * grow + sum(p)
        acc = acc * grow + sum(a * v for a, v in zip(p, values, strict=True))
        m = new
    return acc / l


@online_softmax.mistake(ONCE)
def two_looks(blocks: Blocks) -> float:
    highest = max(max(scores) for scores, _ in blocks)
    l = acc = 0.0
    for scores, values in blocks:
        p = [2.0 ** (score - highest) for score in scores]
        l, acc = l + sum(p), acc + sum(a * v for a, v in zip(p, values, strict=True))
    return acc / l


@online_softmax.mistake(
    "No maximum is subtracted: 2.0 ** 2000 is too large for a float. Only differences to the "
    "maximum may be exponents."
)
def no_maximum(blocks: Blocks) -> float:
    l = acc = 0.0
    for scores, values in blocks:
        p = [2.0**score for score in scores]
        l, acc = l + sum(p), acc + sum(a * v for a, v in zip(p, values, strict=True))
    return acc / l


@online_softmax.mistake(
    "`m` starts at 0 and stays there, so every weight underflows to 0. Nothing has been seen at "
    "the start: the maximum of nothing is -inf."
)
def starts_at_zero(blocks: Blocks) -> float:
    m, l, acc = 0.0, 0.0, 0.0
    for scores, values in blocks:
        new = max(m, *scores)
        p = [2.0 ** (score - new) for score in scores]
        l = l * 2.0 ** (m - new) + sum(p)
        acc = acc * 2.0 ** (m - new) + sum(a * v for a, v in zip(p, values, strict=True))
        m = new
    return acc / l


@online_softmax.mistake(
    "`m` became the highest score of this block. It is the highest so far and never falls, so no "
    "factor is ever above 1."
)
def own_maximum(blocks: Blocks) -> float:
    m, l, acc = -math.inf, 0.0, 0.0
    for scores, values in blocks:
        new = max(scores)
        p = [2.0 ** (score - new) for score in scores]
        l = l * 2.0 ** (m - new) + sum(p)
        acc = acc * 2.0 ** (m - new) + sum(a * v for a, v in zip(p, values, strict=True))
        m = new
    return acc / l


@online_softmax.mistake(
    "`m` never gets the new maximum (`m = new` is missing), so every block shrinks what came "
    "before "
    "to nothing: the last block alone is left."
)
def maximum_forgotten(blocks: Blocks) -> float:
    return right(list(blocks)[-1:])


@online_softmax.mistake(
    "The sum of the weighted values came back undivided: the answer is acc / l."
)
def undivided(blocks: Blocks) -> float:
    listed = [(list(scores), list(values)) for scores, values in blocks]
    ones = [(scores, [1.0] * len(scores)) for scores, _ in listed]
    highest = max(max(scores) for scores, _ in listed)
    total = sum(2.0 ** (score - highest) for scores, _ in ones for score in scores)
    return right(listed) * total


@online_softmax.mistake(
    "Scores themselves were taken for weights. A weight is `2.0 ** score`, seen from the maximum."
)
def scores_as_weights(blocks: Blocks) -> float:
    told = [(s, v) for scores, values in blocks for s, v in zip(scores, values, strict=True)]
    return sum(s * v for s, v in told) / (sum(s for s, _ in told) or 1)


@online_softmax.mistake("Every value counts alike: the weights were left out.")
def plain_mean(blocks: Blocks) -> float:
    told = [value for _, values in blocks for value in values]
    return sum(told) / len(told)


@online_softmax.mistake(
    "The value of the highest score came back alone: the others count, too, by their weights."
)
def winner_takes_all(blocks: Blocks) -> float:
    told = [(s, v) for scores, values in blocks for s, v in zip(scores, values, strict=True)]
    return max(told)[1]


@online_softmax.mistake(
    "The first block was never brought to a later scale: only blocks from the second on shrink."
)
def first_kept(blocks: Blocks) -> float:
    m, l, acc = -math.inf, 0.0, 0.0
    for index, (scores, values) in enumerate(blocks):
        new = max(m, *scores)
        shrink = 2.0 ** (m - new) if index != 1 else 1.0
        p = [2.0 ** (score - new) for score in scores]
        l = l * shrink + sum(p)
        acc = acc * shrink + sum(a * v for a, v in zip(p, values, strict=True))
        m = new
    return acc / l


@online_softmax.mistake(
    "`acc` holds a finished answer, divided in every step, and is then added to undivided sums. "
    "Divide once, at the end."
)
def divided_each_time(blocks: Blocks) -> float:
    m, l, acc = -math.inf, 0.0, 0.0
    for scores, values in blocks:
        new = max(m, *scores)
        shrink = 2.0 ** (m - new)
        p = [2.0 ** (score - new) for score in scores]
        l = l * shrink + sum(p)
        acc = (acc * shrink + sum(a * v for a, v in zip(p, values, strict=True))) / l
        m = new
    return acc


@online_softmax.mistake("The two sums were divided the wrong way round: the answer is acc / l.")
def upside_down_answer(blocks: Blocks) -> float:
    return 1 / right(blocks)


online_softmax.finished = right

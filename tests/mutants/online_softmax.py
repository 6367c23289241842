"""Wrong ways through the blocks, as readers write them. (exercise, name, object, fragment.)"""
# ruff: noqa: E741

import math
from collections.abc import Callable, Iterable
from typing import Any

Blocks = Iterable[tuple[list[float], list[float]]]


def online_softmax(blocks: Blocks, acc_scaled: bool = True, l_scaled: bool = True) -> float:
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


def acc_unscaled(blocks: Blocks) -> float:
    return online_softmax(blocks, acc_scaled=False)


def l_unscaled(blocks: Blocks) -> float:
    return online_softmax(blocks, l_scaled=False)


def both_unscaled(blocks: Blocks) -> float:
    return online_softmax(blocks, acc_scaled=False, l_scaled=False)


def padded_with_zeros(blocks: Blocks) -> float:
    filled = []
    for scores, values in blocks:
        rest = [0.0] * (2 - len(scores))
        filled.append((scores + rest, values + rest))
    return online_softmax(filled)


def last_block_lost(blocks: Blocks) -> float:
    return online_softmax(list(blocks)[:-1])


def averaged(blocks: Blocks) -> float:
    answers = [online_softmax([block]) for block in blocks]
    return sum(answers) / len(answers)


def powers_of_e(blocks: Blocks) -> float:
    log2_e = math.log2(math.e)
    return online_softmax([([s * log2_e for s in scores], values) for scores, values in blocks])


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


def two_looks(blocks: Blocks) -> float:
    highest = max(max(scores) for scores, _ in blocks)
    l = acc = 0.0
    for scores, values in blocks:
        p = [2.0 ** (score - highest) for score in scores]
        l, acc = l + sum(p), acc + sum(a * v for a, v in zip(p, values, strict=True))
    return acc / l


def no_maximum(blocks: Blocks) -> float:
    l = acc = 0.0
    for scores, values in blocks:
        p = [2.0**score for score in scores]
        l, acc = l + sum(p), acc + sum(a * v for a, v in zip(p, values, strict=True))
    return acc / l


def starts_at_zero(blocks: Blocks) -> float:
    m, l, acc = 0.0, 0.0, 0.0
    for scores, values in blocks:
        new = max(m, *scores)
        p = [2.0 ** (score - new) for score in scores]
        l = l * 2.0 ** (m - new) + sum(p)
        acc = acc * 2.0 ** (m - new) + sum(a * v for a, v in zip(p, values, strict=True))
        m = new
    return acc / l


def own_maximum(blocks: Blocks) -> float:
    m, l, acc = -math.inf, 0.0, 0.0
    for scores, values in blocks:
        new = max(scores)
        p = [2.0 ** (score - new) for score in scores]
        l = l * 2.0 ** (m - new) + sum(p)
        acc = acc * 2.0 ** (m - new) + sum(a * v for a, v in zip(p, values, strict=True))
        m = new
    return acc / l


MUTANTS = [
    ("online_softmax", "acc unscaled", acc_unscaled, "Only `l` was brought to the new scale"),
    ("online_softmax", "l unscaled", l_unscaled, "Only `acc` was brought to the new scale"),
    ("online_softmax", "both unscaled", both_unscaled, "Neither sum was brought"),
    ("online_softmax", "padded with zeros", padded_with_zeros, "a weight like any other"),
    ("online_softmax", "last block lost", last_block_lost, "the last one was never added"),
    ("online_softmax", "averaged", averaged, "the average of the three blocks' own answers"),
    ("online_softmax", "powers of e", powers_of_e, "not of e"),
    ("online_softmax", "upside down", upside_down, "scaled up, not down"),
    ("online_softmax", "two looks", two_looks, "a second look at the blocks"),
    ("online_softmax", "no maximum", no_maximum, "2.0 ** 2000 is too large"),
    ("online_softmax", "starts at zero", starts_at_zero, "every weight underflows to 0"),
    ("online_softmax", "own maximum", own_maximum, "not the highest of this block"),
]
FINISHED: dict[str, Callable[..., Any]] = {"online_softmax": online_softmax}

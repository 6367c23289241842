"""Wrong ways to merge parts, and wrong counts of bytes. (exercise, name, object, fragment.)"""
# ruff: noqa: E741

from collections.abc import Callable, Sequence
from functools import reduce
from typing import Any

Part = tuple[float, float, float]
Merge = Callable[[Sequence[Part]], float]


def merge(parts: Sequence[Part]) -> float:
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


def average(parts: Sequence[Part]) -> float:
    answers = [acc / l for _, l, acc in parts if l]
    return sum(answers) / len(answers)


def by_tokens(parts: Sequence[Part]) -> float:
    tokens = {1.5: 2, 1.625: 3}
    return sum(tokens[l] * acc / l for _, l, acc in parts) / sum(tokens[l] for _, l, _ in parts)


def divided_first(parts: Sequence[Part]) -> float:
    m = max(part[0] for part in parts)
    weights = [2.0 ** (part[0] - m) for part in parts]
    return sum(w * acc / l for w, (_, l, acc) in zip(weights, parts, strict=True)) / sum(weights)


def last_part(parts: Sequence[Part]) -> float:
    _, l, acc = parts[-1]
    return acc / l


def as_if_rising(parts: Sequence[Part]) -> float:
    """Takes it that each part's maximum is higher than the one before."""
    l = acc = 0.0
    for at, part in enumerate(parts):
        if part[1]:
            shrink = 2.0 ** -abs(part[0] - parts[at - 1][0]) if at else 1.0
            l, acc = l * shrink + part[1], acc * shrink + part[2]
    return acc / l if l else 0.0


def from_zero(parts: Sequence[Part]) -> float:
    told = [part for part in parts if part[1]]
    l = sum(2.0 ** part[0] * part[1] for part in told)
    return sum(2.0 ** part[0] * part[2] for part in told) / l if l else 0.0


def starts_at_zero(parts: Sequence[Part]) -> float:
    m, l, acc = 0.0, 0.0, 0.0
    for part in parts:
        higher = max(m, part[0])
        shrink, weight = 2.0 ** (m - higher), 2.0 ** (part[0] - higher)
        m, l, acc = higher, l * shrink + part[1] * weight, acc * shrink + part[2] * weight
    return acc / l if l else 0.0


def in_pairs(parts: Sequence[Part]) -> float:
    """-inf - -inf where two empty parts meet."""

    def pair(a: Part, b: Part) -> Part:
        m = max(a[0], b[0])
        x, y = 2.0 ** (a[0] - m), 2.0 ** (b[0] - m)
        return m, a[1] * x + b[1] * y, a[2] * x + b[2] * y

    left, right = reduce(pair, parts[: len(parts) - 2 or 1]), reduce(pair, parts[-2:])
    if len(parts) == 4:
        left, right = parts[0], pair(pair(parts[1], parts[2]), parts[3])
    elif len(parts) == 2:
        left, right = parts[0], parts[1]
    else:
        left, right = pair(parts[0], parts[1]), parts[2]
    _, l, acc = pair(left, right)
    return acc / l


def unguarded(parts: Sequence[Part]) -> float:
    """Right as long as one part has tokens."""
    m = max(part[0] for part in parts)
    l = sum(2.0 ** (part[0] - m) * part[1] for part in parts)
    acc = sum(2.0 ** (part[0] - m) * part[2] for part in parts)
    return acc / l


def no_tokens_at_all(parts: Sequence[Part]) -> float:
    told = [part for part in parts if part[1]]
    m = max((part[0] for part in told), default=0.0)
    l = sum(2.0 ** (part[0] - m) * part[1] for part in told)
    return sum(2.0 ** (part[0] - m) * part[2] for part in told) / l


def intensity(
    heads: int,
    kv_heads: int,
    head_dim: int,
    length: int,
    itemsize: int,
    queries: int,
    batch: int,
) -> float:
    operations = 4 * batch * queries * length * heads * head_dim
    return operations / (2 * batch * length * kv_heads * head_dim * itemsize)


def counted(change: Callable[[dict[str, int]], float]) -> Callable[..., float]:
    """The right intensity times what ``change`` makes of the sizes."""

    def wrong(**sizes: int) -> float:
        return intensity(**sizes) * change(sizes)

    return wrong


def _query_heads(sizes: dict[str, int]) -> float:
    return sizes["kv_heads"] / sizes["heads"]


MUTANTS = [
    ("intensity", "bytes of all heads", counted(_query_heads), "keys for every query head"),
    ("intensity", "two operations", counted(lambda _: 0.5), "Only half of the work"),
    ("intensity", "no bytes of V", counted(lambda _: 2), "the values are read, too"),
    ("intensity", "upside down", lambda **sizes: 1 / intensity(**sizes), "upside down"),
    ("intensity", "one key", counted(lambda s: s["length"]), "missing below the line"),
    ("intensity", "no itemsize", counted(lambda s: s["itemsize"] / 2), "bytes of one number"),
    ("intensity", "times batch", counted(lambda s: s["batch"]), "keys they do not"),
    ("intensity", "batch below", counted(lambda s: 1 / s["batch"]), "each sequence has its own"),
    ("intensity", "one query", counted(lambda s: 1 / s["queries"]), "serves them all"),
    ("intensity", "1,024 tokens", counted(lambda s: s["length"] / 1024), "at any length"),
    ("merge", "average", average, "That is the mean of the two answers"),
    ("merge", "by tokens", by_tokens, "weighed by their numbers of tokens"),
    ("merge", "unscaled", weighed(lambda _, __: (1, 1)), "The sums were added as they came"),
    ("merge", "acc unscaled", weighed(lambda a, m: (2.0 ** (a - m), 1)), "`acc` was added as it"),
    ("merge", "l unscaled", weighed(lambda a, m: (1, 2.0 ** (a - m))), "`l` was added as it"),
    ("merge", "divided first", divided_first, "so divide last"),
    (
        "merge",
        "upside down",
        weighed(lambda a, m: (2.0 ** (m - a), 2.0 ** (m - a))),
        "The lower part grew by 4",
    ),
    ("merge", "last part", last_part, "the first was never added"),
    ("merge", "as if rising", as_if_rising, "may come first, in the middle or last"),
    ("merge", "no maximum", from_zero, "2.0 ** 2000 is no float"),
    ("merge", "starts at zero", starts_at_zero, "begins at -inf, or at a part"),
    ("merge", "in pairs", in_pairs, "Whoever compares the two empty parts"),
    ("merge", "unguarded", unguarded, "the highest maximum of no tokens"),
    ("merge", "no tokens at all", no_tokens_at_all, "every part is empty, and so is the sum"),
]
FINISHED: dict[str, Any] = {"merge": merge, "intensity": intensity}

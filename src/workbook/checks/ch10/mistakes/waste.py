"""Mistakes with waste_at, as readers make them."""

from collections.abc import Sequence

from workbook.checks.ch10.waste import waste

Ints = Sequence[int]


def held(lengths: Ints, b: int) -> int:
    return sum(-(-n // b) for n in lengths) * b


def right(lengths: Ints, b: int) -> float:
    return 1 - sum(lengths) / held(lengths, b)


def _exactly(lengths: Ints, b: int) -> float:
    return (held(lengths, b) - sum(lengths)) / held(lengths, b)


waste.finished = _exactly


@waste.mistake("Divided by the tokens; the share is of the slots that are held.")
def of_tokens(lengths: Ints, b: int) -> float:
    return (held(lengths, b) - sum(lengths)) / sum(lengths)


@waste.mistake("Blocks were rounded down. A part-filled block is held whole.")
def rounded_down(lengths: Ints, b: int) -> float:
    blocks = sum(n // b for n in lengths) * b
    return (blocks - sum(lengths)) / (blocks or 1)


@waste.mistake(
    "A mean of each sequence's share: a short sequence would weigh as much as a long one."
)
def mean_of_shares(lengths: Ints, b: int) -> float:
    return sum(_exactly([n], b) for n in lengths) / len(lengths)


@waste.mistake("The lengths were added before rounding up. Two sequences never share a block.")
def added_first(lengths: Ints, b: int) -> float:
    return _exactly([sum(lengths)], b)


@waste.mistake("A block more than needed for every sequence: 16 tokens fill one of 16.")
def always_one_more(lengths: Ints, b: int) -> float:
    slots = sum(n // b + 1 for n in lengths) * b
    return (slots - sum(lengths)) / slots


@waste.mistake("Slots were counted; a share of all slots that are held is wanted.")
def in_slots(lengths: Ints, b: int) -> float:
    return float(held(lengths, b) - sum(lengths))


@waste.mistake("That is the share in use. The rest of it is wasted.")
def used(lengths: Ints, b: int) -> float:
    return sum(lengths) / held(lengths, b)


@waste.mistake("A percentage; a share between 0 and 1 is wanted.")
def percent(lengths: Ints, b: int) -> float:
    return 100 * _exactly(lengths, b)


@waste.mistake("(b - 1) / 2 a sequence is a guess. Here the lengths are known: count.")
def by_rule(lengths: Ints, b: int) -> float:
    guessed = len(lengths) * (b - 1) / 2
    return guessed / (sum(lengths) + guessed)


@waste.mistake("16 was written into the code; the size of a block is the second argument.")
def always_sixteen(lengths: Ints, b: int) -> float:
    return _exactly(lengths, 16)


@waste.mistake("Only the first sequence was counted.")
def first_only(lengths: Ints, b: int) -> float:
    return _exactly(lengths[:1], b)


@waste.mistake("Every sequence was padded to the longest one. Blocks follow each its own length.")
def padded(lengths: Ints, b: int) -> float:
    slots = held([max(lengths)] * len(lengths), b)
    return (slots - sum(lengths)) / slots

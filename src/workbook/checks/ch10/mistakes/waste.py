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
waste.also_right += [right]
waste.probes += [([5, 40, 12, 33, 7], 12), ([1000, 3], 64)]


@waste.mistake("Divided by the tokens; the share is of the slots that are held.")
def of_tokens(lengths: Ints, b: int) -> float:
    return (held(lengths, b) - sum(lengths)) / sum(lengths)


ROUNDED_DOWN = (
    "Blocks were rounded down: 1 token would hold none. A part-filled block is held whole."
)


@waste.mistake(ROUNDED_DOWN)
def rounded_down(lengths: Ints, b: int) -> float:
    blocks = sum(n // b for n in lengths) * b
    return (blocks - sum(lengths)) / blocks


@waste.mistake(ROUNDED_DOWN)
def rounded_down_guarded(lengths: Ints, b: int) -> float:
    blocks = sum(n // b for n in lengths) * b
    return (blocks - sum(lengths)) / blocks if blocks else 0.0


@waste.mistake(
    "`round` goes down, too. A part-filled block is held whole, however little is in it."
)
def to_the_nearest(lengths: Ints, b: int) -> float:
    blocks = sum(round(n / b) for n in lengths) * b
    return (blocks - sum(lengths)) / blocks


@waste.mistake(
    "`round` goes down, too. A part-filled block is held whole, however little is in it."
)
def to_the_nearest_guarded(lengths: Ints, b: int) -> float:
    blocks = sum(round(n / b) for n in lengths) * b
    return (blocks - sum(lengths)) / blocks if blocks else 0.0


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


IN_SLOTS = "Empty slots were counted; their share of all slots that are held is wanted."


@waste.mistake(IN_SLOTS)
def in_slots(lengths: Ints, b: int) -> float:
    return float(held(lengths, b) - sum(lengths))


@waste.mistake(IN_SLOTS)
def in_whole_slots(lengths: Ints, b: int) -> int:
    return held(lengths, b) - sum(lengths)


@waste.mistake("Slots that are held were counted; the share of them that is empty is wanted.")
def held_slots(lengths: Ints, b: int) -> int:
    return held(lengths, b)


@waste.mistake(
    "Empty slots a sequence: they were divided by the number of sequences, not by all slots that "
    "are held."
)
def slots_a_sequence(lengths: Ints, b: int) -> float:
    return (held(lengths, b) - sum(lengths)) / len(lengths)


@waste.mistake(
    "Blocks were divided by, not slots: the empty slots a block. A block has `b` of them."
)
def slots_a_block(lengths: Ints, b: int) -> float:
    return (held(lengths, b) - sum(lengths)) / (held(lengths, b) // b)


@waste.mistake(
    "A full block counts as empty: `b - n % b` is `b` where n is a multiple of it; `-n % b` is 0."
)
def full_is_empty(lengths: Ints, b: int) -> float:
    empty = sum(b - n % b for n in lengths)
    return empty / held(lengths, b)


@waste.mistake("`n % b` is what the last block holds; what it lacks is `-n % b`.")
def filled_part(lengths: Ints, b: int) -> float:
    return sum(n % b for n in lengths) / held(lengths, b)


@waste.mistake("The division was rounded with `//`: a share between 0 and 1 becomes 0.")
def floor_of_the_share(lengths: Ints, b: int) -> float:
    return float((held(lengths, b) - sum(lengths)) // held(lengths, b))


@waste.mistake(
    "The sign is turned: what is held is more than what is used, so subtract from what is held."
)
def negative(lengths: Ints, b: int) -> float:
    return (sum(lengths) - held(lengths, b)) / held(lengths, b)


@waste.mistake("Blocks were counted, and tokens taken from them: slots are blocks times `b`.")
def blocks_for_slots(lengths: Ints, b: int) -> float:
    blocks = held(lengths, b) // b
    return (blocks - sum(lengths)) / blocks


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


@waste.mistake(
    "The share of the *sequences* that waste something. Wanted is that of the slots: how much each "
    "leaves empty."
)
def wasting_sequences(lengths: Ints, b: int) -> float:
    return sum(n % b != 0 for n in lengths) / len(lengths)


@waste.mistake(
    "Divided by one block a sequence. A sequence holds all of its blocks, not the last one alone."
)
def of_last_blocks(lengths: Ints, b: int) -> float:
    return (held(lengths, b) - sum(lengths)) / (len(lengths) * b)


@waste.mistake("Only the first sequence was counted.")
def first_only(lengths: Ints, b: int) -> float:
    return _exactly(lengths[:1], b)


@waste.mistake("Every sequence was padded to the longest one. Blocks follow each its own length.")
def padded(lengths: Ints, b: int) -> float:
    slots = held([max(lengths)] * len(lengths), b)
    return (slots - sum(lengths)) / slots

"""Mistakes with keys_seen, as readers make them."""

from collections.abc import Sequence
from itertools import pairwise

from workbook.checks.ch09.keys_seen import keys_seen

Ints = Sequence[int]


def right(lengths: Ints, starts: Ints) -> list[int]:
    seen: list[int] = []
    for row, length in enumerate(lengths):
        count = starts[row + 1] - starts[row]
        seen += range(length - count + 1, length + 1)
    return seen


keys_seen.finished = right
keys_seen.probes += [([20, 5, 9, 30], [0, 4, 5, 5, 12]), ([8, 8], [0, 3, 6])]


@keys_seen.mistake(
    "Every chunk was counted from key 0, as if nothing were known: the triangle of a first prompt. "
    "(This happened: gittensor-ai-lab/sparkinfer#3)"
)
def from_zero(lengths: Ints, starts: Ints) -> list[int]:
    return [i + 1 for a, b in pairwise(starts) for i in range(b - a)]


@keys_seen.mistake("A token sees its own key, too: without it, token 0 of a prompt sees nothing.")
def without_itself(lengths: Ints, starts: Ints) -> list[int]:
    return [seen - 1 for seen in right(lengths, starts)]


@keys_seen.mistake("Every new token got the whole length: all but the last see their future.")
def the_whole_length(lengths: Ints, starts: Ints) -> list[int]:
    return [lengths[row] for row, (a, b) in enumerate(pairwise(starts)) for _ in range(b - a)]


@keys_seen.mistake(
    "The row in q was counted on from sequence to sequence. Each sequence's tokens begin at 0."
)
def packed_index(lengths: Ints, starts: Ints) -> list[int]:
    return [
        lengths[row] - (b - a) + at + 1
        for row, (a, b) in enumerate(pairwise(starts))
        for at in range(a, b)
    ]


@keys_seen.mistake(
    "`starts` says where a sequence begins in q, not how many of its tokens are known."
)
def starts_as_past(lengths: Ints, starts: Ints) -> list[int]:
    return [a + i + 1 for a, b in pairwise(starts) for i in range(b - a)]


@keys_seen.mistake(
    "A sequence without new tokens was left out of the count of sequences: those after it took the "
    "length of the one before them."
)
def empty_row_shifts(lengths: Ints, starts: Ints) -> list[int]:
    counts = [b - a for a, b in pairwise(starts) if b > a]
    return [
        length - count + i + 1
        for length, count in zip(lengths, counts, strict=False)
        for i in range(count)
    ]


@keys_seen.mistake(
    "The length counts the new tokens already: the known ones are length - count, not length."
)
def past_is_length(lengths: Ints, starts: Ints) -> list[int]:
    return [
        lengths[row] + i + 1 for row, (a, b) in enumerate(pairwise(starts)) for i in range(b - a)
    ]


@keys_seen.mistake("One number for each sequence; each new token has its own.")
def one_a_sequence(lengths: Ints, starts: Ints) -> list[int]:
    return list(lengths)


@keys_seen.mistake("A list for each sequence; the rows of q lie one after another, in one list.")
def nested(lengths: Ints, starts: Ints) -> list[list[int]]:
    return [
        list(range(length - (b - a) + 1, length + 1))
        for length, (a, b) in zip(lengths, pairwise(starts), strict=True)
    ]


@keys_seen.mistake("Newest first: the rows of q are in the order of the text.")
def newest_first(lengths: Ints, starts: Ints) -> list[int]:
    return [
        length - i
        for length, (a, b) in zip(lengths, pairwise(starts), strict=True)
        for i in range(b - a)
    ]


@keys_seen.mistake(
    "Counted backwards from the length: the first new token sees length - count + 1 keys, and each "
    "after it one more."
)
def backwards_and_without_itself(lengths: Ints, starts: Ints) -> list[int]:
    return [seen - 1 for seen in newest_first(lengths, starts)]


@keys_seen.mistake(
    "`starts` has one entry more than there are sequences: its last one is no beginning. Loop over "
    "the lengths."
)
def loops_over_starts(lengths: Ints, starts: Ints) -> list[int]:
    seen: list[int] = []
    for row in range(len(starts)):
        count = starts[row + 1] - starts[row]
        seen += range(lengths[row] - count + 1, lengths[row] + 1)
    return seen


@keys_seen.mistake("Only the first sequence was looked at.")
def first_only(lengths: Ints, starts: Ints) -> list[int]:
    return right(lengths[:1], starts[:2])


@keys_seen.mistake("The last new token of each sequence is missing: the chunk ends with it.")
def without_the_last(lengths: Ints, starts: Ints) -> list[int]:
    return [
        seen
        for row, length in enumerate(lengths)
        for seen in range(length - (starts[row + 1] - starts[row]) + 1, length)
    ]


@keys_seen.mistake(
    "Every sequence was given the first one's number of new tokens; `starts` says how many each "
    "brings."
)
def first_count_for_all(lengths: Ints, starts: Ints) -> list[int]:
    count = starts[1] - starts[0]
    return [seen for length in lengths for seen in range(length - count + 1, length + 1)]


@keys_seen.mistake("A sequence without new tokens has no row, and no number.")
def at_least_one(lengths: Ints, starts: Ints) -> list[int]:
    return [
        seen
        for row, length in enumerate(lengths)
        for seen in range(length - max(1, starts[row + 1] - starts[row]) + 1, length + 1)
    ]


@keys_seen.mistake("All known tokens, and none of the new ones: each of those sees itself, too.")
def history_only(lengths: Ints, starts: Ints) -> list[int]:
    return [
        lengths[row] - (b - a) for row, (a, b) in enumerate(pairwise(starts)) for _ in range(b - a)
    ]


@keys_seen.mistake(
    "`starts[i]` was taken from the length. The known ones are the length less the *number* of the "
    "sequence's new tokens, `starts[i + 1] - starts[i]`."
)
def start_taken_off(lengths: Ints, starts: Ints) -> list[int]:
    return [
        lengths[row] - a + i + 1
        for row, (a, b) in enumerate(pairwise(starts))
        for i in range(b - a)
    ]


@keys_seen.mistake(
    "`starts[i + 1]` was taken from the length: that is where the sequence ends in q, and its "
    "number of new tokens only for the first one."
)
def end_taken_off(lengths: Ints, starts: Ints) -> list[int]:
    return [
        lengths[row] - b + i + 1
        for row, (a, b) in enumerate(pairwise(starts))
        for i in range(b - a)
    ]


@keys_seen.mistake(
    "The number of tokens of the whole step was taken from each length; a sequence has its own."
)
def all_taken_off(lengths: Ints, starts: Ints) -> list[int]:
    return [
        lengths[row] - starts[-1] + i + 1
        for row, (a, b) in enumerate(pairwise(starts))
        for i in range(b - a)
    ]


@keys_seen.mistake("Known tokens got a number, too. They have no queries in this step.")
def known_too(lengths: Ints, starts: Ints) -> list[int]:
    return [seen for length in lengths for seen in range(1, length + 1)]


@keys_seen.mistake(
    "A number too many for each sequence: its list begins at the known ones alone, before the "
    "first new token."
)
def from_past_on(lengths: Ints, starts: Ints) -> list[int]:
    return [
        seen
        for row, (a, b) in enumerate(pairwise(starts))
        for seen in range(lengths[row] - (b - a), lengths[row] + 1)
    ]


@keys_seen.mistake("Every new token of a sequence got the first one's number; each sees one more.")
def first_number_for_all(lengths: Ints, starts: Ints) -> list[int]:
    return [
        lengths[row] - (b - a) + 1
        for row, (a, b) in enumerate(pairwise(starts))
        for _ in range(b - a)
    ]


@keys_seen.mistake(
    "The lengths were added up: a sequence sees its own tokens, not its neighbours'."
)
def lengths_added(lengths: Ints, starts: Ints) -> list[int]:
    return [
        sum(lengths[: row + 1]) - (b - a) + i + 1
        for row, (a, b) in enumerate(pairwise(starts))
        for i in range(b - a)
    ]


@keys_seen.mistake(
    "Too many: the new tokens are in the length, so the first new one sees length - count + 1, and "
    "the last one the length."
)
def one_more(lengths: Ints, starts: Ints) -> list[int]:
    return [seen + 1 for seen in right(lengths, starts)]


@keys_seen.mistake("The last sequence is missing.")
def without_the_last_row(lengths: Ints, starts: Ints) -> list[int]:
    return right(lengths[:-1], starts[:-1])

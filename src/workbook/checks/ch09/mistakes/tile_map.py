"""Mistakes with tile_map, as readers make them."""

from collections.abc import Callable, Sequence
from itertools import pairwise

from workbook.checks.ch09.tile_map import reads, tile_map

Ints = Sequence[int]
Tiles = list[tuple[int, int]]


def cut(lengths: Ints, starts: Ints, tokens: int) -> Tiles:
    return [
        (row, first)
        for row in range(len(lengths))
        for first in range(0, starts[row + 1] - starts[row], tokens)
    ]


def right(lengths: Ints, starts: Ints, tokens: int) -> Tiles:
    def heavy(tile: tuple[int, int]) -> int:
        return -reads(lengths, starts, tokens, *tile)

    return sorted(cut(lengths, starts, tokens), key=heavy)


tile_map.finished = right
# No two tiles of these read as many keys: only one order is right.
tile_map.probes += [
    ([30, 9, 22], [0, 2, 9, 14], 3),
    ([4, 30, 9, 22], [0, 4, 6, 13, 18], 3),
]


def sorted_by(key: Callable[..., int], ties: Callable[[Tiles], Tiles]) -> Callable[..., Tiles]:
    """The right tiles in another order."""

    def wrong(lengths: Ints, starts: Ints, tokens: int) -> Tiles:
        tiles = ties(cut(lengths, starts, tokens))
        return sorted(tiles, key=lambda tile: key(lengths, starts, tokens, *tile))

    return wrong


def count(starts: Ints, tokens: int, row: int, first: int) -> int:
    """New tokens of a tile."""
    return min(tokens, starts[row + 1] - starts[row] - first)


# The words, and what the tiles are sorted by.
ORDERS: list[tuple[str, Callable[..., int]]] = [
    ("The lightest came first, so the heaviest begin last and everyone waits.", reads),
    (
        "Sorted by `first` alone: one token after 8,000 comes last, and reads more than all "
        "others.",
        lambda _lengths, _starts, _tokens, _row, first: -first,
    ),
    (
        "Sorted by the sequence's length: tiles of one sequence differ, for an early one stops "
        "early.",
        lambda lengths, _starts, _tokens, row, _first: -lengths[row],
    ),
    (
        "Sorted by a tile's number of new tokens. What takes time is the keys that it reads: one "
        "token after 8,000 is the heaviest.",
        lambda _lengths, starts, tokens, row, first: -count(starts, tokens, row, first),
    ),
    (
        "Sorted by keys times tokens. The keys are read once for the whole tile, however many "
        "tokens it has.",
        lambda lengths, starts, tokens, row, first: (
            -count(starts, tokens, row, first) * reads(lengths, starts, tokens, row, first)
        ),
    ),
    (
        "Sorted by the first token of a tile, or as if each were full. A tile reads as far as its "
        "last token, and a sequence's last tile ends early: `past + min(first + tokens, count)`.",
        lambda lengths, starts, _tokens, row, first: -reads(lengths, starts, 1, row, first),
    ),
    (
        "The known tokens were left out of the sum: sorted by `first + tokens`, as if every tile "
        "began a prompt.",
        lambda _lengths, starts, tokens, row, first: -(first + count(starts, tokens, row, first)),
    ),
    (
        "Sorted by the known tokens alone: tiles of one sequence differ, too.",
        lambda lengths, starts, _tokens, row, _first: -reads(lengths, starts, 1, row, 0),
    ),
    (
        "Sorted by the sequences' numbers, and only within a sequence by what is read.",
        lambda lengths, starts, tokens, row, first: (
            row * 10**6 - reads(lengths, starts, tokens, row, first)
        ),
    ),
]
for says, order in ORDERS:  # equals may stand either way
    for ties in (list, lambda tiles: tiles[::-1]):
        tile_map.mistake(says)(sorted_by(order, ties))

tile_map.mistake("The tiles are in the order of the sequences. The heaviest must come first.")(cut)
tile_map.mistake(
    "The right tiles, turned around: the last sequence first. Sort by what they read."
)(lambda lengths, starts, tokens: cut(lengths, starts, tokens)[::-1])


@tile_map.mistake(
    "All new tokens were cut as one row: a tile would span two sequences, and has one table."
)
def total_over_size(lengths: Ints, starts: Ints, tokens: int) -> Tiles:
    return [(0, first) for first in range(0, starts[-1], tokens)][::-1]


@tile_map.mistake("A tile too many for each sequence: the last one has no token.")
def one_too_many(lengths: Ints, starts: Ints, tokens: int) -> Tiles:
    return [
        (row, first)
        for row in range(len(lengths))
        for first in range(0, starts[row + 1] - starts[row] + tokens, tokens)
    ][::-1]


@tile_map.mistake(
    "The last tile of a sequence that isn't full is missing, and with it the newest tokens."
)
def whole_tiles_only(lengths: Ints, starts: Ints, tokens: int) -> Tiles:
    return [
        (row, first)
        for row, first in right(lengths, starts, tokens)
        if first + tokens <= starts[row + 1] - starts[row]
    ]


@tile_map.mistake(
    "The pairs are where a tile begins and ends. Which sequence it is of is missing: (sequence, "
    "first)."
)
def first_and_last(lengths: Ints, starts: Ints, tokens: int) -> Tiles:
    return [
        (first, min(first + tokens, starts[row + 1] - starts[row]))
        for row, first in right(lengths, starts, tokens)
    ]


@tile_map.mistake("Only the first tile of each sequence is there.")
def first_tile_only(lengths: Ints, starts: Ints, tokens: int) -> Tiles:
    return [tile for tile in right(lengths, starts, tokens) if tile[1] == 0]


@tile_map.mistake("A sequence without new tokens got a tile, in which nothing is to do.")
def tile_for_nothing(lengths: Ints, starts: Ints, tokens: int) -> Tiles:
    more = [(row, 0) for row in range(len(lengths)) if starts[row + 1] == starts[row]]
    return right(lengths, starts, tokens) + more


@tile_map.mistake(
    "`first` is counted from the beginning of q; it is wanted from the sequence's first new token."
)
def first_in_q(lengths: Ints, starts: Ints, tokens: int) -> Tiles:
    return [(row, starts[row] + first) for row, first in right(lengths, starts, tokens)]


@tile_map.mistake(
    "`first` is the token's position in its sequence; it is wanted from the first new token on."
)
def first_as_position(lengths: Ints, starts: Ints, tokens: int) -> Tiles:
    past = [length - (b - a) for length, a, b in zip(lengths, starts, starts[1:], strict=True)]
    return [(row, past[row] + first) for row, first in right(lengths, starts, tokens)]


@tile_map.mistake("The second number is the tile's; the first token of it is wanted.")
def tile_number(lengths: Ints, starts: Ints, tokens: int) -> Tiles:
    return [(row, first // tokens) for row, first in right(lengths, starts, tokens)]


@tile_map.mistake("The pair is the other way round: sequence first, then its token.")
def pair_reversed(lengths: Ints, starts: Ints, tokens: int) -> Tiles:
    return [(first, row) for row, first in right(lengths, starts, tokens)]


@tile_map.mistake(
    "The known tokens were cut, too. They have no queries; they are what the queries read."
)
def known_too(lengths: Ints, starts: Ints, tokens: int) -> Tiles:
    return [
        (row, first) for row, length in enumerate(lengths) for first in range(0, length, tokens)
    ][::-1]


@tile_map.mistake("Every token got a tile of its own; up to `tokens` of them share one.")
def one_token_each(lengths: Ints, starts: Ints, tokens: int) -> Tiles:
    return right(lengths, starts, 1)


@tile_map.mistake(
    "Where the tokens fill their tiles, one tile too many, without a token: round up, don't add 1."
)
def one_more_if_full(lengths: Ints, starts: Ints, tokens: int) -> Tiles:
    more = [(row, b - a) for row, (a, b) in enumerate(pairwise(starts)) if (b - a) % tokens == 0]
    return right(lengths, starts, tokens) + more

"""Chapter 09: a ragged batch cut into tiles, the heaviest first."""

from collections.abc import Sequence
from typing import Any

from workbook.checks.framework import exercise, expect, shown

tile_map = exercise(
    "tile_map",
    label="ex-09-2",
    title="A tile map",
    stub="tile_map",
    takes="function",
    hints=(
        "Cut each sequence alone, from its first new token on; a sequence without new tokens gives "
        "no tile. Which tile keeps a processor busy longest: one with many tokens, or one with "
        "many keys?",
        "Two loops, `for row …` and `for first in range(0, count, tokens)`. The last token of a "
        "tile sees `past + min(first + tokens, count)` keys: sort by that, the largest first.",
    ),
)
Tiles = Sequence[tuple[int, int]]


def reads(lengths: Sequence[int], starts: Sequence[int], tokens: int, row: int, first: int) -> int:
    """Keys that the tile's last token sees."""
    count = starts[row + 1] - starts[row]
    return lengths[row] - count + min(first + tokens, count)


def _case(
    title: str, lengths: list[int], starts: list[int], tokens: int, right: Tiles, why: str
) -> None:
    @tile_map.case(
        title, tried=f"tile_map({lengths}, {starts}, {tokens})", right=shown(right), why=why
    )
    def _body(function: Any) -> None:
        got = function(list(lengths), list(starts), tokens)
        pairs = isinstance(got, list) and all(isinstance(t, tuple) and len(t) == 2 for t in got)
        expect(pairs, got=shown(got), why="A list of pairs (sequence, first new token) is wanted.")
        told = f"{len(got)} tiles: {shown(got)}"
        same = sorted(got) == sorted(right)
        expect(same, got=told, right=f"{len(right)} tiles: {shown(right)}")
        work = [reads(lengths, starts, tokens, *tile) for tile in got]
        expect(work == sorted(work, reverse=True), got=f"{told}, which read {shown(work)} keys")


_case(
    "three new after six, by two",
    [9],
    [0, 3],
    2,
    [(0, 2), (0, 0)],
    "The tile of the third token reads 9 keys, that of the first two 8.",
)
_case(
    "a prompt that fills its tiles",
    [6],
    [0, 6],
    3,
    [(0, 3), (0, 0)],
    "Six tokens by three are two tiles, and a third would have no token.",
)
_case(
    "a sequence without new tokens",
    [14, 9, 15],
    [0, 1, 1, 12],
    4,
    [(2, 8), (0, 0), (2, 4), (2, 0)],
    "A tile belongs to one sequence; one without new tokens has none.",
)
_case(
    "one token after 8,000",
    [8_001, 64],
    [0, 1, 65],
    21,
    [(0, 0), (1, 63), (1, 42), (1, 21), (1, 0)],
    "A tile takes as long as the keys that it reads, however few tokens it has.",
)
_case(
    "512, 1, 1, 1 and 7 new tokens, by 21",
    [512, 1, 1, 1, 7],
    [0, 512, 513, 514, 515, 522],
    21,
    [*[(0, first) for first in range(504, -1, -21)], (4, 0), (1, 0), (2, 0), (3, 0)],
    "25 tiles for the long one, one for each of the others: 29, where a grid of 5 × 25 has 125.",
)
_case("nothing is new", [4, 7], [0, 0, 0], 3, [], "No new token, no tile.")

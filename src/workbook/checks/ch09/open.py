"""Chapter 09, open task: a ragged batch cut so that all processors end together."""

import heapq
import random
from collections import defaultdict
from collections.abc import Iterator
from typing import Any

from workbook.checks.framework import Rejected, open_task

PROCESSORS, MOST_TOKENS = 16, 21
START, MERGE = 64, 32  # what a piece costs besides its keys, and one of several of a tile
Batch = list[tuple[int, int]]  # known and new tokens of each sequence
Piece = tuple[int, int, int, int, int]  # sequence, first new token, tokens, keys from, keys to


def batches() -> Iterator[Batch]:
    """20 steps of a server: some decode rows, some chunks, long histories among short ones."""
    draw = random.Random(9)
    for _ in range(20):
        yield [
            (draw.choice([0, 50, 300, 900, 6_000]), draw.choice([1, 1, 1, 5, 40, 130]))
            for _ in range(draw.randint(3, 9))
        ]


@open_task(
    "together",
    label="open-09",
    title="All end together",
    asks="a function cut(batch, processors) -> pieces (sequence, first new token, tokens, keys "
    "from, keys to), in the order in which they begin; batch has (known, new) for each sequence",
    unit="units of time",
    better="less",
    today=(5_043, "whole tiles of 21 tokens, the heaviest first"),
    book=(1_555, "histories cut at the span that ends first, of ten tried"),
    bound=(1_298, "all keys shared evenly, and one start each"),
)
def together(answer: Any) -> int:
    """When the last processor ends, its mean over 20 steps."""
    ends = []
    for number, batch in enumerate(batches(), 1):
        pieces = [tuple(piece) for piece in answer(list(batch), PROCESSORS)]
        _expect_all(batch, pieces, f"In step {number}")
        ends.append(last_end(pieces, PROCESSORS))
    return round(sum(ends) / len(ends))


def last_end(pieces: list[Piece], processors: int) -> int:
    """Each piece goes to the processor that is free first; a unit of time for each key."""
    of_tile: dict[tuple[int, int], int] = defaultdict(int)
    for row, first, *_ in pieces:
        of_tile[row, first] += 1
    free = [0] * processors
    for row, first, _, begin, end in pieces:
        several = MERGE * (of_tile[row, first] > 1)
        heapq.heapreplace(free, free[0] + START + end - begin + several)
    return max(free)


def _expect_all(batch: Batch, pieces: list[Piece], where: str) -> None:
    """Every new token meets every key that it may see, once."""
    tiles: dict[tuple[int, int, int], list[tuple[int, int]]] = defaultdict(list)
    for piece in pieces:
        if len(piece) != 5 or any(type(number) is not int for number in piece):
            raise Rejected(f"{where}, {piece} isn't five whole numbers.")
        row, first, tokens, begin, end = piece
        if not (0 <= row < len(batch) and 1 <= tokens <= MOST_TOKENS and begin < end):
            raise Rejected(f"{where}, {piece} is no piece: 1 to {MOST_TOKENS} tokens, some keys.")
        tiles[row, first, tokens].append((begin, end))
    for row, (known, new) in enumerate(batch):
        at = 0
        for first, tokens in sorted((first, tokens) for r, first, tokens in tiles if r == row):
            if first != at:
                raise Rejected(
                    f"{where}, new token {min(at, first)} of sequence {row} is in no tile, or in "
                    "two."
                )
            at += tokens
            _expect_keys(
                sorted(tiles[row, first, tokens]),
                known + at,
                f"{where}, the tile from new token {first} of sequence {row}",
            )
        if at != new:
            raise Rejected(f"{where}, sequence {row} has {new} new tokens, and {at} are in tiles.")


def _expect_keys(spans: list[tuple[int, int]], seen: int, whose: str) -> None:
    """Spans that meet end to end, from key 0 to the last that the tile's last token sees."""
    key = 0
    for begin, end in spans:
        if begin != key:
            raise Rejected(f"{whose} meets key {min(key, begin)} never, or twice.")
        key = end
    if key != seen:
        raise Rejected(f"{whose} meets {key} keys; its last token sees {seen}.")

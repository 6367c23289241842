"""A ragged batch cut into tiles, and what each tile reads: numbers only.

A page can choose another tile size, so ``model.js`` computes the same; a test compares both with
each other and the map with the engine's, which is not called here, for it comes with tensors.
"""

from collections.abc import Sequence
from typing import NamedTuple

from paged_attention.tables import blocks_needed


class Row(NamedTuple):
    """One sequence of the batch: tokens known before, new ones, and its block table."""

    name: str
    known: int
    new: int
    table: Sequence[int]


class Tile(NamedTuple):
    """Neighbouring new tokens ``first`` to ``end - 1`` of sequence ``row``, which read ``keys``."""

    row: int
    first: int
    end: int
    keys: int


class Batch:
    """``rows`` in blocks of ``block_size``, in tiles of at most ``most`` tokens."""

    def __init__(self, rows: Sequence[Row], block_size: int, group: int, most: int) -> None:
        self.rows, self.block_size, self.group, self.most = rows, block_size, group, most
        self.tiles = sorted(
            (
                Tile(at, first, end, row.known + end)
                for at, row in enumerate(rows)
                for first in range(0, row.new, most)
                for end in [min(first + most, row.new)]
            ),
            key=lambda tile: -tile.keys,
        )

    @property
    def last(self) -> int:
        """Steps: one a program; step 0 is before the first."""
        return len(self.tiles)

    @property
    def tokens(self) -> int:
        """New tokens of all sequences."""
        return sum(row.new for row in self.rows)

    @property
    def read(self) -> int:
        """Keys that all tiles read."""
        return sum(tile.keys for tile in self.tiles)

    @property
    def single(self) -> int:
        """Keys that they would read token by token."""
        return sum(row.known + i + 1 for row in self.rows for i in range(row.new))

    def blocks(self, tile: Tile) -> Sequence[int]:
        """The blocks that a tile reads: as far as its last token sees."""
        return self.rows[tile.row].table[: blocks_needed(tile.keys, self.block_size)]

    def hidden(self, tile: Tile) -> int:
        """Pairs of a token and a key that are read and masked: what others of the tile see."""
        many = tile.end - tile.first
        return many * (many - 1) // 2

    def program(self, row: int, token: int) -> int:
        """Which program answers this new token, counted from 1."""
        return next(
            at
            for at, tile in enumerate(self.tiles, 1)
            if tile.row == row and tile.first <= token < tile.end
        )

    def look(self, row: int, token: int, key: int, step: int) -> str:
        """How the cell of a token and a key looks after program ``step`` has run."""
        at = self.program(row, token)
        known = self.rows[row].known
        if at > step or key >= self.tiles[at - 1].keys:
            return "free"
        if key > known + token:
            return "reserved"
        return "held" if key < known else "other"

"""Mistakes with place, as readers make them."""

import torch
from torch import Tensor

from workbook.checks.ch03.placing import place

Places = tuple[Tensor, Tensor]


def right(tables: Tensor, positions: Tensor, block_size: int) -> Places:
    """As chapter 03 has it."""
    rows = torch.arange(len(tables))[:, None]  # [B, 1]
    blocks = tables[rows, positions // block_size]  # [B, T]
    return blocks, positions % block_size


place.finished = right
place.probes.append((torch.tensor([[4, 1]]), torch.tensor([[5, 0, 3, 2]]), 3))


@place.also_right.append
def by_gather(tables: Tensor, positions: Tensor, block_size: int) -> Places:
    return tables.gather(1, positions // block_size), positions % block_size


@place.also_right.append
def row_by_row(tables: Tensor, positions: Tensor, block_size: int) -> Places:
    blocks = [table[row // block_size] for table, row in zip(tables, positions, strict=True)]
    return torch.stack(blocks), positions.remainder(block_size)


mistake = place.mistake
mistake(
    "Quotient and remainder are swapped: `//` chooses the entry, `%` the slot.",
    ("positions // block_size", "positions % block_size"),
    ("blocks, positions % block_size", "blocks, positions // block_size"),
)
mistake(
    "The entry was chosen with `%`; which entry of the table covers a position, `//` says.",
    ("positions // block_size", "positions % block_size"),
)
mistake(
    "The offset was computed with `//`; how far into its block a token lies, `%` says.",
    ("blocks, positions % block_size", "blocks, positions // block_size"),
)
mistake(
    "Every row asked row 0's table: somebody else's blocks.",
    ("tables[rows, positions // block_size]", "tables[0][positions // block_size]"),
)
mistake(
    "Every row asked the last row's table; row r asks table r.",
    ("tables[rows, positions // block_size]", "tables[-1][positions // block_size]"),
)
mistake(
    "Those are logical blocks, entries of the table; what stands in the table wasn't looked up.",
    ("tables[rows, positions // block_size]", "positions // block_size"),
)
mistake(
    "The row numbers lie along the tokens: `torch.arange(len(tables))` pairs with the columns of "
    "`positions`. `[:, None]` makes them a column, one number a row.",
    ("[:, None]", ""),
)
mistake(
    "`tables[:, …]` asks every table for every row, [B, B, T]; each row wants its own alone.",
    ("tables[rows, positions // block_size]", "tables[:, positions // block_size]"),
)
mistake(
    "Offsets came first. The blocks do: whoever unpacks the pair relies on the order.",
    ("return blocks, positions % block_size", "return positions % block_size, blocks"),
)
mistake(
    "4 was written into the code; the size of a block is the third argument.",
    ("block_size\n", "4\n"),
    ("// block_size", "// 4"),
)
mistake(
    "`block * size + offset` is a slot's number in the whole pool; the block alone is wanted, the "
    "offset beside it.",
    ("return blocks,", "return blocks * block_size + positions % block_size,"),
)
mistake(
    "The second is a slot's number in the whole pool, block * size + offset; the offset alone is "
    "wanted, the block stands beside it.",
    ("blocks, positions % block_size", "blocks, blocks * block_size + positions % block_size"),
)
mistake(
    "All tokens of a row got the block of its first; each position divides for itself.",
    ("positions // block_size]", "positions[:, :1] // block_size].expand_as(positions)"),
)
mistake(
    "All tokens of a row got the block of its last; each position divides for itself.",
    ("positions // block_size]", "positions[:, -1:] // block_size].expand_as(positions)"),
)
mistake(
    "Positions were counted from 1. The first token has position 0, and lies at offset 0.",
    ("positions // block_size", "(positions - 1) // block_size"),
    ("blocks, positions %", "blocks, (positions - 1) %"),
)
mistake(
    "The tables were sorted. A table's order is the history's order.",
    ("tables[rows", "tables.sort(1).values[rows"),
)
mistake(
    "Only each row's first token was placed; there are T of them.",
    ("positions // block_size]", "positions[:, :1] // block_size]"),
    ("blocks, positions %", "blocks, positions[:, :1] %"),
)
mistake(
    "Only each row's last token was placed; there are T of them.",
    ("positions // block_size]", "positions[:, -1:] // block_size]"),
    ("blocks, positions %", "blocks, positions[:, -1:] %"),
)
mistake(
    "Tokens first, rows second: the answer lies on its side. It is [B, T], as `positions` is.",
    ("return blocks,", "return blocks.T,"),
    ("positions % block_size", "(positions % block_size).T"),
)
mistake(
    "The entry was divided by the width of the tables; a block's size divides a position.",
    ("// block_size", "// tables.shape[1]"),
)
mistake(
    "The entry was rounded up: a position inside a block still belongs to that block.",
    ("positions // block_size]", "(-(-positions // block_size)).clamp(max=tables.shape[1] - 1)]"),
)
mistake(
    "Positions were changed in place (`//=`, `%=`). A look-up changes nothing: every layer asks "
    "the same positions again.",
    ("positions % block_size", "positions.remainder_(block_size)"),
)
mistake(
    "Every row took the entries that row 0's positions choose; each row divides its own.",
    ("positions // block_size", "positions[:1].expand_as(positions) // block_size"),
)
mistake(
    "The entry was rounded to the nearest whole number: a position inside a block still belongs to "
    "that block. `//` rounds down.",
    (
        "positions // block_size]",
        "(positions / block_size).round().long().clamp(max=tables.shape[1] - 1)]",
    ),
)
mistake(
    "`gather` went along axis 0, from row to row. The entries of one table lie along axis 1.",
    ("tables[rows, positions // block_size]", "tables.gather(0, positions // block_size)"),
)
mistake(
    "The entry was computed as `ceil(p / size) - 1`: for a block's first token that is the block "
    "before. `//` alone is right.",
    ("positions // block_size]", "-(-positions // block_size) - 1]"),
)
mistake(
    "Offsets count from 1. The first slot of a block has offset 0.",
    ("blocks, positions % block_size", "blocks, positions % block_size + 1"),
)
mistake(
    "The position itself was returned as the offset; inside its block it is the rest, `%`.",
    ("blocks, positions % block_size", "blocks, positions"),
)
mistake(
    "The entry was chosen one too far: position 0 is in entry 0.",
    ("positions // block_size]", "(positions // block_size + 1) % tables.shape[1]]"),
)
mistake(
    "The tables were flattened, and in one long list row r begins at r × width, not elsewhere.",
    (
        "tables[rows, positions // block_size]",
        "tables.flatten()[(rows * block_size + positions // block_size) % tables.numel()]",
    ),
)
mistake(
    "The rows took one another's tables, in reverse: row r asks table r.",
    ("tables[rows", "tables.flip(0)[rows"),
)
mistake(
    "The last entry of each table was taken for every token.",
    ("positions // block_size]", "positions * 0 - 1]"),
)
mistake(
    "The first entry of each table was taken for every token.",
    ("positions // block_size]", "positions * 0]"),
)
mistake(
    "New tokens were taken to follow row 0's first position; each row's `positions` say where.",
    ("    rows =", "    positions = positions[:1].expand_as(positions)\n    rows ="),
)
mistake(
    "`block * block_size` is where a block begins, counted in slots; its id alone is wanted.",
    ("return blocks,", "return blocks * block_size,"),
)
mistake(
    "Offsets were counted from a block's end. Slot 0 is its first.",
    ("blocks, positions % block_size", "blocks, block_size - 1 - positions % block_size"),
)
mistake(
    "The offset was the token's number in this step; its position says where in the block it lies.",
    (
        "blocks, positions % block_size",
        "blocks, torch.arange(positions.shape[1]).expand_as(positions)",
    ),
)
mistake(
    "The offset was divided by the width of the tables; a block's size divides a position.",
    ("blocks, positions % block_size", "blocks, positions % tables.shape[1]"),
)
mistake(
    "All tokens of a row got the offset of its last; each position divides for itself.",
    ("blocks, positions %", "blocks, positions[:, -1:].expand_as(positions) %"),
)
mistake(
    "The positions were sorted. Their order is the order of the new tokens.",
    ("    rows =", "    positions = positions.sort(1).values\n    rows ="),
)
mistake(
    "The row numbers were repeated, 0, 1, 0, 1 …; a row needs its own number for all its tokens.",
    (
        "torch.arange(len(tables))[:, None]",
        "torch.arange(len(tables)).repeat(positions.shape[1]).reshape(positions.shape)",
    ),
)
mistake(
    "The places were put together row by row where they were computed column by column: the "
    "numbers are right, and stand elsewhere. Keep the shape of `positions`, [B, T].",
    ("return blocks,", "return blocks.T.reshape(blocks.shape),"),
)
mistake(
    "Positions were counted from each row's first new token. They count from the sequence's first, "
    "as they come.",
    ("    rows =", "    positions = positions - positions[:, :1]\n    rows ="),
)
mistake(
    "The blocks were never filled in: zeros came back.",
    ("return blocks,", "return torch.zeros_like(blocks),"),
)
mistake(
    "The row numbers were counted along the tokens, [T, 1], not along the rows, [B, 1]: "
    "`torch.arange(len(tables))`.",
    ("torch.arange(len(tables))", "torch.arange(positions.shape[1])"),
)
mistake(
    "Rounded to the nearest entry: from the middle of its block on, a token asks for the next one. "
    "`//` rounds down.",
    ("positions // block_size", "(positions / block_size).round().long()"),
)


@place.mistake(
    "A loop over the rows kept the last row's blocks for all of them. Collect each row's."
)
def last_row_kept(tables: Tensor, positions: Tensor, block_size: int) -> Places:
    blocks = positions
    for table, row in zip(tables, positions, strict=True):
        blocks = table[row // block_size]
    return blocks.expand(positions.shape), positions % block_size

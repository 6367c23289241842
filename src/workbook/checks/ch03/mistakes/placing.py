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

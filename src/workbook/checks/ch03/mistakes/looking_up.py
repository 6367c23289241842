"""Mistakes with physical_slot, as readers make them."""

from collections.abc import Sequence

from paged_attention.tables import physical_slot as engines
from workbook.checks.ch03.looking_up import physical_slot


@physical_slot.mistake(
    "Quotient and remainder are swapped: 9 // 4 chooses the entry, 9 % 4 the slot."
)
def swapped(table: Sequence[int], position: int, block_size: int) -> tuple[int, int]:
    return table[position % block_size], position // block_size


@physical_slot.mistake(
    "Block first, then offset: everyone who unpacks the pair relies on the order."
)
def pair_reversed(table: Sequence[int], position: int, block_size: int) -> tuple[int, int]:
    return position % block_size, table[position // block_size]


@physical_slot.mistake("2 is the logical block; only the table knows where it lies.")
def no_table(table: Sequence[int], position: int, block_size: int) -> tuple[int, int]:
    return position // block_size, position % block_size


@physical_slot.mistake(
    "29 counts slots from the start of the pool; the pair (block, offset) is wanted."
)
def flat(table: Sequence[int], position: int, block_size: int) -> int:
    return table[position // block_size] * block_size + position % block_size


@physical_slot.mistake("A tuple is wanted: a pair is one thing, a list could grow.")
def a_list(table: Sequence[int], position: int, block_size: int) -> list[int]:
    return [table[position // block_size], position % block_size]


@physical_slot.mistake(
    "The quotient was rounded up. Position 9 has 9 positions before it, two full blocks: `//` "
    "rounds down, to entry 2."
)
def rounded_up(table: Sequence[int], position: int, block_size: int) -> tuple[int, int]:
    return table[-(-position // block_size)], position % block_size


@physical_slot.mistake(
    "4 was written into the code; the size of a block is the third argument, here 16."
)
def always_four(table: Sequence[int], position: int, block_size: int) -> tuple[int, int]:
    return table[position // 4], position % 4


@physical_slot.mistake(
    "That slot belongs to another token. In Python -1 // 4 is -1, and table[-1] is the last block."
)
def no_guard(table: Sequence[int], position: int, block_size: int) -> tuple[int, int]:
    return table[position // block_size], position % block_size


def right(table: Sequence[int], position: int, block_size: int) -> tuple[int, int]:
    """As chapter 03 has it."""
    if not 0 <= position < len(table) * block_size:
        raise IndexError(position)
    index, offset = divmod(position, block_size)
    return table[index], offset


physical_slot.finished = right
physical_slot.also_right.append(engines)
mistake = physical_slot.mistake
mistake(
    "The table was asked for the offset: the quotient says which entry covers the position.",
    ("table[index], offset", "table[offset], offset"),
)
mistake("Only the block came back; the offset in it is wanted, too.", ("], offset", "],"))
mistake(
    "Offsets count from 0: the first token of a block lies at offset 0.",
    ("], offset", "], offset + 1"),
)
mistake(
    "Positions count from 0: position 9 has 9 before it, so nothing is to be taken off.",
    ("divmod(position,", "divmod(position - 1,"),
)
mistake(
    "The sizes are the wrong way round: a position is divided by the size of a block.",
    ("divmod(position, block_size)", "divmod(position, len(table))"),
)
mistake(
    "A position without a slot is an IndexError, as for a list: callers catch that one.",
    ("raise IndexError", "raise ValueError"),
)
mistake(
    "It answered None for a position that has no slot; who reads it goes on and writes. Raise.",
    ("raise IndexError(position)", "return None"),
)
mistake(
    "The whole last block was refused: `len(table) * block_size` positions have a slot.",
    ("len(table) * block_size:", "len(table) * block_size - block_size:"),
)
mistake(
    "The last slot of the table was refused: the positions 0 to `len(table) * block_size - 1` "
    "have one.",
    ("len(table) * block_size:", "len(table) * block_size - 1:"),
)
mistake(
    "Past its end the table began anew (`% len(table)`): that slot has another position.",
    ("if not 0 <= position < len(table) * block_size:", "if position < 0:"),
    ("table[index]", "table[index % len(table)]"),
)
mistake(
    "Only the last block was looked for past the end (a `min` with it): that slot is taken.",
    ("if not 0 <= position < len(table) * block_size:", "if position < 0:"),
    ("table[index]", "table[min(index, len(table) - 1)]"),
)
mistake(
    "Position 0 was refused; it is the first token's.",
    ("if not 0 <= position", "if not 0 < position"),
)
mistake(
    "Every position was refused: the test stands the wrong way round.",
    ("if not 0 <=", "if 0 <="),
)


@physical_slot.mistake(
    "A block's first position was left in the block before: 4 tokens fill a block, so position 4 "
    "opens the next one (`>=`, not `>`)."
)
def left_behind(table: Sequence[int], position: int, block_size: int) -> tuple[int, int]:
    if not 0 <= position < len(table) * block_size:
        raise IndexError(position)
    index = max(0, position - 1) // block_size
    return table[index], position - index * block_size


@physical_slot.mistake(
    "The position was looked for among the block ids. The table is asked by entry: "
    "`table[position // block_size]`."
)
def searched(table: Sequence[int], position: int, block_size: int) -> tuple[int, int]:
    return table.index(position), position % block_size


@physical_slot.mistake(
    "An `assert` raises an AssertionError, and Python may be told to leave asserts out. Raise an "
    "IndexError, which callers catch."
)
def asserts(table: Sequence[int], position: int, block_size: int) -> tuple[int, int]:
    assert 0 <= position < len(table) * block_size
    return table[position // block_size], position % block_size


mistake(
    "The position itself was returned as the offset; inside its block it is the rest, `%`.",
    ("], offset", "], position"),
)
mistake(
    "Entries of the table count from 0: position 0 is in `table[0]`, so nothing is to be taken "
    "off.",
    ("table[index]", "table[index - 1]"),
)
mistake(
    "The position was compared with the number of blocks; each of them has `block_size` slots.",
    ("len(table) * block_size:", "len(table):"),
)
mistake(
    "`block * block_size` is where a block begins, counted in slots; its id alone is wanted.",
    ("return table[index],", "return table[index] * block_size,"),
)
mistake(
    "The second number counts slots from the pool's beginning. It is the place inside the block, "
    "`position % block_size`.",
    ("], offset", "], table[index] * block_size + offset"),
)

"""Mistakes with physical_slot, as readers make them."""

from collections.abc import Sequence

from paged_attention.tables import physical_slot as right
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


physical_slot.finished = right

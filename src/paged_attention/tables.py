"""Block tables: from a token's logical position to the place of its keys and values.

A block table is a list of block ids. Entry ``i`` names the block that holds positions ``i *
block_size`` to ``(i + 1) * block_size - 1`` of one sequence.
"""

from collections.abc import Sequence

from paged_attention.errors import PositionNotReserved


def ceil_div(a: int, b: int) -> int:
    """The smallest integer not below ``a / b``, exact for integers of any size; ``b`` > 0."""
    if b < 1:
        raise ValueError(f"ceil_div needs a positive divisor, got {b}")
    return -(-a // b)


def blocks_needed(tokens: int, block_size: int) -> int:
    """Blocks that hold ``tokens`` tokens, ``block_size`` to a block, the last one perhaps
    part-filled.
    """
    if tokens < 0:
        raise ValueError(f"a sequence cannot have {tokens} tokens")
    return ceil_div(tokens, block_size)


def kernel_table(table: Sequence[int], block_size: int, page_size: int) -> list[int]:
    """The same slots in the same order, as a table of smaller pages: what is managed in large
    blocks may be read in small ones.

    A pool of ``block_size`` slots a block, whose slots lie end to end, is a pool of pages, too.
    Raises ``ValueError`` unless pages fill a block exactly.
    """
    if page_size < 1 or block_size % page_size:
        raise ValueError(
            f"pages of {page_size} don't fill blocks of {block_size}: the last would reach into "
            "another sequence's block"
        )
    pages = block_size // page_size
    return [block * pages + i for block in table for i in range(pages)]


def physical_slot(table: Sequence[int], position: int, block_size: int) -> tuple[int, int]:
    """The ``(block, offset)`` that holds the token at ``position``; reads one table entry."""
    if block_size < 1:
        raise ValueError(f"a block holds at least one token, got block_size={block_size}")
    capacity = len(table) * block_size
    if not 0 <= position < capacity:
        raise PositionNotReserved(
            f"position {position} has no slot: {len(table)} blocks of {block_size} hold "
            f"positions 0 to {capacity - 1}; reserve more blocks first"
            if capacity
            else f"position {position} has no slot: the table is empty; reserve blocks first"
        )
    index, offset = divmod(position, block_size)
    return table[index], offset

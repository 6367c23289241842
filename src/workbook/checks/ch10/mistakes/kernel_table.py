"""Mistakes with kernel_table, as readers make them."""

from collections.abc import Sequence

from workbook.checks.ch10.kernel_table import kernel_table


def right(table: Sequence[int], block: int, page: int) -> list[int]:
    if block % page:
        raise ValueError(f"pages of {page} don't divide blocks of {block}")
    r = block // page
    return [b * r + i for b in table for i in range(r)]


kernel_table.finished = right


def checked(block: int, page: int) -> int:
    """Pages to a block."""
    if block % page:
        raise ValueError("no divisor")
    return block // page


@kernel_table.mistake(
    "Page i of block b was put at i × blocks + b: those are pages of other blocks."
)
def strided(table: Sequence[int], block: int, page: int) -> list[int]:
    r = checked(block, page)
    return [i * len(table) + b for b in table for i in range(r)]


@kernel_table.mistake("The pages of a block are in reversed order. Its tokens begin in its first.")
def reversed_pages(table: Sequence[int], block: int, page: int) -> list[int]:
    r = checked(block, page)
    return [b * r + i for b in table for i in reversed(range(r))]


@kernel_table.mistake("The block's id was repeated: every page of it would be the same one.")
def repeated(table: Sequence[int], block: int, page: int) -> list[int]:
    r = checked(block, page)
    return [b for b in table for _ in range(r)]


@kernel_table.mistake("Only the first page of each block is there.")
def first_pages(table: Sequence[int], block: int, page: int) -> list[int]:
    r = checked(block, page)
    return [b * r for b in table]


@kernel_table.mistake("Block 5 was multiplied by the page's size, not by the pages of a block.")
def times_page(table: Sequence[int], block: int, page: int) -> list[int]:
    r = checked(block, page)
    return [b * page + i for b in table for i in range(r)] if r > 1 else list(table)


@kernel_table.mistake("Block 5 was multiplied by the block's size: those are tokens, not pages.")
def times_block(table: Sequence[int], block: int, page: int) -> list[int]:
    r = checked(block, page)
    return [b * block + i for b in table for i in range(r)]


@kernel_table.mistake(
    "Pages were counted through the table's entries, as if blocks lay in the order of the table."
)
def in_order(table: Sequence[int], block: int, page: int) -> list[int]:
    return list(range(len(table) * checked(block, page)))


@kernel_table.mistake(
    "First page of every block, then the second of every block: pages of one block belong together."
)
def page_by_page(table: Sequence[int], block: int, page: int) -> list[int]:
    r = checked(block, page)
    return [b * r + i for i in range(r) for b in table]


@kernel_table.mistake("One page too many of each block: that one is the next block's.")
def one_more(table: Sequence[int], block: int, page: int) -> list[int]:
    r = checked(block, page)
    return [b * r + i for b in table for i in range(r + 1)]


@kernel_table.mistake("Pages were counted from 1; the first page of block 0 is page 0.")
def from_one(table: Sequence[int], block: int, page: int) -> list[int]:
    r = checked(block, page)
    return [b * r + i for b in table for i in range(1, r + 1)]


@kernel_table.mistake("A list for each block; the kernel wants one table.")
def nested(table: Sequence[int], block: int, page: int) -> list[list[int]]:
    r = checked(block, page)
    return [[b * r + i for i in range(r)] for b in table]


@kernel_table.mistake(
    "A page would reach into the next block, which is another sequence's: the division was rounded."
)
def rounded(table: Sequence[int], block: int, page: int) -> list[int]:
    r = max(1, block // page)
    return [b * r + i for b in table for i in range(r)]

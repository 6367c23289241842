"""Mistakes with kernel_table, as readers make them."""

from collections.abc import Sequence

from workbook.checks.ch10.kernel_table import kernel_table


def right(table: Sequence[int], block: int, page: int) -> list[int]:
    if block % page:
        raise ValueError(f"pages of {page} don't divide blocks of {block}")
    r = block // page
    return [b * r + i for b in table for i in range(r)]


kernel_table.finished = right
kernel_table.probes += [([7, 0, 3], 24, 6), ([2, 9], 8, 1), ([1], 16, 32), ([2], 8, 3)]


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
    return [b * page + i for b in table for i in range(r)]


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


ROUNDED = (
    "A page that doesn't fill a block exactly was let through: `block // page` was rounded, and a "
    "page would reach into the next block, which is another sequence's."
)


@kernel_table.mistake(ROUNDED)
def rounded(table: Sequence[int], block: int, page: int) -> list[int]:
    r = max(1, block // page)
    return [b * r + i for b in table for i in range(r)]


@kernel_table.mistake(ROUNDED)
def rounded_to_nothing(table: Sequence[int], block: int, page: int) -> list[int]:
    r = block // page
    return [b * r + i for b in table for i in range(r)]


@kernel_table.mistake(
    "Only pages larger than a block are refused. Smaller ones may not fill it either: 16 in 24."
)
def only_larger(table: Sequence[int], block: int, page: int) -> list[int]:
    if page > block:
        raise ValueError("too large")
    return rounded(table, block, page)


@kernel_table.mistake(
    "A page larger than the block was let through: 16 tokens don't fill a page of 32."
)
def larger_passes(table: Sequence[int], block: int, page: int) -> list[int]:
    if page <= block and block % page:
        raise ValueError("no divisor")
    return rounded_to_nothing(table, block, page)


TURNED = (
    "The test is turned around: the *block* must be a multiple of the page, `block % page == 0`."
)


@kernel_table.mistake(TURNED)
def other_way_round(table: Sequence[int], block: int, page: int) -> list[int]:
    if page % block and block != page and block % page:
        raise ValueError("no divisor")
    return rounded_to_nothing(table, block, page)


@kernel_table.mistake(
    "Every page that isn't a power of two was refused: 24 tokens are three pages of 8, or four "
    "of 6."
)
def powers_only(table: Sequence[int], block: int, page: int) -> list[int]:
    r = checked(block, page)
    if page & (page - 1) or r & (r - 1):
        raise ValueError("no power of two")
    return [b * r + i for b in table for i in range(r)]


@kernel_table.mistake(
    "`assert` raises AssertionError; the refusal asked for is `raise ValueError`."
)
def asserts(table: Sequence[int], block: int, page: int) -> list[int]:
    assert block % page == 0
    return right(table, block, page)


@kernel_table.mistake(
    "The refusal is returned, or nothing is: `raise ValueError(…)`, so that nobody goes on with it."
)
def empty_instead(table: Sequence[int], block: int, page: int) -> list[int]:
    return right(table, block, page) if block % page == 0 else []


@kernel_table.mistake(
    "The refusal is returned, or nothing is: `raise ValueError(…)`, so that nobody goes on with it."
)
def nothing_instead(table: Sequence[int], block: int, page: int) -> list[int] | None:
    return right(table, block, page) if block % page == 0 else None


@kernel_table.mistake(
    "Where pages don't fill a block the table came back as it was: `raise ValueError(…)`, so that "
    "nobody reads wrong pages."
)
def unchanged(table: Sequence[int], block: int, page: int) -> list[int]:
    return right(table, block, page) if block % page == 0 else list(table)


@kernel_table.mistake(
    "Those are the first slots of the pages, counted in tokens: divide by the page's size."
)
def first_slots(table: Sequence[int], block: int, page: int) -> list[int]:
    checked(block, page)
    return [b * block + slot for b in table for slot in range(0, block, page)]


@kernel_table.mistake("One page for each *slot*: a page has `page` of them, and stands once.")
def once_a_slot(table: Sequence[int], block: int, page: int) -> list[int]:
    checked(block, page)
    return [(b * block + slot) // page for b in table for slot in range(block)]


@kernel_table.mistake("`page` pages to a block were made; a block has `block // page`.")
def page_pages(table: Sequence[int], block: int, page: int) -> list[int]:
    r = checked(block, page)
    return [b * r + i for b in table for i in range(page)]


@kernel_table.mistake("The table was sorted. Its order is the history's order.")
def in_sorted_order(table: Sequence[int], block: int, page: int) -> list[int]:
    return right(sorted(table), block, page)


@kernel_table.mistake("Only the last block's pages came back: the list is made anew in the loop.")
def last_block_only(table: Sequence[int], block: int, page: int) -> list[int]:
    return right(table[-1:], block, page)


@kernel_table.mistake("Only the first block's pages came back: a `return` stands in the loop.")
def first_block_only(table: Sequence[int], block: int, page: int) -> list[int]:
    return right(table[:1], block, page)


kernel_table.mistake(TURNED, ("block % page", "page % block"))
kernel_table.mistake(
    "A page as large as a block was refused: it fills the block exactly, and every id stays.",
    ("if block % page:", "if block % page or page >= block:"),
)

"""Block tables: logical position to physical slot."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from paged_attention.errors import PositionNotReserved
from paged_attention.tables import blocks_needed, ceil_div, kernel_table, physical_slot


def test_the_worked_example() -> None:
    assert physical_slot([5, 1, 7], 9, 4) == (7, 1)
    assert physical_slot([7, 2, 11, 5, 9, 0], 13, 4) == (5, 1)


@given(st.integers(1, 40), st.lists(st.integers(0, 99), min_size=1, max_size=8, unique=True))
def test_every_position_has_a_slot_of_its_own(block_size: int, table: list[int]) -> None:
    slots = [physical_slot(table, p, block_size) for p in range(len(table) * block_size)]
    assert slots == [(block, offset) for block in table for offset in range(block_size)]


@pytest.mark.parametrize("position", [-1, 12])
def test_positions_outside_the_table_are_refused(position: int) -> None:
    with pytest.raises(PositionNotReserved, match=f"position {position} has no slot: 3 blocks"):
        physical_slot([5, 1, 7], position, 4)


def test_bad_arguments() -> None:
    with pytest.raises(PositionNotReserved, match="the table is empty"):
        physical_slot([], 0, 4)
    with pytest.raises(ValueError, match="block_size=0"):
        physical_slot([1], 0, 0)
    with pytest.raises(ValueError, match="-1 tokens"):
        blocks_needed(-1, 4)
    with pytest.raises(ValueError, match="positive divisor"):
        ceil_div(1, 0)


@given(st.integers(0, 10**30), st.integers(1, 10**15))
def test_ceil_div_is_exact(a: int, b: int) -> None:
    # A float quotient would lose the last digits.
    assert (ceil_div(a, b) - 1) * b < a <= ceil_div(a, b) * b


@pytest.mark.parametrize(("tokens", "blocks"), [(0, 0), (1, 1), (3, 1), (4, 1), (5, 2), (8, 2)])
def test_blocks_at_the_edges(tokens: int, blocks: int) -> None:
    assert blocks_needed(tokens, 4) == blocks


@given(
    table=st.lists(st.integers(0, 50), max_size=6, unique=True),
    page=st.integers(1, 9),
    pages=st.integers(1, 6),
    data=st.data(),
)
def test_a_table_of_pages_names_the_same_slots(
    table: list[int], page: int, pages: int, data: st.DataObject
) -> None:
    size = page * pages
    smaller = kernel_table(table, size, page)
    assert len(smaller) == len(table) * pages
    if table:
        position = data.draw(st.integers(0, len(table) * size - 1))
        block, slot = physical_slot(table, position, size)
        assert physical_slot(smaller, position, page) == (
            block * pages + slot // page,
            slot % page,
        )


@pytest.mark.parametrize(("block", "page"), [(24, 16), (16, 32), (16, 0), (16, -4), (4, 3)])
def test_pages_that_do_not_fill_a_block_are_refused(block: int, page: int) -> None:
    with pytest.raises(ValueError, match=f"pages of {page} don't fill blocks of {block}"):
        kernel_table([1], block, page)

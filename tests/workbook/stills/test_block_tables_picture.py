"""Tables and pools are drawn where the table says, the unwritten end apart from the rest."""

import pytest
from helpers.drawn import arrows, cells, texts

from workbook.stills.block_tables import draw_scatter_gather, draw_table_walk

TABLE = [7, 2, 11, 5, 9, 0]


@pytest.mark.parametrize(("position", "index", "offset"), [(0, 0, 0), (13, 3, 1), (21, 5, 1)])
def test_a_walk_names_entry_and_offset(position: int, index: int, offset: int) -> None:
    sheet = draw_table_walk(TABLE, 22, position, block_size=4, num_blocks=12)
    said = texts(sheet)
    assert f"{position} // 4 = {index}" in said
    assert f"{position} % 4 = {offset}" in said
    assert said.count("▼") == 3
    assert arrows(sheet) == 2


def test_every_position_is_drawn_once_in_the_history_and_once_in_the_pool() -> None:
    sheet = draw_table_walk(TABLE, 22, 13, block_size=4, num_blocks=12)
    assert [texts(sheet).count(str(position)) for position in range(12, 22)] == [2] * 10
    assert len(cells(sheet, "reserved")) == 2
    assert texts(sheet).count("·") == len(cells(sheet, "other")) == 6


def test_each_block_of_the_history_goes_in_and_comes_out() -> None:
    sheet = draw_scatter_gather(TABLE, 22, block_size=4, num_blocks=12)
    assert arrows(sheet) == 2 * len(TABLE)
    assert texts(sheet).count("8–11") == texts(sheet).count("20") == texts(sheet).count("21") == 3

"""Tables and pools are drawn where the table says, the unwritten end apart from the rest."""

import pytest
from matplotlib.axes import Axes
from matplotlib.patches import FancyArrowPatch

from workbook.stills.block_tables import draw_scatter_gather, draw_table_walk

TABLE = [7, 2, 11, 5, 9, 0]


def texts(axes: Axes) -> list[str]:
    return [text.get_text() for text in axes.texts if text.get_text()]


def arrows(axes: Axes) -> int:
    return sum(isinstance(patch, FancyArrowPatch) for patch in axes.patches)


@pytest.mark.parametrize(("position", "index", "offset"), [(0, 0, 0), (13, 3, 1), (21, 5, 1)])
def test_a_walk_names_entry_and_offset(position: int, index: int, offset: int) -> None:
    axes = draw_table_walk(TABLE, 22, position, block_size=4, num_blocks=12).axes[0]
    said = texts(axes)
    assert f"{position} // 4 = {index}" in said
    assert f"{position} % 4 = {offset}" in said
    assert said.count("▼") == 3
    assert arrows(axes) == 2


def test_every_position_is_drawn_once_in_the_history_and_once_in_the_pool() -> None:
    axes = draw_table_walk(TABLE, 22, 13, block_size=4, num_blocks=12).axes[0]
    assert [texts(axes).count(str(position)) for position in range(12, 22)] == [2] * 10
    hatched = [patch for patch in axes.patches if patch.get_hatch()]
    assert len(hatched) == 2
    assert texts(axes).count("·") == 6


def test_each_block_of_the_history_goes_in_and_comes_out() -> None:
    axes = draw_scatter_gather(TABLE, 22, block_size=4, num_blocks=12).axes[0]
    assert arrows(axes) == 2 * len(TABLE)
    assert texts(axes).count("8–11") == texts(axes).count("20\n21") == 3

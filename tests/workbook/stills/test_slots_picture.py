"""Rows of slots are drawn run by run, cut at blocks, with a key to the states."""

import pytest
from matplotlib.axes import Axes

from workbook.stills.slots import LEGEND, SLOT_STATES, SlotRow, draw_slots

CELLS = [*[("used", "A")] * 3, *[("reserved", "A")] * 2, ("internal", "A"), *[("free", "")] * 2]
ROW = SlotRow("0", CELLS, "D E")


def runs(axes: Axes) -> list[tuple[float, float]]:
    return [(patch.get_x(), patch.get_width()) for patch in axes.patches]


def texts(axes: Axes) -> list[str]:
    return [text.get_text() for text in axes.texts if text.get_text()]


def test_neighbours_of_one_state_are_one_run() -> None:
    axes = draw_slots([ROW]).axes[0]
    assert runs(axes) == [(0, 3), (3, 2), (5, 1), (6, 2)]
    assert texts(axes) == ["0", "D E", "A"]


def test_blocks_cut_runs_and_number_the_axis() -> None:
    axes = draw_slots([ROW], block_size=2, left="step", right="waiting").axes[0]
    assert runs(axes) == [(0, 2), (2, 1), (3, 1), (4, 1), (5, 1), (6, 2)]
    assert [label.get_text() for label in axes.get_xticklabels()] == ["0", "1", "2", "3"]
    assert texts(axes)[:2] == ["step", "waiting"]


def test_counts_tell_the_slots_of_each_run() -> None:
    assert texts(draw_slots([ROW], counts=True).axes[0])[2:] == ["A 3", "A 2", "A 1", "2"]


@pytest.mark.parametrize("state", SLOT_STATES)
def test_each_state_is_in_the_key_and_needs_no_colour(state: str) -> None:
    looks = [(look.fill is None, look.border, look.hatch) for look in SLOT_STATES.values()]
    assert len(set(looks)) == len(looks)
    assert state in LEGEND

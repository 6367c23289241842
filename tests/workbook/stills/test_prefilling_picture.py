"""Tiles of new tokens read up to their last token; a rectangle of programs has idle ones."""

from matplotlib.axes import Axes
from matplotlib.colors import to_hex

from workbook.stills.block_sizes import draw_shares
from workbook.stills.looks import STATES
from workbook.stills.prefilling import draw_map, draw_tiles


def filled(axes: Axes, fill: str | None) -> int:
    """Cells with this fill."""
    return sum(to_hex(p.get_facecolor()) == (fill or "").lower() for p in axes.patches)


def said(axes: Axes) -> set[str]:
    return {text.get_text() for text in axes.texts}


def test_each_token_sees_what_is_known_and_itself() -> None:
    axes = draw_tiles(6, 3, 2, 4).axes[0]
    assert filled(axes, STATES["held"].fill) == 3 * 6
    assert filled(axes, STATES["other"].fill) == 1 + 2 + 3
    assert {"2 key tiles", "3 key tiles", "token 2", "8"} <= said(axes)
    rings = [p for p in axes.patches if p.get_linewidth() == 2]
    assert [(p.get_width(), p.get_height()) for p in rings] == [(8, 2), (9, 1)]


def test_a_rectangle_has_idle_programs() -> None:
    axes = draw_map([512, 1, 1, 1, 7], 21).axes[0]
    assert len(axes.patches) == 125
    assert filled(axes, STATES["held"].fill) == 29
    assert "125 programs in a rectangle, 29 with work" in said(axes)


def test_shares_are_percent_by_block_size() -> None:
    axes = draw_shares({"wasted": {1: 0.0, 16: 0.005, 256: 0.08}}).axes[0]
    (line,) = axes.lines
    assert list(line.get_xdata()) == [1, 16, 256]
    assert list(line.get_ydata()) == [0.0, 0.5, 8.0]

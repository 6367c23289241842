"""Weights shrink when the maximum rises, and those of the block just read are ringed."""

from matplotlib.axes import Axes
from matplotlib.colors import to_hex

from workbook.stills.decoding import TALL, draw_weights
from workbook.stills.looks import LIGHT, STATES


def texts(axes: Axes) -> list[str]:
    return [text.get_text() for text in axes.texts]


def test_each_panel_weighs_from_its_own_maximum() -> None:
    axes = draw_weights([[0, 1], [2, 0], [3]], 2).axes[0]
    bars = [p for p in axes.patches if to_hex(p.get_facecolor()) == STATES["held"].fill.lower()]
    heights = [round(bar.get_height() / TALL, 4) for bar in bars]
    assert heights == [0.5, 1, 0.25, 0.5, 1, 0.25, 0.125, 0.25, 0.5, 0.125, 1]
    dashed = [p for p in axes.patches if p.get_linestyle() not in ("solid", "-")]
    assert len(dashed) == 2 + 4, "all earlier bars shrank, in both panels"
    assert [t for t in texts(axes) if t.startswith("m =")] == ["m = 1", "m = 2", "m = 3"]
    assert texts(axes).count("–") == 1, "one slot was never written"
    rings = [p for p in axes.patches if to_hex(p.get_edgecolor()) == LIGHT["ring"]]
    assert len(rings) == 3

"""Draw attention block by block: weights that shrink when the maximum rises."""

import math
from collections.abc import Sequence
from typing import Any

from matplotlib import rc_context
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle

from workbook.stills.chart import EDGE, INK, LINE, MUTED, PAGE, STYLE, canvas
from workbook.stills.looks import LIGHT, STATES

TEXT, SMALL = 10.0, 9.0
PANEL, BAR = 7.4, 0.8
TALL = 2.2  # height of a weight of 1


def draw_weights(scores: Sequence[Sequence[float]], block_size: int) -> Figure:
    """The weights 2 ** (score - m) after each block: one panel a block, its own bars ringed.

    Dashed: what a bar was before, where it shrank.
    """
    figure, axes = canvas(7.2, 2.5)
    m_before = -math.inf
    for panel in range(len(scores)):
        x, m = panel * PANEL, max(max(block) for block in scores[: panel + 1])
        for at, block in enumerate(scores[: panel + 1]):
            left = x + at * (block_size + 0.25)
            for slot in range(block_size):
                if slot < len(block):
                    before = 2.0 ** (block[slot] - m_before) if at < panel else 0.0
                    _bar(axes, left + slot, 2.0 ** (block[slot] - m), before)
                    _write(axes, left + slot + BAR / 2, -0.3, f"{block[slot]:g}")
                else:
                    _empty(axes, left + slot)
            if at == panel:
                _read(axes, left - 0.1, block_size)
        _write(axes, x - 0.1, TALL + 1.25, f"after block {panel + 1}", ha="left", fontsize=TEXT)
        _write(axes, x - 0.1, TALL + 0.72, f"m = {m:g}", ha="left", color=MUTED)
        m_before = m
    _write(axes, -0.35, -0.3, "score", ha="right", color=MUTED)
    _write(axes, -0.35, TALL, "weight 1", ha="right", color=MUTED)
    _frame(axes, (-2.6, len(scores) * PANEL - 0.9), (-0.75, TALL + 1.6))
    return figure


def _bar(axes: Axes, x: float, weight: float, before: float) -> None:
    if before > weight:
        _box(axes, x, BAR, before * TALL, linestyle=(0, (3, 2)), edgecolor=LINE)
    _box(axes, x, BAR, weight * TALL, facecolor=STATES["held"].fill, edgecolor=EDGE)
    named = {1.0: "1", 0.5: "½", 0.25: "¼", 0.125: "⅛"}
    text = named.get(weight, f"{weight:g}")
    behind = {"facecolor": PAGE, "edgecolor": "none", "pad": 0.6}  # no dashes through the number
    _write(axes, x + BAR / 2, weight * TALL + 0.24, text, color=INK, bbox=behind)


def _empty(axes: Axes, x: float) -> None:
    with rc_context(STYLE):
        _box(axes, x, BAR, 0.5, edgecolor=LINE, hatch="///")
    _write(axes, x + BAR / 2, -0.3, "–")


def _read(axes: Axes, x: float, block_size: int) -> None:
    _ring(axes, x, 0.0, block_size - 1 + BAR + 0.2, TALL + 0.05)


def _ring(axes: Axes, x: float, y: float, width: float, height: float) -> None:
    _box(axes, x, width, height, y=y, edgecolor=LIGHT["ring"], linewidth=2.4)


def _box(axes: Axes, x: float, width: float, height: float, y: float = 0.0, **look: Any) -> None:
    look = {"facecolor": "none", "linewidth": 0.9, **look}
    axes.add_patch(Rectangle((x, y), width, height, **look))


def _write(axes: Axes, x: float, y: float, text: str, **look: Any) -> None:
    axes.text(x, y, text, **{"ha": "center", "va": "center", "fontsize": SMALL, **look})


def _frame(axes: Axes, x: tuple[float, float], y: tuple[float, float]) -> None:
    axes.set_axis_off()
    axes.set_xlim(*x)
    axes.set_ylim(*y)

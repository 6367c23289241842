"""Draw a small pool after each of several calls: its blocks, their holders, and the free stack."""

from collections.abc import Sequence
from typing import NamedTuple

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle

from workbook.stills.figure import canvas
from workbook.stills.states import INK, LINE, MUTED, STATES

GAP = 0.14
ROW = 1.35
PITCH = 0.6


class PoolStep(NamedTuple):
    """A pool after a call: ``refs[b]`` holders of block b; the free ids, top of the stack last."""

    call: str
    refs: Sequence[int]
    free: Sequence[int]


def draw_pool_steps(steps: Sequence[PoolStep]) -> Figure:
    """One row a step: the call, the blocks in id order with their counts, and the free stack."""
    blocks = len(steps[0].refs)
    deepest = max(len(step.free) for step in steps)
    figure, axes = canvas(7.2, 0.62 * len(steps) + 0.55)
    axes.set_axis_off()
    stack = blocks + 1.0
    for y, text, x in ((0.15, "blocks", 0.0), (0.15, "free stack (top at the right)", stack)):
        axes.text(x, y, text, color=MUTED, fontsize=9)
    for row, step in enumerate(steps):
        y = -(row + 1) * ROW
        axes.text(
            -0.35,
            y + 0.43,
            step.call,
            ha="right",
            va="center",
            family="DejaVu Sans Mono",
            fontsize=9.5,
        )
        for block, refs in enumerate(step.refs):
            _draw_block(axes, block, y, block, refs, free=block in step.free)
        _draw_stack(axes, stack, y, step.free)
    axes.set_xlim(-3.6, stack + max(3.4, PITCH * deepest + 0.4))
    axes.set_ylim(-len(steps) * ROW - 0.25, 0.6)
    return figure


def _draw_stack(axes: Axes, x: float, y: float, free: Sequence[int]) -> None:
    width = PITCH * max(len(free), 1) + 0.2
    # A tray, open at the right: ids go in and out there.
    axes.plot([x + width, x, x, x + width], [y + 0.9, y + 0.9, y, y], color=LINE, lw=1, marker="")
    for place, block in enumerate(free):
        middle = x + 0.2 + PITCH * place + 0.15
        axes.text(middle, y + 0.43, str(block), ha="center", va="center", fontsize=11)
    if not free:
        axes.text(x + 0.2, y + 0.43, "empty", va="center", fontsize=9, color=MUTED)


def _draw_block(axes: Axes, x: float, y: float, block: int, refs: int, *, free: bool) -> None:
    state = "shared" if refs > 1 else "held" if refs == 1 else "free"
    look = STATES[state]
    size = 1 - GAP
    axes.add_patch(
        Rectangle(
            (x, y),
            size,
            size,
            facecolor=look.fill or "none",
            edgecolor=INK if look.fill else LINE,
            linestyle="--" if look.border == "dashed" else "-",
            linewidth=1.3,
        )
    )
    if look.border == "double":
        inset = 0.08
        axes.add_patch(
            Rectangle(
                (x + inset, y + inset),
                size - 2 * inset,
                size - 2 * inset,
                facecolor="none",
                edgecolor=look.text,
                linewidth=1.0,
            )
        )
    count = f"\n×{refs}" if refs else "" if free else "\nlost"
    axes.text(
        x + size / 2,
        y + size / 2,
        f"{block}{count}",
        ha="center",
        va="center",
        color=look.text,
        fontsize=9,
        linespacing=1.15,
    )

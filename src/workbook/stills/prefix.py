"""Draw a pool whose blocks are free, held, shared or cached."""

from collections.abc import Sequence
from typing import Any, NamedTuple

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle

from workbook.stills.figure import canvas
from workbook.stills.states import INK, LINE, MUTED, STATES

MONO = "DejaVu Sans Mono"
TEXT, SMALL = 11.0, 9.5
BLOCK, APART = 1.0, 0.16


class PoolState(NamedTuple):
    """A pool after a call: ``refs[b]`` holders of block b, and the blocks that the index names."""

    call: str
    refs: Sequence[int]
    indexed: Sequence[int]


def draw_pool_states(steps: Sequence[PoolState]) -> Figure:
    """A row a step: the call, every block in its state, and how many are in each."""
    blocks = len(steps[0].refs)
    figure, axes = canvas(7.2, 0.52 * len(steps) + 0.45)
    axes.set_axis_off()
    end = blocks * (BLOCK + APART)
    _write(axes, 0.0, 0.3, "pool", ha="left", color=MUTED, fontsize=SMALL)
    _write(axes, end + 0.3, 0.3, "free + held + cached", ha="left", color=MUTED, fontsize=SMALL)
    for row, step in enumerate(steps):
        y = -(row + 1) * 1.3
        _write(axes, -0.4, y + 0.48, step.call, ha="right", family=MONO, fontsize=SMALL)
        states = [_state(refs, block in step.indexed) for block, refs in enumerate(step.refs)]
        for block, (state, refs) in enumerate(zip(states, step.refs, strict=True)):
            x = block * (BLOCK + APART)
            mark = "c" if state == "cached" else f"×{refs}" if refs else ""
            _cell(axes, x, y, BLOCK, state)
            label = f"{block}\n{mark}" if mark else str(block)
            look = STATES[state]
            _write(axes, x + 0.5, y + 0.48, label, color=look.text, fontsize=9, linespacing=1.05)
        free, cached = states.count("free"), states.count("cached")
        total = f"{free} + {blocks - free - cached} + {cached} = {blocks}"
        _write(axes, end + 0.3, y + 0.48, total, ha="left", fontsize=SMALL)
    axes.set_xlim(-7.6, end + 5.4)
    axes.set_ylim(-len(steps) * 1.3 - 0.15, 0.7)
    return figure


def _state(refs: int, indexed: bool) -> str:
    """Free, cached (the index alone holds it), held, or shared by several sequences."""
    if not refs:
        return "free"
    if indexed and refs == 1:
        return "cached"
    return "shared" if refs - indexed > 1 else "held"


def _cell(axes: Axes, x: float, y: float, width: float, state: str) -> None:
    look = STATES[state]
    axes.add_patch(
        Rectangle(
            (x, y),
            width,
            1.0,
            facecolor=look.fill or "none",
            edgecolor=INK if look.fill else LINE,
            linestyle="--" if look.border == "dashed" else "-",
            linewidth=1.1,
        )
    )
    if look.border == "double":
        inset = 0.08
        axes.add_patch(
            Rectangle(
                (x + inset, y + inset),
                width - 2 * inset,
                1 - 2 * inset,
                facecolor="none",
                edgecolor=look.text,
                linewidth=1.0,
            )
        )
    if look.hatch:  # dots along the foot, so that they don't run through the text
        dots = [x + width * (i + 0.5) / 6 for i in range(6)]
        axes.plot(dots, [y + 0.1] * 6, color=look.text, ls="", marker=".", markersize=2.2)


def _write(axes: Axes, x: float, y: float, text: str, **look: Any) -> None:
    axes.text(x, y, text, **{"ha": "center", "va": "center", "fontsize": TEXT, **look})

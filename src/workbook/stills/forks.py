"""Draw who holds what while sequences fork and write: each table beside the pool it names."""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import FancyArrowPatch, Rectangle

from workbook.stills.figure import canvas
from workbook.stills.states import INK, LINE, MUTED, STATES

TEXT, SMALL = 10.5, 9.5
ENTRY = 1.0  # a table entry
BLOCK, APART = 2.3, 0.35  # a block of the pool, and the room to the next
HIGH = 1.25
CALL: dict[str, Any] = {"family": "DejaVu Sans Mono", "fontsize": SMALL}


class ForkStep(NamedTuple):
    """Tables and pool after a call. ``refs[b]`` holders, ``filled[b]`` written slots of block b;
    ``copied`` is (from, to) when the call copied a block.
    """

    call: str
    tables: Mapping[str, Sequence[int]]
    refs: Sequence[int]
    filled: Sequence[int]
    copied: tuple[int, int] | None = None


def draw_fork_steps(steps: Sequence[ForkStep], *, block_size: int) -> Figure:
    """A row a step: the call, the block tables, and the pool with each block's count and slots."""
    entries = max(len(table) for step in steps for table in step.tables.values())
    pool = 1.2 + entries * ENTRY + 1.0
    right = pool + len(steps[0].refs) * (BLOCK + APART)
    left = 1.0 + 0.34 * max(len(step.call) for step in steps)
    heights = [max(len(step.tables), 2) * HIGH + 1.3 for step in steps]
    figure, axes = canvas(7.2, 0.235 * sum(heights) + 0.3)
    axes.set_axis_off()
    for x, name in ((0.9, "tables"), (pool, "pool")):
        _write(axes, x, 0.2, name, ha="left", color=MUTED, fontsize=SMALL)
    y = 0.0
    for step, height in zip(steps, heights, strict=True):
        _write(axes, -left, y - height / 2 + 0.1, step.call, ha="left", **CALL)
        _draw_step(axes, step, y - height / 2 + 0.1, pool, block_size)
        y -= height
    axes.set_xlim(-left, right)
    axes.set_ylim(y, 0.9)
    return figure


def _draw_step(axes: Axes, step: ForkStep, middle: float, pool: float, block_size: int) -> None:
    rows = len(step.tables)
    for row, (seq, table) in enumerate(step.tables.items()):
        y = middle + (rows / 2 - row - 1) * HIGH
        _write(axes, 0.6, y + 0.5, seq, ha="right")
        for at, block in enumerate(table):
            state = _state(step, block)
            _cell(axes, 0.9 + at * ENTRY, y, ENTRY, 1.0, state)
            _name(axes, 0.9 + (at + 0.5) * ENTRY, y + 0.47, str(block), state)
    for block in range(len(step.refs)):
        x = pool + block * (BLOCK + APART)
        _draw_block(axes, x, middle - 1.1, step, block, block_size)
    if step.copied is not None:
        ends = [pool + b * (BLOCK + APART) + BLOCK / 2 for b in step.copied]
        axes.add_patch(
            FancyArrowPatch(
                (ends[0], middle + 1.1),
                (ends[1], middle + 1.1),
                connectionstyle="arc3,rad=-0.28",
                arrowstyle="-|>",
                mutation_scale=11,
                color=INK,
                linewidth=1.2,
            )
        )


def _draw_block(
    axes: Axes, x: float, y: float, step: ForkStep, block: int, block_size: int
) -> None:
    state = _state(step, block)
    _cell(axes, x, y, BLOCK, 1.5, state)
    refs = step.refs[block]
    mark = f"{block}  ×{refs}" if refs else str(block)
    _name(axes, x + BLOCK / 2, y + 0.72, mark, state)
    wide = BLOCK / block_size
    for slot in range(block_size):
        full = slot < step.filled[block] and refs > 0
        axes.add_patch(
            Rectangle(
                (x + slot * wide, y + 1.62),
                wide,
                0.45,
                facecolor=INK if full else "none",
                edgecolor=LINE,
                linewidth=0.8,
            )
        )


def _name(axes: Axes, x: float, y: float, text: str, state: str) -> None:
    look = STATES[state]
    # A patch behind the text keeps it readable on hatching.
    box = {"boxstyle": "square,pad=0.12", "fc": look.fill, "ec": "none"}
    _write(axes, x, y, text, color=look.text, **({"bbox": box} if look.hatch else {}))


def _state(step: ForkStep, block: int) -> str:
    if step.copied is not None and block == step.copied[1]:
        return "copied"
    return "shared" if step.refs[block] > 1 else "held" if step.refs[block] else "free"


def _cell(axes: Axes, x: float, y: float, width: float, height: float, state: str) -> None:
    look = STATES[state]
    axes.add_patch(
        Rectangle(
            (x, y),
            width,
            height,
            facecolor=look.fill or "none",
            edgecolor=INK if look.fill else LINE,
            linestyle="--" if look.border == "dashed" else "-",
            hatch=look.hatch,
            linewidth=1.2,
        )
    )
    if look.border == "double":
        inset = 0.11
        axes.add_patch(
            Rectangle(
                (x + inset, y + inset),
                width - 2 * inset,
                height - 2 * inset,
                facecolor="none",
                edgecolor=look.text,
                linewidth=0.9,
            )
        )


def _write(axes: Axes, x: float, y: float, text: str, **look: Any) -> None:
    axes.text(x, y, text, **{"ha": "center", "va": "center", "fontsize": TEXT, **look})

"""Draw a sequence's history, its block table and the pool: one look-up, or all blocks at once."""

from collections.abc import Sequence
from typing import Any

from matplotlib import rc_context
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import FancyArrowPatch, Rectangle

from workbook.stills.figure import canvas
from workbook.stills.states import (
    INK,
    LINE,
    MUTED,
    READ_MARK,
    READ_RING,
    RESERVED_LINES,
    STATES,
)

GAP = 0.5  # between two blocks, in slots
MONO = "DejaVu Sans Mono"
TEXT, SMALL = 12.0, 11.0
IN_A_ROW = 6  # blocks of the pool, where single slots are drawn
WIDE, APART = 3.4, 0.7  # a block that is one cell, and the room to the next


def draw_table_walk(
    table: Sequence[int], length: int, position: int, *, block_size: int, num_blocks: int
) -> Figure:
    """How one look-up finds ``position``: the history, the table below it, the pool at the bottom.

    Blocks that ``table`` doesn't name are drawn as another's.
    """
    figure, axes = canvas(9.6, 4.9)
    index, offset = divmod(position, block_size)
    row, column = divmod(table[index], IN_A_ROW)
    token = (_left(index, block_size) + offset, 8.0)
    entry = (_left(index, block_size) + block_size / 2 - 0.9, 5.2)
    slot = (_left(column, block_size) + offset, 1.6 - 2.3 * row)
    _label(axes, -0.8, 8.5, "history", f"{length} tokens")
    _label(axes, -0.8, 5.7, "block table", "entry: block")
    _label(axes, -0.8, 1.3, "pool", f"{num_blocks} blocks of {block_size}")
    for at, block in enumerate(table):
        start = _left(at, block_size)
        for place in range(block_size):
            if at * block_size + place < length:
                _cell(axes, start + place, 8.0, str(at * block_size + place), "held")
        middle = start + block_size / 2
        _cell(axes, middle - 0.9, 5.2, str(block), "held", width=1.8)
        _write(axes, middle - 1.2, 5.68, f"{at}:", ha="right", color=MUTED, fontsize=SMALL)
    for block in range(num_blocks):
        left, y = _left(block % IN_A_ROW, block_size), 1.6 - 2.3 * (block // IN_A_ROW)
        _write(axes, left + block_size / 2, y - 0.45, str(block), color=MUTED, fontsize=SMALL)
        _pool_block(axes, left, y, block, table, length, block_size)
    for (x, y), width in ((token, 1.0), (entry, 1.8), (slot, 1.0)):
        _ring(axes, x, y, width)
    foot = (entry[0] + 0.9, entry[1])
    _arrow(axes, (token[0] + 0.5, 7.95), (foot[0], 7.0))
    _arrow(axes, foot, (slot[0] + 0.5, slot[1] + 1.75))
    sums = (f"{position} // {block_size} = {index}", f"{position} % {block_size} = {offset}")
    for x, y, text in ((foot[0] + 1.2, 7.35, sums[0]), (foot[0] + 0.9, 3.4, sums[1])):
        _write(axes, x, y, text, ha="left", family=MONO)
    _frame(axes, (-6.2, _left(IN_A_ROW, block_size)), (-1.6, 9.9))
    return figure


def draw_scatter_gather(
    table: Sequence[int], length: int, *, block_size: int, num_blocks: int
) -> Figure:
    """Every block of a history on its way into the pool, and out of it again."""
    figure, axes = canvas(9.6, 5.4)
    _label(axes, -0.8, 8.5, "written", "in order")
    _label(axes, -0.8, 0.5, "pool", f"{num_blocks} blocks")
    _label(axes, -0.8, -7.5, "read", "in order")
    for y, word in ((5.0, "scatter"), (-4.2, "gather")):
        _write(axes, -0.8, y, word, ha="right", style="italic")
    for block in range(num_blocks):
        x = block * (WIDE + APART)
        _write(axes, x + WIDE / 2, -0.65, str(block), color=MUTED, fontsize=SMALL)
        if block in table:
            _cell(axes, x, 0.0, "", "reserved", width=WIDE, height=1.4)
            _span(axes, x, 0.0, list(table).index(block), length, block_size)
        else:
            _cell(axes, x, 0.0, STATES["other"].mark, "other", width=WIDE, height=1.4)
    for at, block in enumerate(table):
        here, there = (place * (WIDE + APART) + WIDE / 2 for place in (at, block))
        _span(axes, here - WIDE / 2, 8.0, at, length, block_size)
        _span(axes, here - WIDE / 2, -8.0, at, length, block_size)
        _arrow(axes, (here, 8.0), (there, 1.45))
        _arrow(axes, (there, -1.2), (here, -6.5))
    _frame(axes, (-6.2, num_blocks * (WIDE + APART)), (-8.3, 9.7))
    return figure


def _left(block: int, block_size: int) -> float:
    """Where the first slot of the block in this column begins."""
    return block * (block_size + GAP)


def _frame(axes: Axes, x: tuple[float, float], y: tuple[float, float]) -> None:
    axes.set_axis_off()
    axes.set_xlim(*x)
    axes.set_ylim(*y)


def _label(axes: Axes, x: float, y: float, name: str, note: str) -> None:
    _write(axes, x, y + 0.2, name, ha="right")
    _write(axes, x, y - 0.65, note, ha="right", fontsize=SMALL, color=MUTED)


def _write(axes: Axes, x: float, y: float, text: str, **look: Any) -> None:
    axes.text(x, y, text, **{"ha": "center", "va": "center", "fontsize": TEXT, **look})


def _pool_block(
    axes: Axes, x: float, y: float, block: int, table: Sequence[int], length: int, block_size: int
) -> None:
    """A block of the pool, slot by slot, when ``table`` names it."""
    if block not in table:
        _cell(axes, x, y, STATES["other"].mark, "other", width=block_size)
        return
    first = list(table).index(block) * block_size
    for token in range(first, first + block_size):
        written = token < length
        state = "held" if written else "reserved"
        _cell(axes, x + token - first, y, str(token) if written else "", state)


def _span(axes: Axes, x: float, y: float, at: int, length: int, block_size: int) -> None:
    """Entry ``at`` of a history as one cell, with its first and last position."""
    first = at * block_size
    count = min(block_size, length - first)
    last, width = first + count - 1, WIDE * count / block_size
    mark = f"{first}–{last}" if count == block_size else f"{first}\n{last}"
    _cell(axes, x, y, mark, "held", width=width, height=1.4)


def _cell(
    axes: Axes, x: float, y: float, text: str, state: str, width: float = 1.0, height: float = 1.0
) -> None:
    look = STATES[state]
    with rc_context({"hatch.linewidth": 0.9, "hatch.color": RESERVED_LINES}):
        axes.add_patch(
            Rectangle(
                (x, y),
                width,
                height,
                facecolor=look.fill or "none",
                edgecolor=INK if look.fill else LINE,
                hatch=look.hatch,
                linewidth=0.9,
            )
        )
    middle = (x + width / 2, y + height * 0.47)
    _write(axes, *middle, text, color=look.text, fontsize=SMALL, linespacing=1.0)


def _ring(axes: Axes, x: float, y: float, width: float) -> None:
    axes.add_patch(
        Rectangle((x, y), width, 1.0, facecolor="none", edgecolor=READ_RING, linewidth=3.0)
    )
    _write(axes, x + width / 2, y + 1.4, READ_MARK, fontsize=10)


def _arrow(axes: Axes, start: tuple[float, float], end: tuple[float, float]) -> None:
    axes.add_patch(
        FancyArrowPatch(
            start, end, arrowstyle="-|>", mutation_scale=10, color=INK, linewidth=1.0, shrinkA=0
        )
    )

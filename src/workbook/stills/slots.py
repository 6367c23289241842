"""Draw a pool of slots at one moment or several: who holds each slot, and whether it is written."""

from collections.abc import Iterator, Sequence
from itertools import groupby
from typing import NamedTuple

from matplotlib import rc_context
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle

from workbook.stills.figure import canvas
from workbook.stills.states import INK, LINE, MUTED, PAGE, RESERVED_LINES, STATES, Look

SLOT_STATES = {
    "used": STATES["held"],
    "reserved": STATES["reserved"],
    "internal": Look(None, INK, hatch="xxxx"),
    "free": STATES["free"],
}
LEGEND = {
    "used": "used",
    "reserved": "reserved: empty, will be written",
    "internal": "internal: never written",
    "free": "free",
}
TALL = 0.74  # of a row's height


class SlotRow(NamedTuple):
    """A pool at one moment: ``cells[i]`` is slot i's state and holder (none: ``""``)."""

    label: str
    cells: Sequence[tuple[str, str]]
    note: str = ""


def draw_slots(
    rows: Sequence[SlotRow],
    *,
    block_size: int | None = None,
    left: str = "",
    right: str = "",
    counts: bool = False,
) -> Figure:
    """One line of slots for each row, cut into blocks if ``block_size`` is given, with a key below.

    ``left`` and ``right`` head the columns of labels and notes; ``counts`` writes into each run how
    many slots it has.
    """
    slots = len(rows[0].cells)
    figure, axes = canvas(9.6, 0.27 * len(rows) + 1.2)
    axes.grid(visible=False)
    axes.spines[:].set_visible(False)
    axes.set_xlim(-0.3, slots + 0.3)
    axes.set_ylim(len(rows) - 0.1, -0.9 if left or right else -0.2)
    _number(axes, slots, block_size)
    axes.text(-0.8, -0.4, left, ha="right", va="center", color=MUTED, fontsize=9)
    axes.text(slots + 0.8, -0.4, right, va="center", color=MUTED, fontsize=9)
    for place, row in enumerate(rows):
        middle = place + TALL / 2
        axes.text(-0.8, middle, row.label, ha="right", va="center", fontsize=9.5)
        axes.text(slots + 0.8, middle, row.note, va="center", fontsize=9.5)
        for start, length, state, holder in _runs(row.cells, block_size or slots):
            axes.add_patch(_patch((start, place), length, TALL, state))
            text = f"{holder} {length}".strip() if counts else holder
            if counts or state == "used":
                _write(axes, start + length / 2, middle, text, state)
    figure.legend(
        handles=[_patch((0, 0), 1, 1, state) for state in LEGEND],
        labels=list(LEGEND.values()),
        loc="outside lower center",
        ncols=len(LEGEND),
        handlelength=2.2,
        handleheight=1.1,
        fontsize=9.5,
        frameon=False,
    )
    return figure


def _number(axes: Axes, slots: int, block_size: int | None) -> None:
    """Number the blocks below their middles, or every tenth slot at its left edge."""
    axes.set_yticks([])
    if block_size is None:
        axes.set_xticks(range(0, slots + 1, 10))
        axes.tick_params(length=3)
    else:
        blocks = range(slots // block_size)
        axes.set_xticks([(b + 0.5) * block_size for b in blocks], [str(b) for b in blocks])
        axes.tick_params(length=0)
    axes.set_xlabel("slot" if block_size is None else "block", color=MUTED, fontsize=9)


def _runs(cells: Sequence[tuple[str, str]], block_size: int) -> Iterator[tuple[int, int, str, str]]:
    """Neighbours in a block that look the same, as (start, length, state, holder)."""
    numbered = ((slot, *cell) for slot, cell in enumerate(cells))
    for (_, state, holder), same in groupby(numbered, lambda c: (c[0] // block_size, c[1], c[2])):
        run = list(same)
        yield run[0][0], len(run), state, holder


def _write(axes: Axes, x: float, y: float, text: str, state: str) -> None:
    look = SLOT_STATES[state]
    # A patch of page below the text keeps it readable on hatching.
    box = {"boxstyle": "square,pad=0.15", "fc": PAGE, "ec": "none"} if look.hatch else None
    axes.text(x, y, text, ha="center", va="center_baseline", fontsize=9, color=look.text, bbox=box)


def _patch(corner: tuple[float, float], width: float, height: float, state: str) -> Rectangle:
    look = SLOT_STATES[state]
    with rc_context({"hatch.linewidth": 0.9, "hatch.color": RESERVED_LINES}):
        return Rectangle(
            corner,
            width,
            height,
            facecolor=look.fill or "none",
            edgecolor=INK if state == "used" else LINE,
            hatch=look.hatch,
            linestyle="--" if look.border == "dashed" else "-",
            linewidth=0.9,
        )

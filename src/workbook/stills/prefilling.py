"""Draw prefill: which keys a tile of new tokens reads, and a batch as a map of tiles."""

from collections.abc import Sequence

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle

from workbook.stills.chart import EDGE, INK, LINE, MUTED, PAGE, canvas
from workbook.stills.looks import STATES

TEXT, SMALL = 10.0, 9.0


def draw_tiles(known: int, new: int, tokens: int, keys: int) -> Figure:
    """Keys across, new tokens down; each tile of ``tokens`` ringed, its key tiles numbered.

    Filled: a known token that is seen. Dotted: a new one. Dashed: behind the tile's walk. Empty
    inside a ring: read, and hidden by the mask.
    """
    length = known + new
    figure, axes = canvas(7.2, 0.36 * new + 1.3)
    for token in range(new):
        for key in range(length):
            seen = key <= known + token
            old = key < known
            look = STATES["held"] if old else STATES["other"]
            last = known + min(token // tokens * tokens + tokens, new)
            _cell(axes, key, token, look.fill if seen else None, "" if old or not seen else "...",
                  key < last)  # fmt: skip
        _say(axes, -0.4, token + 0.5, f"token {token}", ha="right")
    for first in range(0, new, tokens):
        count = min(tokens, new - first)
        last = known + first + count
        axes.add_patch(Rectangle((0, first), last, count, fill=False, edgecolor=INK, linewidth=2))
        for start in range(keys, last, keys):
            axes.plot(
                [start] * 2, [first, first + count], color=INK, lw=1, ls=(0, (4, 3)), marker=""
            )
        _say(axes, length + 0.4, first + count / 2, f"{-(-last // keys)} key tiles", ha="left")
    for key in range(length):
        _say(axes, key + 0.5, -0.45, str(key), color=MUTED)
    _say(axes, -0.4, -0.45, "key", ha="right", color=MUTED)
    _frame(axes, (-2.2, length + 3.2), (new + 0.3, -1))
    return figure


def draw_map(new: Sequence[int], tokens: int) -> Figure:
    """A rectangle of programs for sequences of ``new`` tokens, and which of them have work."""
    wide = -(-max(new) // tokens)
    figure, axes = canvas(7.2, 0.34 * len(new) + 1.0)
    for row, count in enumerate(new):
        needed = -(-count // tokens)
        for column in range(wide):
            work = column < needed
            _cell(axes, column, row, STATES["held"].fill if work else None, "", work)
        _say(axes, -0.4, row + 0.5, f"{count} new", ha="right")
        _say(axes, wide + 0.4, row + 0.5, str(needed), ha="left")
    total = sum(-(-count // tokens) for count in new)
    _say(axes, wide / 2, len(new) + 0.6,
         f"{wide * len(new)} programs in a rectangle, {total} with work", color=MUTED)  # fmt: skip
    _frame(axes, (-3.4, wide + 1.6), (len(new) + 1.1, -0.4))
    return figure


def _cell(axes: Axes, x: float, y: float, fill: str | None, hatch: str, inside: bool) -> None:
    axes.add_patch(
        Rectangle(
            (x + 0.04, y + 0.06),
            0.92,
            0.88,
            facecolor=fill or PAGE,
            edgecolor=EDGE if fill else LINE,
            linestyle="solid" if inside else (0, (3, 2)),
            linewidth=0.8 if fill else 0.6,
            hatch=hatch,
        )
    )


def _say(axes: Axes, x: float, y: float, text: str, ha: str = "center", color: str = INK) -> None:
    axes.text(x, y, text, ha=ha, va="center", fontsize=SMALL, color=color)


def _frame(axes: Axes, x: tuple[float, float], y: tuple[float, float]) -> None:
    axes.set_axis_off()
    axes.set_xlim(*x)
    axes.set_ylim(*y)

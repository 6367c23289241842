"""Draw what bounds a kernel: its place under the roofline, and which processors have work."""

from collections.abc import Sequence

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle

from workbook.stills.chart import EDGE, INK, LINE, LINES, MUTED, PAGE, canvas
from workbook.stills.looks import STATES

TEXT, SMALL = 10.0, 9.0
GAP = 0.16  # of a whole picture's width, between two plans


def draw_roofline(
    bandwidth: float, peak: float, places: Sequence[tuple[str, float]], *, last: float = 1024
) -> Figure:
    """The most operations a second at each intensity, and kernels on it by name.

    ``bandwidth`` in TB/s, ``peak`` in TFLOP/s, ``places`` in operations a byte.
    """
    figure, axes = canvas(7.2, 3.6)
    ridge, blue, red = peak / bandwidth, LINES[0], LINES[1]
    axes.set(xscale="log", yscale="log", xlim=(0.5, last), ylim=(bandwidth / 2, peak * 2.4))
    axes.plot([0.5, ridge, last], [0.5 * bandwidth, peak, peak], color=blue, marker="", lw=2)
    axes.plot([ridge, ridge], [bandwidth / 2, peak], color=LINE, marker="", lw=0.9, ls=(0, (4, 3)))
    for name, intensity in places:
        reached = min(intensity * bandwidth, peak)
        axes.plot([intensity], [reached], color=red, marker="o", markersize=7, markeredgecolor=INK)
        axes.annotate(
            name,
            (intensity, reached),
            (9, -4),
            textcoords="offset points",
            va="top",
            fontsize=SMALL,
            bbox={"facecolor": PAGE, "edgecolor": "none", "pad": 1},  # no lines through the words
        )
    axes.text(ridge * 1.07, bandwidth * 0.62, f"ridge: {ridge:.0f}", fontsize=SMALL, color=MUTED)
    axes.text(0.55, bandwidth * 0.85, f"memory, {bandwidth} TB/s", fontsize=TEXT, rotation=27.5,
              rotation_mode="anchor", color=blue)  # fmt: skip
    axes.text(ridge * 1.1, peak * 1.25, f"processor, {peak:.0f} TFLOP/s", fontsize=TEXT, color=blue)
    axes.set_xticks([1, 4, 16, 64, 256, 1024], ["1", "4", "16", "64", "256", "1,024"])
    axes.set_yticks([10, 100, 1000], ["10", "100", "1,000"])
    axes.minorticks_off()
    axes.set_xlabel("operations for each byte read")
    axes.set_ylabel("TFLOP/s, at most")
    return figure


def draw_splits(processors: int, kv_heads: int, tokens: int, splits: Sequence[int]) -> Figure:
    """One sequence on ``processors``: who reads what, for each number of splits, over time.

    A program reads ``tokens / splits`` tokens of one KV head; the merge is drawn as long as 1/24 of
    the whole history takes.
    """
    figure, axes = canvas(7.2, 0.24 * processors + 1.0)
    wide = 1.0 + GAP
    for at, parts in enumerate(splits):
        x = at * wide
        title = "unsplit" if parts == 1 else f"{parts} parts, then the merge"
        axes.text(x, -0.45, f"{title}: {kv_heads * parts} programs", ha="left", va="bottom")
        for processor in range(processors):
            _bar(axes, x, processor, 1.0, None, "")
        for program in range(kv_heads * parts):
            head, part = divmod(program, parts)
            label = f"KV head {head}" + (f", part {part}" if parts > 1 else "")
            look, later = STATES["held"], STATES["other"]
            inside = label if parts == 1 else ""
            _bar(axes, x, program, 1 / parts, look.fill, inside)
            if parts > 1:
                axes.text(x + 1 / parts + 0.07, program + 0.44, label, va="center", fontsize=SMALL)
        if parts > 1:
            for head in range(kv_heads):
                _bar(axes, x + 1 / parts, head * parts, 1 / 24, later.fill, "", hatch="///")
        for share, text in ((0.0, "0"), (1 / parts, f"{tokens // parts:,}")):
            axes.text(x + share, processors + 0.25, text, ha="center", va="top", fontsize=SMALL)
    axes.text(-0.02, processors / 2, f"{processors} processors", rotation=90, ha="right",
              va="center", color=MUTED)  # fmt: skip
    axes.text(0.5, processors + 0.95, "time, in tokens read one after the other", ha="center",
              va="top", color=MUTED)  # fmt: skip
    axes.set_axis_off()
    axes.set_xlim(-0.06, len(splits) * wide - GAP + 0.01)
    axes.set_ylim(processors + 1.6, -1.3)
    return figure


def _bar(
    axes: Axes, x: float, row: float, width: float, fill: str | None, text: str, hatch: str = ""
) -> None:
    """One stretch of a processor's time; without a fill it has nothing to do."""
    axes.add_patch(
        Rectangle(
            (x, row),
            width,
            0.86,
            facecolor=fill or PAGE,
            edgecolor=EDGE if fill else LINE,
            linestyle="solid" if fill else (0, (3, 2)),
            linewidth=0.9 if fill else 0.6,
            hatch=hatch,
        )
    )
    colour = STATES["held"].text if fill else INK
    axes.text(
        x + width / 2, row + 0.44, text, ha="center", va="center", fontsize=SMALL, color=colour
    )

"""Draw how fast one load is served, contestant by contestant."""

from collections.abc import Collection, Mapping

from matplotlib import rc_context
from matplotlib.figure import Figure

from workbook.stills.chart import EDGE, INK, STYLE, canvas
from workbook.stills.looks import STATES


def draw_rates(rates: Mapping[str, float], peers: Collection[str] = ()) -> Figure:
    """A bar for each contestant, tokens a second, the first on top; ``peers`` are hatched."""
    figure, axes = canvas(7.2, 0.42 * len(rates) + 0.8)
    with rc_context(STYLE):
        for place, (name, rate) in enumerate(rates.items()):
            fill, edge, hatch = STATES["held"].fill, EDGE, ""
            if name in peers:
                fill, edge, hatch = "none", INK, "///"
            axes.barh(-place, rate, 0.66, facecolor=fill, edgecolor=edge, hatch=hatch)
            axes.annotate(f"{rate:.1f}", (rate, -place), (5, 0), textcoords="offset points",
                          va="center")  # fmt: skip
        axes.set_yticks([-place for place in range(len(rates))], list(rates))
        axes.tick_params(axis="y", length=0, labelcolor=INK)
        axes.grid(False, axis="y")
        axes.set_xlabel("tokens a second")
        axes.set_xlim(0, max(rates.values()) * 1.12)
    return figure

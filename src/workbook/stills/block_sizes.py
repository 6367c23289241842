"""Draw what a block size costs: shares of memory and work by size."""

from collections.abc import Mapping

from matplotlib.figure import Figure

from workbook.stills.chart import canvas

SMALL = 9.0


def draw_shares(shares: Mapping[str, Mapping[int, float]]) -> Figure:
    """Percent by block size, one line for each name; sizes double from left to right."""
    figure, axes = canvas(7.2, 3.4)
    for name, by_size in shares.items():
        axes.plot(list(by_size), [100 * share for share in by_size.values()], label=name)
    sizes = list(next(iter(shares.values())))
    axes.set_xscale("log", base=2)
    axes.set_xticks(sizes, [str(size) for size in sizes])
    axes.minorticks_off()
    axes.set_xlabel("tokens of a block")
    axes.set_ylabel("percent")
    axes.legend(fontsize=SMALL)
    return figure

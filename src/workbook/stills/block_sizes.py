"""Draw what a block size costs: shares of memory and work by size, and a block seen as pages."""

from collections.abc import Mapping, Sequence

from matplotlib.figure import Figure
from matplotlib.patches import Rectangle

from workbook.stills.chart import EDGE, INK, MUTED, canvas
from workbook.stills.looks import STATES

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


def draw_pages(table: Sequence[int], block: int, page: int, position: int) -> Figure:
    """The blocks of a table, and below them the pages inside each; one token is marked in both."""
    figure, axes = canvas(7.2, 1.9)
    held, chosen = STATES["held"], STATES["other"]
    for at, name in enumerate(table):
        x = at * (block + 1.5)
        mine = position // block == at
        axes.add_patch(Rectangle((x, 1.2), block, 0.9, facecolor=(chosen if mine else held).fill,
                                 edgecolor=EDGE, hatch="///" if mine else ""))  # fmt: skip
        axes.text(x + block / 2, 2.3, f"block {name}", ha="center", fontsize=SMALL, color=INK)
        for i in range(block // page):
            here = mine and position % block // page == i
            axes.add_patch(
                Rectangle(
                    (x + i * page, 0),
                    page - 0.15,
                    0.9,
                    facecolor=(chosen if here else held).fill,
                    edgecolor=EDGE,
                    hatch="///" if here else "",
                )
            )
            axes.text(x + i * page + page / 2, -0.35, str(name * (block // page) + i),
                      ha="center", fontsize=SMALL, color=MUTED)  # fmt: skip
    axes.text(-0.4, 0.45, "pages", ha="right", va="center", fontsize=SMALL, color=MUTED)
    axes.text(-0.4, 1.65, "blocks", ha="right", va="center", fontsize=SMALL, color=MUTED)
    axes.set_axis_off()
    axes.set_xlim(-4, len(table) * (block + 1.5))
    axes.set_ylim(-0.7, 2.7)
    return figure

"""Charts by matplotlib, in the house style, as SVG that follows the page's light and dark."""

import io
import re
from typing import Any

import matplotlib as mpl
from cycler import cycler
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from workbook.stills.looks import COLOURS, LIGHT, SERIES, STATES, variables
from workbook.stills.sheet import FONT, MONO

INK, MUTED, LINE, PAGE, EDGE = (LIGHT[name] for name in ("ink", "muted", "line", "page", "edge"))
LINES = tuple(LIGHT[name] for name in SERIES)
STYLE: dict[Any, Any] = {
    "font.family": "DejaVu Sans",  # comes with matplotlib: what is measured is the same everywhere
    "font.size": 10,
    "text.color": INK,
    "axes.edgecolor": LINE,
    "axes.labelcolor": INK,
    "axes.titlesize": 11,
    "axes.titlelocation": "left",
    "axes.facecolor": PAGE,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.grid": True,
    "axes.axisbelow": True,
    "axes.prop_cycle": cycler(color=LINES) + cycler(marker=("o", "s", "^", "D")),
    "grid.color": LIGHT["hair"],
    "xtick.color": MUTED,
    "ytick.color": MUTED,
    "figure.facecolor": PAGE,
    "legend.frameon": False,
    "hatch.linewidth": 0.9,
    "hatch.color": LIGHT["hatch"],
}
_FILLS = "|".join(look.fill for look in STATES.values() if look.fill)
_UNSEEN = re.compile(
    r"<\?xml.*?\?>|<!DOCTYPE.*?>|<!--.*?-->|<metadata>.*?</metadata>"
    r"|<defs>\s*<style[^>]*>.*?</style>\s*</defs>",
    re.DOTALL,
)


def canvas(width: float = 7.2, height: float = 3.0) -> tuple[Figure, Axes]:
    """A figure of this size in inches with one pair of axes. pyplot never hears of it."""
    with mpl.rc_context(STYLE):
        figure = Figure(figsize=(width, height), layout="constrained")
        return figure, figure.subplots()


def themed_svg(figure: Figure) -> str:
    """The figure as SVG with variables for the house's colours; text stays text. Uses it up."""
    buffer = io.StringIO()
    # Neither date nor random ids: the same figure gives the same text.
    with mpl.rc_context({"svg.fonttype": "none", "svg.hashsalt": "book"}):
        figure.savefig(buffer, format="svg", metadata={"Date": None, "Creator": None})
    figure.clear()
    return _with_themes(buffer.getvalue())


def _with_themes(svg: str) -> str:
    """Matplotlib's SVG with variables for the house's colours, and without what no reader sees."""
    svg = _UNSEEN.sub("", svg)
    # The edge around a state's fill is dark in both themes, as the fill stays the same.
    svg = re.sub(rf"(fill: (?:{_FILLS});[^\"]*stroke: ){INK}", r"\1var(--edge)", svg, flags=re.I)
    svg = re.sub(r"<pattern.*?</pattern>", _edged, svg, flags=re.DOTALL)
    svg = "".join(_themed(part) for part in re.split(r"(<text\b[^>]*>)", svg))
    svg = re.sub(r" font-family: 'DejaVu Sans Mono'[^;\"]*", f" font-family: {MONO}", svg)
    svg = re.sub(r" font-family: 'DejaVu Sans'[^;\"]*;?| transform=\"rotate\(-0[^\"]*\"", "", svg)
    # Hundredths of a point are enough for places, not for scales.
    svg = re.sub(r"scale\([^)]*\)|\d+\.\d{3,}", _shorter, svg)
    # matplotlib leaves out black, which is what text without a colour of its own has.
    own = f":root{{fill:var(--ink);font-family:{FONT};stroke-linejoin:round}}"
    svg = re.sub(r"(<svg[^>]*>)", rf"\1<style>{variables()}{own}</style>", svg, count=1)
    svg = re.sub(r"(?<=<svg )([^>]*)", _in_pixels, svg, count=1)
    return re.sub(r">\s+<", "><", svg).strip()


def _edged(found: re.Match[str]) -> str:
    """A hatch over a state's fill is as dark as the edge around it."""
    hatch = found[0]
    return hatch.replace(INK, "var(--edge)") if re.search(_FILLS, hatch, re.I) else hatch


def _themed(part: str) -> str:
    """A tag of text, or what stands between two, with variables for its colours.

    Text may be white on a dark fill; shapes may have a state's fill. Both stay as they are.
    """
    text = part.startswith("<text")
    for name, (light, _) in COLOURS.items():
        if text and name in ("page", "raised"):
            continue
        where = "(?<=stroke: )" if light in _FILLS and not text else ""
        part = re.sub(where + light, f"var(--{name})", part, flags=re.I)
    return part


def _in_pixels(found: re.Match[str]) -> str:
    """Matplotlib writes a size in points, of which 72 make an inch of 96 pixels."""
    return re.sub(r'([\d.]+)pt"', lambda size: f'{float(size[1]) * 96 / 72:g}"', found[0])


def _shorter(found: re.Match[str]) -> str:
    text = found[0]
    return text if text.startswith("scale") else f"{float(text):.2f}".rstrip("0").rstrip(".")

"""A matplotlib figure as SVG that knows two themes: colours of the house become variables.

An ``<img>`` has the ``color-scheme`` of the page around it, so one file serves light, dark and
paper. Text is drawn as outlines, since no page can lend a font to a picture.
"""

import io
import re

import matplotlib as mpl
from matplotlib.figure import Figure

from workbook.stills.states import INK, LINE, MUTED, PAGE, RESERVED_LINES, SERIES, STATES

GRID = "#E4E4E4"
# Name of a variable: what figures are drawn with, and the colour in the dark.
COLOURS = {
    "page": (PAGE, "#15161A"),
    "ink": (INK, "#E9E7E2"),
    "muted": (MUTED, "#B5B1AA"),
    "line": (LINE, "#8C8880"),
    "grid": (GRID, "#2C2E35"),
    "hatch": (RESERVED_LINES, "#F0823A"),
}
# Colours that are a state's fill, the same in both themes, and as a line or text need another one.
LINES = {
    "blue": (SERIES[0], "#56B4E9"),
    "green": (SERIES[2], "#2FC296"),
    "rose": (SERIES[3], "#DD92BD"),
}
EDGE = ("#1A1A1A", "#0B0C0E")  # around a filled cell
FILLS = "|".join(look.fill for look in STATES.values() if look.fill)
TEXT = r'" transform'  # what follows the colour of a text, and of nothing else
NOISE = r"<\?xml.*?\?>|<!DOCTYPE.*?>|<!--.*?-->|<metadata>.*?</metadata>"


def themed_svg(figure: Figure) -> str:
    """The figure as one SVG. The same figure gives the same text on every day."""
    buffer = io.StringIO()
    with mpl.rc_context({"svg.fonttype": "path", "svg.hashsalt": "book"}):
        figure.savefig(buffer, format="svg", metadata={"Date": None, "Creator": None})
    return with_themes(buffer.getvalue())


def with_themes(svg: str) -> str:
    """Matplotlib's SVG with variables for the house colours, and without what no reader sees."""
    svg = re.sub(NOISE, "", svg, flags=re.DOTALL)
    svg = re.sub(r"<defs>\s*<style[^>]*>.*?</style>\s*</defs>", "", svg, count=1, flags=re.DOTALL)
    for name, (drawn, _) in COLOURS.items():
        # White text stands on a fill that is dark in both themes.
        after = f"(?!{TEXT})" if name == "page" else ""
        svg = re.sub(drawn + after, f"var(--{name})", svg, flags=re.IGNORECASE)
    for name, (drawn, _) in LINES.items():
        line_or_text = f"(?<=stroke: ){drawn}|(?<=fill: ){drawn}(?={TEXT})"
        svg = re.sub(line_or_text, f"var(--{name})", svg, flags=re.IGNORECASE)
    filled = rf"(fill: (?:{FILLS});[^\"]*stroke: )var\(--ink\)"
    svg = re.sub(filled, r"\1var(--edge)", svg, flags=re.IGNORECASE)
    svg = re.sub(r"(<svg[^>]*>)", lambda found: found[1] + _style(), svg, count=1)
    # Hundredths of a point are enough for places, not for scales.
    svg = re.sub(r"scale\([^)]*\)|-?\d+\.\d{3,}", _shorter, svg)
    return re.sub(r">\s+<", "><", svg).strip()


def _style() -> str:
    """Both themes. Matplotlib leaves out black, which is where text without a colour ends up."""
    pairs = COLOURS | LINES | {"edge": EDGE}
    light = ";".join(f"--{name}:{drawn}" for name, (drawn, _) in pairs.items())
    dark = ";".join(f"--{name}:{colour}" for name, (_, colour) in pairs.items())
    return (
        f"<style>:root{{{light};fill:var(--ink);stroke-linejoin:round;stroke-linecap:butt}}"
        f"@media screen and (prefers-color-scheme:dark){{:root{{{dark}}}}}</style>"
    )


def _shorter(found: re.Match[str]) -> str:
    text = found[0]
    return text if text.startswith("scale") else f"{float(text):.2f}".rstrip("0").rstrip(".")

"""The drawing hand: cells, text and arrows as SVG, for every still picture of cells.

A sheet grows downwards; everything on it is text or a shape, and names are escaped. Colours are
variables, so that a page's light, its dark and paper each show it in their own.
"""

from collections.abc import Sequence
from html import escape
from math import atan2, cos, sin

from workbook.stills.looks import READ_MARK, STATES, Look, paint, variables

WIDTH = 640
MARGIN = 12
FONT = "system-ui, 'Segoe UI', Roboto, 'DejaVu Sans', Arial, sans-serif"
MONO = "'Commit Mono', ui-monospace, Menlo, Consolas, 'DejaVu Sans Mono', monospace"
LETTER = 0.58  # mean width of a letter, in sizes of the font
LINE_HEIGHT = 20
# side, turn in degrees, and the shapes on each tile of a hatch
HATCHES = {
    "stripes": (6, 45, '<path d="M0 0v6" stroke="var(--hatch)" stroke-width="3"/>'),
    "lattice": (6, 45, '<path d="M0 0v6M0 0h6" stroke="var(--hatch)" stroke-width="2"/>'),
    "dots": (7, 0, '<circle cx="3.5" cy="3.5" r="1" fill-opacity=".3"/>'),
    "cross": (7, 0, '<path d="M0 0l7 7M7 0l-7 7" stroke="#000" stroke-opacity=".22"/>'),
}
Point = tuple[float, float]


class Sheet:
    """An SVG under construction; ``y`` is where the next thing goes."""

    def __init__(self, width: float = WIDTH) -> None:
        self.width = width
        self.y = float(MARGIN)
        self._parts: list[str] = []
        self._hatched: set[str] = set()

    def text(
        self,
        x: float,
        y: float,
        text: str,
        *,
        size: float = 14,
        colour: str = "ink",
        bold: bool = False,
        mono: bool = False,
        anchor: str = "start",
        halo: str | None = None,
    ) -> None:
        """One line of text with its baseline at ``y``; ``halo``: a colour that keeps lines off."""
        if not text:
            return
        look = f'font-size="{size:g}" fill="{paint(colour)}"'
        look += ' font-weight="600"' if bold else ""
        look += f' font-family="{escape(MONO)}"' if mono else ""
        if halo:
            look += f' stroke="{paint(halo)}" stroke-width="4" paint-order="stroke"'
        self._parts.append(
            f'<text x="{x:g}" y="{y:g}" {look} text-anchor="{anchor}">{escape(text)}</text>'
        )

    def paragraph(self, text: str, *, colour: str = "ink", bold: bool = False) -> None:
        """Text in as many lines as it needs, below what is there."""
        for line in wrapped(text, self.width - 2 * MARGIN):
            self.text(MARGIN, self.y + 14, line, colour=colour, bold=bold)
            self.y += LINE_HEIGHT

    def space(self, height: float) -> None:
        """Leave this much empty."""
        self.y += height

    def cell(
        self,
        x: float,
        y: float,
        state: str,
        *,
        width: float = 36,
        height: float = 36,
        name: str = "",
        mark: str = "",
        tab: str = "",
        part: float = 1,
        ring: bool = False,
    ) -> None:
        """A block or slot in its state; ``part`` is the share of it that is written."""
        look = STATES[state]
        if ring:
            self._box(x - 3, y - 3, width + 6, height + 6, "none", "ring", 'stroke-width="3"')
            self.text(x + width / 2, y - 6, READ_MARK, size=11, anchor="middle")
        self._ground(x, y, width, height, state, look)
        halo = (look.fill or "page") if look.hatch and look.hatch != "dots" else None
        if name:
            self.text(x + 4, y + 13, name, size=12, colour=look.text, halo=halo)
        if mark:
            beside = name and height >= 30
            size = 12 if height < 30 or len(mark) > 3 else 14
            low = y + height - 9 if beside else y + height / 2 + 0.36 * size
            middle = x + width / 2
            self.text(middle, low, mark, size=size, colour=look.text, anchor="middle", halo=halo)
        if tab:
            cached = STATES["cached"]
            self._box(x + width - 12, y, 12, 13, cached.fill, cached.edge)
            self.text(x + width - 6, y + 10, tab, size=11, colour=cached.text, anchor="middle")
        if 0 < part < 1:
            self._box(x + 4, y + height - 6, width - 8, 3, None, look.text)
            self._box(x + 4, y + height - 6, (width - 8) * part, 3, look.text, None)

    def _ground(
        self, x: float, y: float, width: float, height: float, state: str, look: Look
    ) -> None:
        """The cell's fill or hatch, and its border."""
        fill = look.fill
        if look.hatch:
            self._hatched.add(state)
            fill = f"url(#{state})"
        dashed = ' stroke-dasharray="3 2"' if look.border == "dashed" else ""
        self._box(x + 0.5, y + 0.5, width - 1, height - 1, fill, look.edge, f'rx="3"{dashed}')
        if look.border == "double":
            self._box(x + 2.5, y + 2.5, width - 5, height - 5, None, look.text)

    def line(self, points: Sequence[Point], *, colour: str = "line", width: float = 1.5) -> None:
        """A line through these points."""
        path = " ".join(f"{x:g},{y:g}" for x, y in points)
        look = f'fill="none" stroke="{paint(colour)}" stroke-width="{width:g}"'
        self._parts.append(f'<polyline points="{path}" {look}/>')

    def arrow(self, start: Point, end: Point, *, rise: float = 0) -> None:
        """A thin arrow; with ``rise`` it bends so many pixels upwards on its way."""
        (x, y), (x2, y2) = start, end
        over = ((x + x2) / 2, min(y, y2) - 2 * rise) if rise else start
        turn = atan2(y2 - over[1], x2 - over[0])
        tips = [(x2 - 9 * cos(turn + by), y2 - 9 * sin(turn + by)) for by in (0.4, -0.4)]
        head = "L".join(f"{a:.1f} {b:.1f}" for a, b in [*tips, end])
        bend = f"Q{over[0]:g} {over[1]:g} " if rise else "L"
        self._parts.append(
            f'<path d="M{x:g} {y:g}{bend}{x2:g} {y2:g}" fill="none" stroke="var(--ink)" '
            f'stroke-width="1.2"/><path d="M{head}z" fill="var(--ink)"/>'
        )

    def box(
        self,
        x: float,
        y: float,
        width: float,
        height: float,
        fill: str | None,
        border: str | None = "ink",
    ) -> None:
        """A plain rectangle."""
        self._box(x, y, width, height, fill, border)

    def dot(self, x: float, y: float, radius: float, fill: str, border: str) -> None:
        """A circle."""
        self._parts.append(
            f'<circle cx="{x:g}" cy="{y:g}" r="{radius:g}" fill="{paint(fill)}" '
            f'stroke="{paint(border)}"/>'
        )

    def legend(self, states: Sequence[str], words: Sequence[str]) -> None:
        """What each of these states looks like, in as many rows as it takes."""
        x = float(MARGIN)
        for state, word in zip(states, words, strict=True):
            wide = 30 + len(word) * 13 * LETTER * 0.92 + 14
            if x > MARGIN and x + wide > self.width:
                x, self.y = float(MARGIN), self.y + 22
            self.cell(x, self.y, state, width=22, height=16)
            self.text(x + 30, self.y + 13, word, size=13)
            x += wide
        self.y += 22

    def svg(self) -> str:
        """The finished picture, on a page of its own."""
        height = round(self.y + MARGIN)
        size = f'width="{self.width:g}" height="{height}"'
        return (
            f'<svg xmlns="http://www.w3.org/2000/svg" {size} '
            f'viewBox="0 0 {self.width:g} {height}" font-family="{escape(FONT)}">'
            f"<style>{variables()}</style><defs>{''.join(map(_tile, sorted(self._hatched)))}</defs>"
            f'<rect {size} fill="var(--page)"/>{"".join(self._parts)}</svg>'
        )

    def _box(
        self,
        x: float,
        y: float,
        width: float,
        height: float,
        fill: str | None,
        border: str | None,
        more: str = "",
    ) -> None:
        self._parts.append(
            f'<rect x="{x:g}" y="{y:g}" width="{width:g}" height="{height:g}" '
            f'fill="{paint(fill)}" stroke="{paint(border)}"{more and " " + more}/>'
        )


def _tile(state: str) -> str:
    """The pattern that a hatched state is filled with."""
    look = STATES[state]
    side, turn, shapes = HATCHES[look.hatch or ""]
    turned = f' patternTransform="rotate({turn})"' if turn else ""
    return (
        f'<pattern id="{state}" width="{side}" height="{side}" patternUnits="userSpaceOnUse"'
        f'{turned}><rect width="{side}" height="{side}" fill="{paint(look.fill or "page")}"/>'
        f"{shapes}</pattern>"
    )


def wrapped(text: str, width: float, size: int = 14) -> list[str]:
    """``text`` in lines that are at most about ``width`` pixels long."""
    most = max(8, int(width / (size * LETTER)))
    lines: list[str] = []
    for word in text.split(" "):
        if lines and len(lines[-1]) + 1 + len(word) <= most:
            lines[-1] += f" {word}"
        else:
            lines.append(word)
    return lines

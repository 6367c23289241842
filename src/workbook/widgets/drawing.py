"""Draw the still form of a picture as SVG: for paper, untrusted notebooks, pages without scripts.

The same states look the same as in the moving form. A sheet grows downwards; everything on it is
text or a shape, and names are escaped.
"""

import base64
from collections.abc import Sequence
from html import escape

from workbook.stills.states import (
    INK,
    LINE,
    MUTED,
    PAGE,
    READ_RING,
    RESERVED_LINES,
    STATES,
)

WIDTH = 640
MARGIN = 12
FONT = "system-ui, 'Segoe UI', Roboto, 'DejaVu Sans', Arial, sans-serif"
LETTER = 0.58  # mean width of a letter, in sizes of the font
LINE_HEIGHT = 20
PATTERNS = (
    '<pattern id="h" width="6" height="6" patternUnits="userSpaceOnUse" '
    'patternTransform="rotate(45)">'
    f'<rect width="6" height="6" fill="{PAGE}"/>'
    f'<rect width="1.6" height="6" fill="{RESERVED_LINES}"/></pattern>'
    '<pattern id="d" width="7" height="7" patternUnits="userSpaceOnUse">'
    f'<rect width="7" height="7" fill="{STATES["cached"].fill}"/>'
    '<circle cx="3.5" cy="3.5" r="1" fill="#000000" fill-opacity="0.3"/></pattern>'
    '<pattern id="x" width="7" height="7" patternUnits="userSpaceOnUse">'
    f'<rect width="7" height="7" fill="{STATES["copied"].fill}"/>'
    '<path d="M0 0l7 7M7 0l-7 7" stroke="#000000" stroke-opacity="0.22"/></pattern>'
)
FILLS = {"cached": "url(#d)", "copied": "url(#x)", "reserved": "url(#h)", "free": "none"}


class Sheet:
    """An SVG under construction; ``y`` is where the next thing goes."""

    def __init__(self, width: int = WIDTH) -> None:
        self.width = width
        self.y = float(MARGIN)
        self._parts: list[str] = []

    def text(
        self,
        x: float,
        y: float,
        text: str,
        *,
        size: int = 14,
        colour: str = INK,
        bold: bool = False,
        anchor: str = "start",
    ) -> None:
        """One line of text with its baseline at ``y``."""
        weight = ' font-weight="600"' if bold else ""
        self._parts.append(
            f'<text x="{x:g}" y="{y:g}" font-size="{size}" fill="{colour}"{weight} '
            f'text-anchor="{anchor}">{escape(text)}</text>'
        )

    def paragraph(self, text: str, *, colour: str = INK, bold: bool = False) -> None:
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
        fill = FILLS.get(state, look.fill or "none")
        dashed = ' stroke-dasharray="3 2"' if look.border == "dashed" else ""
        border = INK if look.fill else RESERVED_LINES if state == "reserved" else LINE
        add = self._parts.append
        if ring:
            add(_box(x - 3, y - 3, width + 6, height + 6, "none", READ_RING, 'stroke-width="3"'))
            self.text(x + width / 2, y - 6, "▼", size=11, anchor="middle")
        add(_box(x + 0.5, y + 0.5, width - 1, height - 1, fill, border, f'rx="3"{dashed}'))
        if look.border == "double":
            add(_box(x + 2.5, y + 2.5, width - 5, height - 5, "none", look.text, ""))
        small = height < 30
        if name:
            self.text(x + 4, y + 13, name, size=12, colour=look.text)
        if mark:
            low = y + height / 2 + 4 if small or not name else y + height - 9
            size = 12 if small or len(mark) > 3 else 14
            self.text(x + width / 2, low, mark, size=size, colour=look.text, anchor="middle")
        if tab:
            cached = STATES["cached"]
            add(_box(x + width - 12, y, 12, 13, cached.fill or "", INK, ""))
            self.text(x + width - 6, y + 10, tab, size=11, colour=cached.text, anchor="middle")
        if 0 < part < 1:
            add(_box(x + 4, y + height - 6, width - 8, 3, "none", look.text, ""))
            add(_box(x + 4, y + height - 6, (width - 8) * part, 3, look.text, "none", ""))

    def line(
        self, points: Sequence[tuple[float, float]], *, colour: str = LINE, width: float = 1.5
    ) -> None:
        """A line through these points."""
        path = " ".join(f"{x:g},{y:g}" for x, y in points)
        self._parts.append(
            f'<polyline points="{path}" fill="none" stroke="{colour}" stroke-width="{width:g}"/>'
        )

    def box(
        self, x: float, y: float, width: float, height: float, fill: str, border: str = INK
    ) -> None:
        """A plain rectangle."""
        self._parts.append(_box(x, y, width, height, fill, border, ""))

    def dot(self, x: float, y: float, radius: float, fill: str, border: str) -> None:
        """A circle."""
        self._parts.append(
            f'<circle cx="{x:g}" cy="{y:g}" r="{radius:g}" fill="{fill}" stroke="{border}"/>'
        )

    def svg(self) -> str:
        """The finished picture, on a light page of its own."""
        height = round(self.y + MARGIN)
        return (
            f'<svg xmlns="http://www.w3.org/2000/svg" width="{self.width}" height="{height}" '
            f'viewBox="0 0 {self.width} {height}" font-family="{escape(FONT)}">'
            f"<defs>{PATTERNS}</defs>"
            f'<rect width="{self.width}" height="{height}" fill="{PAGE}"/>'
            f"{''.join(self._parts)}</svg>"
        )


def image(svg: str, alt: str) -> str:
    """HTML that shows ``svg`` as an image with ``alt``; safe in a notebook nobody trusts yet."""
    data = base64.b64encode(svg.encode()).decode()
    width, height = svg.split('width="')[1].split('"')[0], svg.split('height="')[1].split('"')[0]
    return (
        f'<img src="data:image/svg+xml;base64,{data}" alt="{escape(alt)}" '
        f'width="{width}" height="{height}">'
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


def _box(x: float, y: float, width: float, height: float, fill: str, border: str, more: str) -> str:
    return (
        f'<rect x="{x:g}" y="{y:g}" width="{width:g}" height="{height:g}" fill="{fill}" '
        f'stroke="{border}" {more}/>'
    )


__all__ = ["INK", "LINE", "MARGIN", "MUTED", "PAGE", "WIDTH", "Sheet", "image", "wrapped"]

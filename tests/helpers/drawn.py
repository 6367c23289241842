"""Read a drawn sheet back: its texts, and its cells by their state."""

import xml.etree.ElementTree as ET

from workbook.stills.looks import STATES, paint
from workbook.stills.sheet import Sheet

SVG = "{http://www.w3.org/2000/svg}"
# A cell's ground tells its state: a hatch, a fill, or nothing at all.
GROUNDS = {
    f"url(#{name})" if look.hatch else paint(look.fill): name for name, look in STATES.items()
}


def elements(sheet: Sheet, kind: str) -> list[ET.Element]:
    """All shapes of this kind, in the order in which they were drawn."""
    root = ET.fromstring(sheet.svg())
    tiles = {shape for tile in root.iter(f"{SVG}pattern") for shape in tile.iter()}
    return [shape for shape in root.iter(SVG + kind) if shape not in tiles]


def texts(sheet: Sheet) -> list[str]:
    """What is written."""
    return [text.text or "" for text in elements(sheet, "text")]


def cells(sheet: Sheet, *states: str) -> list[ET.Element]:
    """The cells in one of these states; all without."""
    rounded = [box for box in elements(sheet, "rect") if box.get("rx")]
    return [box for box in rounded if not states or GROUNDS[box.get("fill", "")] in states]


def looks(sheet: Sheet) -> list[str]:
    """The state of each cell."""
    return [GROUNDS[cell.get("fill", "")] for cell in cells(sheet)]


def arrows(sheet: Sheet) -> int:
    """How many arrows there are; each has a line and a head."""
    return sum("z" not in path.get("d", "") for path in elements(sheet, "path"))

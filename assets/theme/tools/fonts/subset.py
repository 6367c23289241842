"""Cut the two families down to what the book prints, and draw the signs that neither has.

Run it when `tests/web/test_type.py` names a sign that is missing; in this folder:

    npm ci && pip install -r requirements.txt && python subset.py

It writes ``static/fonts``. The same inputs give the same bytes: nothing depends on the day.
"""

import hashlib
import io
import json
from collections.abc import Callable
from pathlib import Path

from fontTools import subset
from fontTools.fontBuilder import FontBuilder
from fontTools.pens.cu2quPen import Cu2QuPen
from fontTools.pens.ttGlyphPen import TTGlyphPen
from fontTools.ttLib import TTFont
from fontTools.varLib import instancer

HERE = Path(__file__).parent
PACKAGES = HERE / "node_modules"
LITERATA = PACKAGES / "@fontsource-variable" / "literata"
COMMIT_MONO = PACKAGES / "@fontsource" / "commit-mono"
OUT = HERE.parents[1] / "static" / "fonts"

ASCII = "".join(map(chr, range(0x20, 0x7F)))
LATIN = (
    "\u00a0¡§©«®°±²³µ·¹»¼½¾¿×÷ÀÁÂÄÅÆÇÈÉÊËÍÎÏÑÓÔÖØÚÜßàáâãäåæçèéêëìíîïñòóôõöøùúûüýÿčćšžőłŁŠŽ"
    "–—‘’‚“”„…†•‰′″€−™\u2011\u2009\u202f"
)
PROSE = ASCII + LATIN
CODE = (
    PROSE + "→←↑↓↔↗↩⇒≤≥≠≈√∑∏∞∈∂∆⁻⁰¹²³⁴ⁿ│─┌┐└┘├┤┬┴┼█▏▎▍▌▋▊▉░▒▓■□▪●○◆▲▼◀▶✓✗"
    "αβγδεθλμπρσφωΔΣΩ☐☑"
)
PROSE_FEATURES = "kern liga calt onum lnum tnum pnum ccmp mark locl frac sups".split()
CODE_FEATURES = ["ccmp", "mark"]
KEPT_NAMES = [*range(7), 13, 14]  # copyright, family, licence

UNITS = 1000
WIDTH = 600  # of every sign: the mono's grid


def cut(source: Path, name: str, text: str, features: list[str], weights: object = None) -> None:
    """Write the part of one font that ``text`` needs; ``weights`` limits a variable one."""
    font = TTFont(source, recalcTimestamp=False)
    if weights is not None:
        font = instancer.instantiateVariableFont(font, {"wght": weights})
        font.flavor, plain = None, io.BytesIO()
        font.save(plain)
        plain.seek(0)
        font = TTFont(plain, recalcTimestamp=False)
    options = subset.Options()
    options.flavor = "woff2"
    options.layout_features = features
    options.hinting = False
    options.desubroutinize = True
    options.notdef_outline = True
    options.name_IDs = KEPT_NAMES
    cutter = subset.Subsetter(options)
    cutter.populate(text=text)
    cutter.subset(font)
    subset.save_font(font, OUT / name, options)


def _circle(pen: TTGlyphPen, radius: float, *, hole: bool = False) -> None:
    """Draw a circle around the middle of the stopwatch."""
    curves = Cu2QuPen(pen, 1.0, reverse_direction=hole)
    middle, handle = WIDTH / 2, 0.5523 * radius
    east, north, west, south = middle + radius, middle + radius, middle - radius, middle - radius
    curves.moveTo((east, middle))
    curves.curveTo((east, middle - handle), (middle + handle, south), (middle, south))
    curves.curveTo((middle - handle, south), (west, middle - handle), (west, middle))
    curves.curveTo((west, middle + handle), (middle - handle, north), (middle, north))
    curves.curveTo((middle + handle, north), (east, middle + handle), (east, middle))
    curves.closePath()


def _polygon(pen: TTGlyphPen, *points: tuple[int, int]) -> None:
    pen.moveTo(points[0])
    for point in points[1:]:
        pen.lineTo(point)
    pen.closePath()


def stopwatch() -> object:
    """A ring, a crown with its stem, and one hand."""
    pen = TTGlyphPen(None)
    _circle(pen, 270)
    _circle(pen, 210, hole=True)
    _polygon(pen, (220, 700), (380, 700), (380, 640), (220, 640))
    _polygon(pen, (270, 660), (330, 660), (330, 540), (270, 540))
    _polygon(pen, (272, 300), (300, 328), (452, 452), (420, 480), (272, 340))
    return pen.glyph()


def bracket(*, right: bool) -> object:
    """An angle bracket."""
    points = [(400, 760), (200, 300), (400, -160), (330, -160), (130, 300), (330, 760)]
    pen = TTGlyphPen(None)
    _polygon(pen, *([(WIDTH - x, y) for x, y in reversed(points)] if right else points))
    return pen.glyph()


def corner(*, right: bool, floor: bool) -> object:
    """One half of "rounded up" or "rounded down": a stem with a foot, at its top or bottom."""
    outline = [(340, 760), (340, -160), (410, -160), (410, 690), (550, 690), (550, 760)]
    points = [(x, 600 - y) for x, y in reversed(outline)] if floor else outline
    pen = TTGlyphPen(None)
    mirrored = [(WIDTH - x, y) for x, y in reversed(points)]
    _polygon(pen, *reversed(mirrored if right else points))
    return pen.glyph()


SIGNS: dict[str, tuple[str, Callable[[], object]]] = {
    "stopwatch": ("⏱", stopwatch),
    "langle": ("⟨", lambda: bracket(right=False)),
    "rangle": ("⟩", lambda: bracket(right=True)),
    "lceil": ("⌈", lambda: corner(right=False, floor=False)),
    "rceil": ("⌉", lambda: corner(right=True, floor=False)),
    "lfloor": ("⌊", lambda: corner(right=False, floor=True)),
    "rfloor": ("⌋", lambda: corner(right=True, floor=True)),
}


def draw_signs(name: str) -> None:
    """Write "Book Signs", our own font of the signs that neither family has."""
    glyphs = [".notdef", *SIGNS]
    font = FontBuilder(UNITS, isTTF=True)
    font.setupGlyphOrder(glyphs)
    font.setupCharacterMap({ord(sign): glyph for glyph, (sign, _) in SIGNS.items()})
    drawn = {glyph: draw() for glyph, (_, draw) in SIGNS.items()}
    font.setupGlyf({".notdef": TTGlyphPen(None).glyph(), **drawn})
    font.setupHorizontalMetrics({glyph: (WIDTH, 0) for glyph in glyphs})
    font.setupHorizontalHeader(ascent=900, descent=-200)
    font.setupNameTable(
        {
            "familyName": "Book Signs",
            "styleName": "Regular",
            "copyright": "MIT, Paged Attention, Cell by Cell",
        }
    )
    font.setupOS2(sTypoAscender=900, sTypoDescender=-200)
    font.setupPost()
    font.font.recalcTimestamp = False
    font.font["head"].created = font.font["head"].modified = 0
    font.font.flavor = "woff2"
    font.save(OUT / name)


def write_index() -> None:
    """Write which signs each file has, and its hash, so that a test needs no font library."""
    index = {}
    for path in sorted(OUT.glob("*.woff2")):
        signs = "".join(map(chr, sorted(TTFont(path).getBestCmap())))
        index[path.name] = {"sha256": hashlib.sha256(path.read_bytes()).hexdigest(), "signs": signs}
        print(f"{path.name}: {path.stat().st_size / 1000:.1f} kB, {len(signs)} signs")
    text = json.dumps(index, indent=2, ensure_ascii=False)
    (OUT / "index.json").write_text(text + "\n", encoding="utf-8")


def main() -> None:
    """Write all fonts, their licences and their index."""
    OUT.mkdir(parents=True, exist_ok=True)
    literata = str(LITERATA / "files" / "literata-latin-wght-{}.woff2")
    cut(Path(literata.format("normal")), "literata.woff2", PROSE, PROSE_FEATURES, (400, 700))
    cut(Path(literata.format("italic")), "literata-italic.woff2", PROSE, PROSE_FEATURES, 400)
    commit = str(COMMIT_MONO / "files" / "commit-mono-latin-{}-normal.woff2")
    cut(Path(commit.format(400)), "commit-mono.woff2", CODE, CODE_FEATURES)
    cut(Path(commit.format(700)), "commit-mono-bold.woff2", CODE, CODE_FEATURES)
    draw_signs("signs.woff2")
    for package, name in ((LITERATA, "LITERATA-OFL.txt"), (COMMIT_MONO, "COMMIT-MONO-OFL.txt")):
        licence = (package / "LICENSE").read_text(encoding="utf-8")
        (OUT / name).write_text(licence, encoding="utf-8", newline="\n")
    write_index()


if __name__ == "__main__":
    main()

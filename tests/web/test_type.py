"""The book's type: every sign that a page shows is in a font that travels with it."""

import hashlib
import json
import re
from html.parser import HTMLParser
from pathlib import Path

from helpers.web import ROOT

FONTS = ROOT / "assets" / "theme" / "static" / "fonts"
WHITE = set(" \n\t\r\u00ad\u200b\ufeff")
# What a page shows without text of ours: the picture module's own symbols come with it.
UNSEEN = {"script", "style", "title"}


def index() -> dict[str, dict[str, str]]:
    """File names with hash and signs, as the tool that cuts the fonts wrote them."""
    found: dict[str, dict[str, str]] = json.loads((FONTS / "index.json").read_text("utf-8"))
    return found


class _Words(HTMLParser):
    """All text of a page that a reader sees, without mathematics, which has fonts of its own."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.signs: set[str] = set()
        self._hidden = 0
        self._math: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if self._math or "katex" in (dict(attrs).get("class") or "").split():
            self._math.append(tag)
        self._hidden += tag in UNSEEN

    def handle_endtag(self, tag: str) -> None:
        if self._math:
            while self._math and self._math.pop() != tag:
                pass
        self._hidden -= tag in UNSEEN

    def handle_data(self, data: str) -> None:
        if not self._hidden and not self._math:
            self.signs |= set(data)


def test_the_fonts_are_those_that_the_tool_wrote() -> None:
    written = index()
    assert {path.name for path in FONTS.glob("*.woff2")} == set(written)
    for name, about in written.items():
        assert hashlib.sha256((FONTS / name).read_bytes()).hexdigest() == about["sha256"], name


def test_both_families_carry_their_licence_and_stay_small() -> None:
    for name in ("LITERATA", "COMMIT-MONO"):
        assert "SIL OPEN FONT LICENSE" in (FONTS / f"{name}-OFL.txt").read_text("utf-8").upper()
    assert sum(path.stat().st_size for path in FONTS.glob("*.woff2")) < 80_000


def test_every_sign_of_the_book_is_in_a_font(site: Path) -> None:
    known = set().union(*(about["signs"] for about in index().values())) | WHITE
    missing: dict[str, list[str]] = {}
    for path in sorted(site.rglob("*.html")):
        words = _Words()
        words.feed(path.read_text(encoding="utf-8"))
        for sign in words.signs - known:
            missing.setdefault(f"{sign} U+{ord(sign):04X}", []).append(path.parent.name)
    assert missing == {}, "add them in assets/theme/tools/fonts/subset.py, or write otherwise"


def test_the_styles_name_the_fonts_that_are_there() -> None:
    styles = (ROOT / "assets/theme/static/css/base.css").read_text("utf-8")
    assert set(re.findall(r'url\("fonts/([\w-]+\.woff2)"\)', styles)) == set(index())

"""Photograph the front page's opening as ``static/card.png``: others show it beside a link to us.

Run it when the opening changed, with Chromium and Node: .venv/bin/python assets/theme/tools/card.py
"""

import tempfile
from pathlib import Path

from playwright.sync_api import sync_playwright

from bookbuild.book import ROOT
from bookbuild.web.build import build
from bookbuild.web.serve import serving
from bookbuild.web.tools import chromium, theme_folder

WIDTH, HEIGHT = 1200, 630  # what those who show cards ask for
PAGE_WIDTH = 1260  # the narrowest with title and picture side by side
ALONE = """
.top, .starts, .going-on, .sums, .walk-bar, .text.front, .page-footer { display: none !important; }
.layout { align-content: center; min-height: 100vh; }
"""


def main() -> None:
    """Build the book aside, open it in Chromium and keep the picture."""
    scale = WIDTH / PAGE_WIDTH
    size = {"width": PAGE_WIDTH, "height": round(HEIGHT / scale)}
    flags = ["--no-sandbox", "--disable-gpu", "--disable-background-networking"]
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        build(ROOT, Path(folder) / "html")
        browser = playwright.chromium.launch(executable_path=chromium(), args=flags)
        page = browser.new_page(viewport=size, device_scale_factor=scale, bypass_csp=True)
        with serving(Path(folder) / "html") as address:
            page.goto(f"{address}/")
            page.add_style_tag(content=ALONE)
            page.evaluate("document.fonts.ready")
            page.wait_for_timeout(500)
            page.screenshot(path=theme_folder(ROOT) / "static" / "card.png")
        browser.close()


if __name__ == "__main__":
    main()

"""Somebody at a page that runs: a small chapter, and a worker that plays Python."""

import json
import subprocess
from pathlib import Path
from typing import Any

from helpers.web import BASE, ROOT, Visit

from workbook.widgets import bundle


def draw_small_chapter(node: str, folder: Path) -> None:
    """Let the theme draw the chapter of ``small_chapter.mjs`` into ``folder``."""
    script = ROOT / "tests" / "web" / "small_chapter.mjs"
    made = subprocess.run([node, script, folder, BASE], capture_output=True, text=True, check=False)
    assert made.returncode == 0, made.stderr
    for name, text in (("pictures.js", bundle.module()), ("pictures.css", bundle.style())):
        (folder / "theme" / name).write_text(text, encoding="utf-8")


def message(**parts: Any) -> str:
    """A line that makes the worker say something."""
    return f"# say {json.dumps(parts)}"


def prints(text: str) -> str:
    return message(kind="stream", name="stdout", text=text)


class Reader(Visit):
    """Somebody at the small chapter."""

    def begin(self) -> Any:
        """Open the page and press the button; cells are there then."""
        page = self.open("/small/")
        self.press("Run this page")
        self.wait_for(".run-bar", count=12)
        return page

    def press(self, name: str) -> None:
        self.page.get_by_role("button", name=name, exact=True).click()

    def wait_for(self, selector: str, text: str | None = None, count: int | None = None) -> Any:
        """Wait until what is there has this text, or is there so many times."""
        from playwright.sync_api import expect

        found = self.page.locator(selector)
        if count is not None:
            expect(found).to_have_count(count)
        if text is not None:
            expect(found).to_contain_text(text)
        return found

    def hears(self, text: str) -> None:
        self.wait_for(".run-says", text)

    def field(self, cell: str) -> Any:
        return self.page.locator(f"#{cell} textarea")

    def run(self, cell: str, text: str | None = None) -> None:
        """Run a cell by its keys, after putting another text in."""
        if text is not None:
            self.field(cell).fill(text)
        self.field(cell).press("Control+Enter")

    def mark(self, cell: str, text: str) -> None:
        self.wait_for(f"#{cell} .run-mark", text)

    def kept(self) -> Any:
        return self.page.evaluate("JSON.parse(localStorage.getItem('book-answers') ?? 'null')")

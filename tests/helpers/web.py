"""The pages of the web book as myst.yml names them, and visits to them."""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import yaml

ROOT = Path(__file__).parents[2]
BASE = "/a/book"  # where the tests' server has the pages
PATIENCE = 120_000  # milliseconds that a busy machine may take for what a test waits for


def _files(entries: list[dict[str, Any]]) -> Iterator[str]:
    for entry in entries:
        if "file" in entry:
            yield entry["file"]
        yield from _files(entry.get("children", []))


def address_of(file: str) -> str:
    """``chapters/02_the_block_allocator.ipynb`` is at ``/the-block-allocator/``."""
    return "/" + re.sub(r"^\d+_", "", Path(file).stem).replace("_", "-") + "/"


def addresses() -> list[str]:
    """All pages in order; the front page first."""
    toc = yaml.safe_load((ROOT / "myst.yml").read_text(encoding="utf-8"))["project"]["toc"]
    return ["/", *[address_of(file) for file in list(_files(toc))[1:]]]


PAGES = addresses()
CHAPTERS = [
    address_of(path.name)
    for path in sorted((ROOT / "chapters").glob("*.ipynb"))
    if address_of(path.name) in PAGES
]


class Visit:
    """One page in a window of its own, and what it did that it should not have done."""

    def __init__(self, context: Any, address: str) -> None:
        self.context, self.address = context, address
        context.set_default_timeout(PATIENCE)
        self.page = context.new_page()
        self.outside: list[str] = []
        self.console: list[str] = []
        self.page.on("console", lambda message: self.console.append(message.text))
        self.page.on("pageerror", lambda error: self.console.append(str(error)))
        self.page.on("requestfailed", lambda request: self.console.append(f"no {request.url}"))
        self.page.on("request", self._note)

    def _note(self, request: Any) -> None:
        """Outside requests are noted here; ``FLAGS`` of the browser let none of them leave."""
        if not request.url.startswith((self.address.rsplit(BASE, 1)[0], "data:", "blob:")):
            self.outside.append(request.url)

    def open(self, path: str) -> Any:
        """Load the page at ``path`` (``/glossary/``) and wait until it has settled."""
        response = self.page.goto(f"{self.address}{path}", wait_until="load")
        assert response
        assert response.status == 200, path
        return self.page

    def scroll_through(self) -> None:
        """Go down to the end, so that everything that waits for being seen is loaded."""
        self.page.evaluate(
            """async () => {
                const rest = () => new Promise((go) => requestAnimationFrame(() => setTimeout(go)));
                for (let y = 0; y < document.body.scrollHeight; y += innerHeight) {
                    scrollTo(0, y);
                    await rest();
                }
                scrollTo(0, 0);
                // What waits for a guess is not loaded before it.
                const seen = [...document.images].filter((image) => image.checkVisibility());
                await Promise.all(seen.map((image) => image.decode()));
            }"""
        )

    def pictures_ready(self) -> None:
        """Go to each live picture and wait until it is drawn; one that waits for a guess is not."""
        for host in self.page.locator(".pa-host").element_handles():
            if not host.evaluate("(host) => host.checkVisibility()"):
                continue
            # Quick scrolling may have passed before the page's script was there to see it.
            host.evaluate("(host) => host.scrollIntoView({block: 'nearest'})")
            self.page.wait_for_function("(host) => host.dataset.state", arg=host)
        self.page.evaluate("scrollTo(0, 0)")
        states = self.page.eval_on_selector_all(
            ".pa-host",
            "(all) => all.filter((h) => h.checkVisibility()).map((host) => host.dataset.state)",
        )
        assert set(states) <= {"ready"}

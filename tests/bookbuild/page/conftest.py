"""A page's kernel that keeps its messages."""

from collections.abc import Iterator
from typing import Any

import pytest

from bookbuild.page.kernel import PageKernel


class Heard:
    """A kernel, and what it said."""

    def __init__(self) -> None:
        self.messages: list[dict[str, Any]] = []
        self.kernel = PageKernel(self.messages.append)

    def run(self, source: str, cell: str = "c", line: int = 1) -> list[dict[str, Any]]:
        """Run one cell; its messages."""
        self.messages.clear()
        self.result = self.kernel.run(cell, source, line)
        return self.messages

    def text(self, source: str) -> str:
        """What a cell prints and shows, as plain text."""
        return "".join(
            message.get("text") or message.get("data", {}).get("text/plain", "")
            for message in self.run(source)
        )


@pytest.fixture
def page() -> Iterator[Heard]:
    """A page's kernel."""
    heard = Heard()
    yield heard
    heard.kernel.close()

"""What both panels leave in a notebook, and the widget that they are while a kernel runs.

A notebook keeps data, a still picture and text, from the moment when the cell ran; where a kernel
runs, the widget is shown instead and nothing of it is stored.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from workbook.digest import digest
from workbook.stills.output import image
from workbook.stills.sheet import Sheet
from workbook.widgets import bundle
from workbook.widgets.common.picture import WIDGET_VIEW, in_a_kernel

MIME = "application/vnd.paged-attention.panel+json"
VIEW = Path(__file__).parent / "view"


@dataclass(eq=False, repr=False)
class Panel:
    """The value of a cell. ``data`` names neither address nor time: it is the same in every run."""

    name: str
    data: dict[str, Any]
    lines: Sequence[str]
    alt: str
    draw: Callable[[Sheet], None]
    make: Callable[[], Any]  # the widget

    @property
    def text(self) -> str:
        """The facts, then a digest of the data."""
        *facts, last = self.lines
        return "\n".join([*facts, f"{last.rstrip('.')}; sha256 {digest(self.data)}"])

    @property
    def svg(self) -> str:
        """The still form."""
        sheet = Sheet()
        self.draw(sheet)
        return sheet.svg()

    def __str__(self) -> str:
        return self.text

    def __repr__(self) -> str:
        return f"<{self.name}: {self.lines[0]}>"

    def _repr_mimebundle_(self, **_: Any) -> dict[str, Any]:
        shown = {MIME: self.data, "text/html": image(self.svg, self.alt), "text/plain": self.text}
        if in_a_kernel():
            model = self.make().model_id
            shown[WIDGET_VIEW] = {"version_major": 2, "version_minor": 0, "model_id": model}
        return shown


@cache
def module() -> str:
    """The panels' module, as a widget needs it."""
    return bundle.module(VIEW / "index.js")


@cache
def style() -> str:
    """Their style sheet, with what they share with the pictures."""
    return bundle.style((*bundle.COMMON, VIEW / "style.css"))

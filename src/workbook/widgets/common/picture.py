"""A picture as the value of a cell: data for the moving form, a still form, and text.

A notebook keeps three forms of it. The data has a mime type of its own, which the web book's pages
draw with the same module as the live widget; the still form is an image with its text, which shows
where scripts don't run and on paper; the text is what tests compare and what a terminal prints.
Where a kernel runs, the live widget is shown instead of all three, and nothing of it is stored.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from workbook.digest import digest
from workbook.stills.output import image
from workbook.stills.sheet import Sheet
from workbook.widgets.common.answer import Answer

MIME = "application/vnd.paged-attention.picture+json"
WIDGET_VIEW = "application/vnd.jupyter.widget-view+json"


@dataclass(frozen=True)
class Still:
    """One frame of the still form: what it shows in words, how to draw it, a note below it."""

    said: str
    draw: Callable[[Sheet], None]
    note: str = ""


@dataclass(eq=False, repr=False)
class Picture:
    """Make one with ``pool_picture`` and its sisters; put it last in a cell to show it.

    ``data``: JSON, what the module draws. ``lines``: the text form, a fact a line, the law last.
    ``answer``: how the engine in the kernel answers the picture's buttons, if it has any.
    """

    name: str
    data: dict[str, Any]
    lines: Sequence[str]
    stills: Sequence[Still]
    answer: Answer | None = None

    @property
    def text(self) -> str:
        """The facts, then the law with the digest of the data."""
        *facts, law = self.lines
        return "\n".join([*facts, f"{law.rstrip('.')}; sha256 {digest(self.data)}"])

    @property
    def alt(self) -> str:
        """What the still form shows, in a few sentences."""
        said = " ".join(
            f"Frame {number}: {still.said}" if len(self.stills) > 1 else still.said
            for number, still in enumerate(self.stills, 1)
        )
        return f"{self.name}. {said}"

    @property
    def svg(self) -> str:
        """The still form."""
        sheet = Sheet()
        for number, still in enumerate(self.stills):
            if number:
                sheet.space(10)
            sheet.paragraph(still.said)
            sheet.space(4)
            still.draw(sheet)
            if still.note:
                sheet.space(4)
                sheet.paragraph(still.note, colour="muted")
        return sheet.svg()

    def live(self) -> Any:
        """A widget of its own for this kernel: an anywidget with the trait ``data``."""
        from workbook.widgets.common.live import LivePicture

        return LivePicture(self.data, self.answer)

    def __str__(self) -> str:
        return self.text

    def __repr__(self) -> str:
        return f"<{self.name}: {self.lines[0]}>"

    def _repr_mimebundle_(self, **_: Any) -> dict[str, Any]:
        bundle = {MIME: self.data, "text/html": image(self.svg, self.alt), "text/plain": self.text}
        if in_a_kernel():
            bundle[WIDGET_VIEW] = {
                "version_major": 2,
                "version_minor": 0,
                "model_id": self.live().model_id,
            }
        return bundle


def in_a_kernel() -> bool:
    """Whether there is a page at the other end that could show a widget."""
    try:
        from IPython import get_ipython
    except ImportError:
        return False
    shell = get_ipython()
    return getattr(shell, "kernel", None) is not None

"""Put a still picture under its cell: an image with alternative text, then a caption and a digest.

Sheets and matplotlib's figures go the same way. The image is SVG inside ``text/html``, the one form
that also an untrusted notebook shows. Sheets are the same on every machine, and compared; the lines
of a chart are left out of comparisons (``bookbuild/measured.cfg``), its digest stands for them.
"""

import base64
import html
import re
from typing import TYPE_CHECKING, Any

from workbook.digest import digest
from workbook.stills.chart_or_stub import Undrawn
from workbook.stills.sheet import Sheet

if TYPE_CHECKING:
    from matplotlib.figure import Figure

MIN_ALT = 20
_SIZE = re.compile(r'<svg\b[^>]*?\bwidth="([\d.]+)"[^>]*?\bheight="([\d.]+)"')


def show(figure: "Sheet | Figure", *, alt: str, caption: str, data: Any) -> None:
    """Display the figure as an image with ``alt``, then the caption and ``data``'s digest.

    ``alt`` says what the picture shows to someone who cannot see it, in at least 20 characters.
    ``data`` is what the picture was drawn from. Uses a matplotlib figure up. Where matplotlib is
    missing a chart is its alternative text alone, with the same caption and digest.
    """
    alt, caption = " ".join(alt.split()), " ".join(caption.split())
    if len(alt) < MIN_ALT:
        raise ValueError(
            f"alt must say what the picture shows in {MIN_ALT} characters, got {alt!r}"
        )
    if not caption:
        raise ValueError("a picture needs a caption: not every reader's page shows the alt text")
    mark = digest(data)
    visible = f"{_inline(caption)} <small>data <code>{mark}</code></small>"
    _emit({"text/html": _image(figure, alt), "text/plain": alt})
    _emit(
        {
            "text/html": f'<p class="figure-caption">{visible}</p>',
            "text/plain": f"{caption} [data {mark}]",
        }
    )


def image(svg: str, alt: str, kind: str = "pa-still") -> str:
    """HTML that shows ``svg`` as an image with ``alt``; safe in a notebook nobody trusts yet."""
    data = base64.b64encode(svg.encode()).decode()
    found = _SIZE.search(svg)
    assert found is not None
    return (
        f'<img class="{kind}" src="data:image/svg+xml;base64,{data}" alt="{html.escape(alt)}" '
        f'width="{round(float(found[1]))}" height="{round(float(found[2]))}">'
    )


def _image(figure: "Sheet | Figure", alt: str) -> str:
    if isinstance(figure, Sheet):
        return image(figure.svg(), alt)
    if isinstance(figure, Undrawn):
        return f'<p class="pa-still">{html.escape(alt)}</p>'
    from workbook.stills.chart import themed_svg

    return image(themed_svg(figure), alt, "pa-still pa-chart")


def _emit(bundle: dict[str, Any]) -> None:
    try:
        from IPython.display import display
    except ModuleNotFoundError:  # a program, or a page that runs Python by itself
        print(bundle["text/plain"])
        return
    display(bundle, raw=True)  # type: ignore[no-untyped-call]


def _inline(text: str) -> str:
    """Captions know two marks, ``code`` between backticks and **bold** between double stars."""
    safe = html.escape(text, quote=False)
    safe = re.sub(r"`([^`]+)`", r"<code>\1</code>", safe)
    return re.sub(r"\*\*([^*]+)\*\*", r"<strong>\1</strong>", safe)

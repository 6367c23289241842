"""Open a figure in the house style, and show it with alternative text, a caption and a digest."""

import base64
import hashlib
import html
import json
import re
from typing import Any

import matplotlib as mpl
from cycler import cycler
from IPython.display import display as _display
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from workbook.stills.states import INK, LINE, MARKERS, MUTED, PAGE, SERIES
from workbook.stills.themed import GRID, themed_svg

SHOWN_DPI = 96  # a text of 9 points is 12 pixels high
MIN_ALT = 20
STYLE: dict[Any, Any] = {
    "font.family": "DejaVu Sans",  # comes with matplotlib: the same on every machine
    "font.size": 10,
    "text.color": INK,
    "axes.edgecolor": LINE,
    "axes.labelcolor": INK,
    "axes.titlesize": 11,
    "axes.titlelocation": "left",
    "axes.facecolor": PAGE,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.grid": True,
    "axes.axisbelow": True,
    "axes.prop_cycle": cycler(color=SERIES) + cycler(marker=MARKERS),
    "grid.color": GRID,
    "xtick.color": MUTED,
    "ytick.color": MUTED,
    "figure.facecolor": PAGE,
    "legend.frameon": False,
}


def canvas(width: float = 7.2, height: float = 3.0) -> tuple[Figure, Axes]:
    """A figure of this size in inches with one pair of axes. pyplot never hears of it."""
    with mpl.rc_context(STYLE):
        figure = Figure(figsize=(width, height), layout="constrained")
        return figure, figure.subplots()


def show(figure: Figure, *, alt: str, caption: str, data: Any) -> None:
    """Display the figure as a drawing with ``alt`` as its text, then caption and ``data``'s digest.

    ``alt`` says what the picture shows to someone who cannot see it, in at least 20 characters. A
    changed picture is noticed through ``data``: lines are not compared, the digest is. Uses the
    figure up.
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
    _emit(_image(figure, alt), alt)
    _emit(f'<p class="figure-caption">{visible}</p>', f"{caption} [data {mark}]")
    figure.clear()


def _emit(html: str, text: str) -> None:
    _display({"text/html": html, "text/plain": text}, raw=True)  # type: ignore[no-untyped-call]


def _image(figure: Figure, alt: str) -> str:
    """An ``<img>`` with the drawing in it, which a notebook shows before it is trusted, too.

    ``measured.cfg`` knows its beginning: comparisons leave the drawing out.
    """
    width, height = (round(inches * SHOWN_DPI) for inches in figure.get_size_inches())
    drawing = base64.b64encode(themed_svg(figure).encode()).decode()
    return (
        f'<img class="chart" src="data:image/svg+xml;base64,{drawing}" '
        f'alt="{html.escape(alt)}" width="{width}" height="{height}">'
    )


def digest(data: Any) -> str:
    """The first 12 hex digits of SHA-256 over the data as JSON; floats count to 6 decimals."""
    text = json.dumps(_plain(data), sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    return hashlib.sha256(text.encode()).hexdigest()[:12]


def _plain(data: Any) -> Any:
    if hasattr(data, "tolist"):  # a tensor or an array
        data = data.tolist()
    if isinstance(data, float):
        return round(data, 6)
    if isinstance(data, dict):
        return {str(key): _plain(value) for key, value in data.items()}
    if isinstance(data, (list, tuple)):
        return [_plain(value) for value in data]
    if data is None or isinstance(data, (int, str)):
        return data
    raise TypeError(f"the data behind a picture is numbers, texts, lists and dicts, got {data!r}")


def _inline(text: str) -> str:
    """Captions know two marks, ``code`` between backticks and **bold** between double stars."""
    safe = html.escape(text, quote=False)
    safe = re.sub(r"`([^`]+)`", r"<code>\1</code>", safe)
    return re.sub(r"\*\*([^*]+)\*\*", r"<strong>\1</strong>", safe)

"""Open a figure in the house style, and show it with alternative text, a caption and a digest."""

import hashlib
import html
import io
import json
import re
from typing import Any

import matplotlib as mpl
from cycler import cycler
from IPython.display import display as _display
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from workbook.stills.states import INK, LINE, MARKERS, MUTED, PAGE, SERIES

SHOWN_DPI = 96  # a text of 9 points is 12 pixels high
DPI = 2 * SHOWN_DPI  # for screens with fine pixels
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
    "grid.color": "#E4E4E4",
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
    """Display the figure as PNG with ``alt`` as its text, then the caption and ``data``'s digest.

    ``alt`` says what the picture shows to someone who cannot see it, in at least 20 characters. A
    changed picture is noticed through ``data``: pixels are not compared, the digest is. Uses the
    figure up.
    """
    alt, caption = " ".join(alt.split()), " ".join(caption.split())
    if len(alt) < MIN_ALT:
        raise ValueError(
            f"alt must say what the picture shows in {MIN_ALT} characters, got {alt!r}"
        )
    if not caption:
        raise ValueError("a picture needs a caption: not every reader's page shows the alt text")
    width, height = figure.get_size_inches()
    sizes = {"width": round(width * SHOWN_DPI), "height": round(height * SHOWN_DPI)}
    mark = digest(data)
    visible = f"{_inline(caption)} <small>data <code>{mark}</code></small>"
    _emit({"image/png": _png(figure), "text/plain": alt}, {"image/png": sizes})
    _emit(
        {
            "text/html": f'<p class="figure-caption">{visible}</p>',
            "text/plain": f"{caption} [data {mark}]",
        },
        {},
    )
    figure.clear()


def _emit(bundle: dict[str, Any], metadata: dict[str, Any]) -> None:
    _display(bundle, metadata=metadata, raw=True)  # type: ignore[no-untyped-call]


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


def _png(figure: Figure) -> bytes:
    buffer = io.BytesIO()
    # Without the Software entry the bytes would name matplotlib's version.
    figure.savefig(buffer, format="png", dpi=DPI, facecolor=PAGE, metadata={"Software": None})
    return buffer.getvalue()


def _inline(text: str) -> str:
    """Captions know two marks, ``code`` between backticks and **bold** between double stars."""
    safe = html.escape(text, quote=False)
    safe = re.sub(r"`([^`]+)`", r"<code>\1</code>", safe)
    return re.sub(r"\*\*([^*]+)\*\*", r"<strong>\1</strong>", safe)

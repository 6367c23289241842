"""The common language of all pictures: one look for each state of a block or slot.

Colours are Okabe and Ito's. The text on each fill has a contrast of at least 5:1, and every filled
cell has an ink border, since some fills are pale on white.
"""

from dataclasses import dataclass
from typing import Literal

INK = "#1A1A1A"
MUTED = "#595959"
LINE = "#767676"
PAGE = "#FFFFFF"
SERIES = ("#0072B2", "#D55E00", "#009E73", "#CC79A7")  # lines of a chart; label them directly
MARKERS = ("o", "s", "^", "D")


@dataclass(frozen=True)
class Look:
    """How a state is drawn: a fill (``None``: the page shows), the text on it, and a second cue."""

    fill: str | None
    text: str
    border: Literal["solid", "dashed", "double"] = "solid"
    hatch: str | None = None
    mark: str = ""


STATES = {
    "free": Look(None, MUTED, border="dashed"),
    "held": Look("#56B4E9", "#111111"),
    "shared": Look("#0072B2", "#FFFFFF", border="double"),
    "cached": Look("#009E73", "#111111", hatch="..", mark="c"),
    "reserved": Look(None, INK, hatch="///"),
    "copied": Look("#E69F00", "#111111", hatch="xx"),
    "other": Look("#C4C8CC", "#111111", mark="·"),
}
RESERVED_LINES = "#D55E00"
READ_RING = "#CC79A7"
READ_MARK = "▼"

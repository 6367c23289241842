"""A chart's ``canvas``, or a stand-in where matplotlib isn't installed, as in a browser's page.

The cell that plots can then still be run: nothing is drawn, and ``show`` gives the alternative
text, the caption and the digest of the data, which are the same everywhere.
"""

from typing import TYPE_CHECKING, Any, Self

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure


class Undrawn:
    """A figure or a part of one that draws nothing: has every method, and each gives it back."""

    def __getattr__(self, name: str) -> Self:
        if name.startswith("__"):
            raise AttributeError(name)
        return self

    def __call__(self, *_args: Any, **_kwargs: Any) -> Self:
        """Whatever was asked for, nothing is drawn."""
        return self


def canvas(width: float = 7.2, height: float = 3.0) -> "tuple[Figure, Axes]":
    """A figure of this size in inches with one pair of axes. pyplot never hears of it."""
    try:
        from workbook.stills.chart import canvas as drawn
    except ModuleNotFoundError as missing:
        if (missing.name or "").partition(".")[0] != "matplotlib":
            raise
        nothing: Any = Undrawn()
        return nothing, nothing
    return drawn(width, height)

"""Still pictures of the book: ``show`` puts one under its cell.

Cells (tables, pools, slots) are drawn by our own hand on a ``Sheet``, charts by matplotlib on a
``canvas``. Colour means the state of a block, never which sequence holds it, and never stands
alone. Nothing here loads matplotlib before a chart is drawn, or IPython before one is shown, and
without them a picture is its words: alternative text, caption, digest.
"""

from typing import TYPE_CHECKING

from paged_attention.lazy import lazy_names

if TYPE_CHECKING:
    from workbook.stills.chart_or_stub import canvas as canvas
    from workbook.stills.looks import STATES as STATES
    from workbook.stills.looks import Look as Look
    from workbook.stills.output import show as show
    from workbook.stills.pool import PoolStep as PoolStep
    from workbook.stills.pool import draw_pool_steps as draw_pool_steps
    from workbook.stills.sheet import Sheet as Sheet

_HOME = {
    "Look": "looks",
    "PoolStep": "pool",
    "STATES": "looks",
    "Sheet": "sheet",
    "canvas": "chart_or_stub",
    "draw_pool_steps": "pool",
    "show": "output",
}
__all__ = [
    "STATES",
    "Look",
    "PoolStep",
    "Sheet",
    "canvas",
    "draw_pool_steps",
    "show",
]


__getattr__, __dir__ = lazy_names(__name__, _HOME)

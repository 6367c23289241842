"""Still pictures of the book: ``canvas`` opens one, ``show`` puts it under its cell.

Colour means the state of a block, never which sequence holds it, and never stands alone: each state
has a second cue (border, hatch or mark). Pictures paint their own light page and can be read
on a dark one.
"""

from workbook.stills.figure import canvas, digest, show
from workbook.stills.pool import PoolStep, draw_pool_steps
from workbook.stills.states import INK, LINE, MUTED, PAGE, STATES, Look

__all__ = [
    "INK",
    "LINE",
    "MUTED",
    "PAGE",
    "STATES",
    "Look",
    "PoolStep",
    "canvas",
    "digest",
    "draw_pool_steps",
    "show",
]

"""A walk in C++ that a reader writes in a cell: judged, and timed, where it can harm nothing.

``check.walk(WALK)`` builds it as a program with sanitizers; ``stopwatch(WALK)`` times it in a
process of its own. Where there is no compiler both take a Python function instead.
"""

from typing import TYPE_CHECKING

from paged_attention.lazy import lazy_names

if TYPE_CHECKING:
    from workbook.walk.stopwatch import stopwatch as stopwatch

_HOME = {"stopwatch": "stopwatch"}
__all__ = ["stopwatch"]


__getattr__, __dir__ = lazy_names(__name__, _HOME)

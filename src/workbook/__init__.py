"""What the chapters use beside the engine: checks, recorded traces, pictures and demos.

``from workbook import check, compare, hint, mine, show`` is a chapter's one line. This package
looks at the engine (``paged_attention``); the engine never knows it. The names are loaded when
first used.
"""

from typing import TYPE_CHECKING

from paged_attention.lazy import lazy_names

if TYPE_CHECKING:
    from workbook.checks import check as check
    from workbook.checks import compare as compare
    from workbook.checks import hint as hint
    from workbook.checks import judge as judge
    from workbook.checks import mine as mine
    from workbook.checks.progress import progress as progress
    from workbook.classroom.share import share_progress as share_progress
    from workbook.classroom.share import stop_sharing as stop_sharing
    from workbook.stills import canvas as canvas
    from workbook.stills import show as show
    from workbook.walk.stopwatch import stopwatch as stopwatch

_HOME = {
    "canvas": "stills",
    "check": "checks",
    "compare": "checks",
    "hint": "checks",
    "judge": "checks",
    "mine": "checks",
    "progress": "checks.progress",
    "share_progress": "classroom.share",
    "show": "stills",
    "stop_sharing": "classroom.share",
    "stopwatch": "walk.stopwatch",
}
__all__ = [*_HOME]  # names, all of them strings


__getattr__, __dir__ = lazy_names(__name__, _HOME)

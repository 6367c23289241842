"""Record what the engine does as a small list of events, and replay it.

A recording cache is a subclass that runs the engine's own method and then notes what changed, so
the engine knows nothing of recording and pays nothing when nobody records. The same trace is what
the moving pictures draw, what tests compare and what ``workbook.words.story`` tells.

The recording caches need torch and are loaded when first used; traces and replays don't.
"""

from typing import TYPE_CHECKING

from paged_attention.lazy import lazy_names
from workbook.trace.recorder import Recorder
from workbook.trace.replay import Contradiction, Replay, replay, states
from workbook.trace.schema import Event, Trace
from workbook.trace.state import State

if TYPE_CHECKING:
    from workbook.trace.paged import RecordingPagedKVCache as RecordingPagedKVCache
    from workbook.trace.prefix import RecordingPrefixCache as RecordingPrefixCache
    from workbook.trace.sequences import RecordingSequences as RecordingSequences
    from workbook.trace.serving import RecordingMemory as RecordingMemory
    from workbook.trace.serving import RecordingScheduler as RecordingScheduler
    from workbook.trace.serving import recorded as recorded

_HOME = {
    "RecordingPagedKVCache": "paged",
    "RecordingPrefixCache": "prefix",
    "RecordingSequences": "sequences",
    "RecordingMemory": "serving",
    "RecordingScheduler": "serving",
    "recorded": "serving",
}
__all__ = [
    "Contradiction",
    "Event",
    "Recorder",
    "RecordingMemory",
    "RecordingPagedKVCache",
    "RecordingPrefixCache",
    "RecordingScheduler",
    "RecordingSequences",
    "Replay",
    "State",
    "Trace",
    "recorded",
    "replay",
    "states",
]


__getattr__, __dir__ = lazy_names(__name__, _HOME)

"""The pool of the book, with every state of a block in it."""

from paged_attention.errors import BlockPoolExhausted
from workbook.trace import RecordingPrefixCache
from workbook.widgets.common.recording import cache_with, grow


def pool_scene() -> RecordingPrefixCache:
    """12 blocks of 4: A over 7 2 11 5 9 0, B, its fork C, and block 4, which only the index holds.

    Step 9 is the fork.
    """
    cache = cache_with(12, 4, [4, 7, 2, 11, 5, 9, 3, 8, 0, 1, 6, 10])
    prefix = RecordingPrefixCache(cache)
    cache.create("earlier")
    grow(cache, "earlier", 4)
    prefix.remember("earlier", [1, 2, 3, 4])
    cache.free("earlier")
    prefix.start_trace()
    cache.create("A")
    grow(cache, "A", 20)
    cache.create("B")
    grow(cache, "B", 7)
    grow(cache, "A", 2)
    cache.fork("B", "C")
    grow(cache, "C", 1)
    cache.free("B")
    cache.reserve("A", 18)
    try:
        cache.reserve("C", 4)
    except BlockPoolExhausted:
        return prefix
    raise AssertionError("the last step of the scene is a refusal")

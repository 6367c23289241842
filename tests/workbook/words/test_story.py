"""A trace, told a step a line."""

import pytest
from helpers.traffic import write

from paged_attention.errors import BlockPoolExhausted
from workbook.trace import RecordingPagedKVCache
from workbook.words.story import story


def test_a_story() -> None:
    cache = RecordingPagedKVCache(1, 4, 4, 1, 1)
    cache.create("a")
    cache.reserve("a", 6)
    write(cache, "a", 6)
    cache.fork("a", "b")
    cache.reserve("b", 1)
    write(cache, "b", 1)
    with pytest.raises(BlockPoolExhausted):
        cache.reserve("b", 9)
    cache.truncate("b", 3)
    cache.free("a")
    assert story(cache.trace) == (
        "4 blocks of 4, 9 steps\n"
        "0 start: 4 of 4 free.\n"
        "1 create(a): a begins; it holds no block yet.\n"
        "2 reserve(a, 6): a takes 0 and 1. 2 free.\n"
        "3 write(a, 6): 6 tokens of a written; block 1 holds 2 of 4 now.\n"
        "4 fork(a, b): b shares 0 and 1. No block taken; 2 free.\n"
        "5 reserve(b, 1): Block 1 has 2 holders: b gets its own copy of 2 tokens in 2. 1 free.\n"
        "6 write(b, 1): 1 token of b written; block 2 holds 3 of 4 now.\n"
        "7 reserve(b, 9): 2 blocks wanted, 1 free or cached: refused whole, nothing changed.\n"
        "8 truncate(b, 3): b is cut to 3 tokens. Back in the pool: 2. 2 free.\n"
        "9 free(a): Back in the pool: 1. Still held by others: 0. 3 free."
    )

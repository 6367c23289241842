"""Mistakes with step_cost, as readers make them."""

from collections import Counter
from typing import Any

from paged_attention.cache import PagedKVCache
from paged_attention.tables import ceil_div
from workbook.checks.ch04.step_price import step_cost


def new_blocks(cache: Any, step: dict[Any, int]) -> int:
    ends = {seq: cache.lengths[seq] + new for seq, new in step.items()}
    return sum(
        max(0, ceil_div(end, cache.block_size) - len(cache.tables[seq]))
        for seq, end in ends.items()
    )


def writers(cache: Any, step: dict[Any, int]) -> Counter[int]:
    """How many of ``step`` write into each part-filled block that has other holders."""
    found: Counter[int] = Counter()
    for seq, new in step.items():
        at, offset = divmod(cache.lengths[seq], cache.block_size)
        if new and offset and cache.allocator.refs[cache.tables[seq][at]] > 1:
            found[cache.tables[seq][at]] += 1
    return found


@step_cost.mistake(
    "Asked alone, each of them needs a copy. Together they don't: the last finds itself the only "
    "holder. A sum refuses steps that fit."
)
def sum_of_needs(cache: Any, step: dict[Any, int]) -> int:
    return new_blocks(cache, step) + sum(writers(cache, step).values())


@step_cost.mistake(
    "Two other holders, yet only one sequence writes: it copies, and the others stay."
)
def holders_less_one(cache: Any, step: dict[Any, int]) -> int:
    copies = sum(cache.allocator.refs[block] - 1 for block in writers(cache, step))
    return new_blocks(cache, step) + copies


@step_cost.mistake("The block is the same, but each of the two needs a copy of its own.")
def once_a_block(cache: Any, step: dict[Any, int]) -> int:
    return new_blocks(cache, step) + len(writers(cache, step))


@step_cost.mistake("Copies aren't all: position 8 has no block yet, in any of the three.")
def copies_only(cache: Any, step: dict[Any, int]) -> int:
    refs = cache.allocator.refs
    return sum(min(n, refs[block] - 1) for block, n in writers(cache, step).items())


@step_cost.mistake("The question changed the cache. Whoever asks for a price has not bought yet.")
def plays_it(cache: Any, step: dict[Any, int]) -> int:
    before = cache.allocator.num_free
    cache.reserve_many(step)
    return int(before - cache.allocator.num_free)


@step_cost.mistake("A sequence that writes 0 tokens was counted as a writer: it needs no copy.")
def idle_ones_write(cache: Any, step: dict[Any, int]) -> int:
    everyone = writers(cache, dict.fromkeys(step, 1))
    refs = cache.allocator.refs
    return new_blocks(cache, step) + sum(min(n, refs[b] - 1) for b, n in everyone.items())


step_cost.finished = PagedKVCache.blocks_to_reserve

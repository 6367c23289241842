"""Contract: a call that is interrupted at any line leaves all as it was, or as it should become."""

from collections.abc import Callable
from contextlib import suppress
from typing import Any

import pytest
import torch
from helpers.grid import grid
from helpers.hashing_model import HashingModel
from helpers.interrupts import interrupt_everywhere
from helpers.kv import append

from paged_attention.allocator import BlockAllocator
from paged_attention.beam import beam_search
from paged_attention.cache import PagedKVCache
from paged_attention.contiguous import ContiguousKVCache
from paged_attention.generate import generate, stream
from paged_attention.journal import all_or_nothing
from paged_attention.prefix import PrefixCache
from paged_attention.prefix_index import PrefixIndex
from paged_attention.prefix_tree import BlockTree
from paged_attention.runs import RunTree
from paged_attention.sampling import Sampling
from paged_attention.slots import SlotPool
from workbook.trace import (
    RecordingPagedKVCache,
    RecordingPrefixCache,
    replay,
)

PROMPT = list(range(100, 120))
HOT = Sampling(temperature=1.0)


def look(prefix: PrefixCache) -> object:
    """Everything that a call may change, in values that can be compared."""
    cache, allocator = prefix.cache, prefix.cache.allocator
    prefix.check_invariants()
    assert cache.journal.notes == []
    if cache._batch is not None:
        for row, seq in zip(cache._batch_tables.tensor.tolist(), cache._batch, strict=True):
            assert row[: len(cache.tables[seq])] == cache.tables[seq]
    found: list[object] = [
        {seq: table.copy() for seq, table in cache.tables.items()},
        cache.lengths.copy(),
        cache._batch,
        allocator.refs.copy(),
        allocator._free.copy(),
        bytes(allocator.indexed),
        list(allocator._cached),
        sorted(map(str, prefix._index)),
        (prefix.stats.queried_tokens, prefix.stats.hit_tokens, prefix.stats._counted.copy()),
    ]
    if isinstance(prefix, RecordingPrefixCache):
        found += [seen_by(prefix.cache.recorder), prefix._told.copy()]
        found.append(prefix.cache.allocator._moves.copy())
    return found


def seen_by(recorder: Any) -> object:
    trace = recorder.trace
    columns = {name: column.copy() for name, column in trace.columns.items()}
    names = (trace.seqs.copy(), trace.keys.copy(), recorder._seqs.copy(), recorder._keys.copy())
    return trace.calls.copy(), trace.args.copy(), columns, names, recorder.recording


def world(recording: bool, index: type[PrefixIndex] = RunTree) -> PrefixCache:
    """``a`` holds 6 of its own, ``b`` is its fork, two prompts are known, one of them only cached;
    3 blocks are free.
    """
    torch.manual_seed(0)
    if recording:
        prefix: PrefixCache = RecordingPrefixCache(RecordingPagedKVCache(1, 12, 4, 1, 2))
    else:
        prefix = PrefixCache(PagedKVCache(1, 12, 4, 1, 2), index=index)
    cache = prefix.cache
    for seq, tokens in (("known", [7] * 13), ("a", PROMPT[:6]), ("c", PROMPT[:9])):
        cache.create(seq)
        append(cache, [seq], len(tokens))
        prefix.remember(seq, tokens)
    cache.free("known")
    cache.fork("a", "b")
    cache.create("new")
    cache.set_batch(["a", "b"])
    return prefix


def attach(prefix: PrefixCache) -> None:
    prefix.attach("d", [7] * 13)


CALLS: dict[str, Callable[[PrefixCache], object]] = {
    "create": lambda p: p.cache.create("d"),
    "reserve": lambda p: p.cache.reserve("a", 9),
    "reserve by eviction": lambda p: p.cache.reserve("c", 24),
    "reserve for many": lambda p: p.cache.reserve_many({"a": 3, "b": 7, "c": 1}),
    "fork": lambda p: p.cache.fork("a", "d"),
    "adopt": lambda p: p.cache.adopt("new", p.match([7] * 13)),
    "attach": attach,
    "remember": lambda p: p.remember("c", PROMPT[:8], salt=None),
    "evict": lambda p: p.evict(2),
    "truncate": lambda p: p.cache.truncate("c", 3),
    "free": lambda p: p.cache.free("a"),
    "free what is known": lambda p: p.cache.free("c"),
    "set_batch": lambda p: p.cache.set_batch(["c", "b", "a"]),
    "advance": lambda p: p.cache.advance({"a": 7, "b": 8}),
}


RECORDED = {(call, True) for call in ("reserve by eviction", "fork", "attach", "free")}


QUICK = {(call, False, 1) for call in CALLS} | {(*each, 1) for each in RECORDED}


# In every run a line's first and last visit; each visit of each line is for `make soak`.
@pytest.mark.parametrize(
    ("call", "recording", "visits"), grid(QUICK, list(CALLS), [False, True], [1, None])
)
def test_a_call_is_whole_or_never_was(call: str, recording: bool, visits: int | None) -> None:
    assert interrupt_everywhere(lambda: world(recording), CALLS[call], look, visits) >= 3


LONG = [1, 2, 3, 4, 5, 6, 7, 8]


def branches(index: type[PrefixIndex]) -> PrefixCache:
    """``long`` is known, 4 blocks; ``half`` has its beginning and parts from it after 2, ``same``
    computed all of it once more, ``more`` goes on behind it, none of them is known yet. Then there
    is ``copies``, known twice and held by nobody.
    """
    prefix = PrefixCache(PagedKVCache(1, 24, 2, 1, 1), index=index)
    cache = prefix.cache

    def computed(seq: str, tokens: list[int]) -> None:
        prefix.attach(seq, tokens)
        cache.reserve(seq, len(tokens) - cache.lengths[seq])
        cache.lengths[seq] = len(tokens)

    for seq, tokens in (("same", LONG), ("long", LONG), ("copies", [9] * 6), ("again", [9] * 6)):
        computed(seq, tokens)
    for seq, tokens in (("long", LONG), ("copies", [9] * 6), ("again", [9] * 6)):
        prefix.remember(seq, tokens)
    for seq, tokens in (("half", [*LONG[:4], 0, 0, 0]), ("more", [*LONG, 5, 5, 5])):
        computed(seq, tokens)
    for seq in ("copies", "again"):
        cache.free(seq)
    return prefix


RUN_CALLS: dict[str, Callable[[PrefixCache], object]] = {
    "cut": lambda p: p.remember("half", [*LONG[:4], 0, 0]),
    "twins": lambda p: p.remember("same", LONG),
    "some twins, then a cut": lambda p: p.remember("same", [*LONG[:6], 0, 0]),
    "append": lambda p: p.remember("more", [*LONG, 5, 5]),
    "another space": lambda p: p.remember("same", LONG, salt="x"),
    "evict twins": lambda p: p.evict(2),
    "evict twins and the last ones": lambda p: p.evict(6),
}


@pytest.mark.parametrize("index", [RunTree, BlockTree])
@pytest.mark.parametrize("call", RUN_CALLS)
def test_an_index_is_whole_too(call: str, index: type[PrefixIndex]) -> None:
    assert interrupt_everywhere(lambda: branches(index), RUN_CALLS[call], look, 2) >= 20


def several(prefix: PrefixCache) -> None:
    """Calls in one that fails in the end: what the first changed, the later ones change again."""
    with pytest.raises(ValueError, match="after all"):
        _several(prefix)


@all_or_nothing
def _several(prefix: PrefixCache) -> None:
    for call in RUN_CALLS.values():
        with suppress(ValueError):  # what is known already is known under other tokens
            call(prefix)
    prefix.attach("back", [9] * 6)
    for seq in ("long", "half", "more", "same", "back"):
        prefix.cache.free(seq)
    prefix.evict(9)
    raise ValueError("after all")


@pytest.mark.parametrize("index", [RunTree, BlockTree])
def test_a_call_of_many_is_taken_back_whole(index: type[PrefixIndex]) -> None:
    prefix = branches(index)
    before = look(prefix)
    several(prefix)
    assert look(prefix) == before


def test_a_queue_that_closes_up_is_taken_back() -> None:
    def nearly() -> BlockAllocator:
        made = allocator()
        made.reuse_many([0, 1])
        for _ in range(5):  # two entries each, and the queue closes up when it has more than 12
            made.release_many([0, 1])
            made.reuse_many([0, 1])
        return made

    assert len(nearly()._cached._queue) == 12
    interrupt_everywhere(nearly, lambda made: made.release_many([0, 1]), look_at_blocks)


def allocator() -> BlockAllocator:
    """Blocks 0 to 3 taken, 0 and 1 only by an index, of 6."""
    made = BlockAllocator(6)
    made.connect_index(lambda blocks: None)
    made.index_many(made.allocate_many(4)[:2])
    made.release_many([0, 1])
    return made


def look_at_blocks(made: BlockAllocator) -> object:
    made.check_invariants()
    return made.refs.copy(), made._free.copy(), list(made._cached), bytes(made.indexed)


@pytest.mark.parametrize(
    "call",
    [
        BlockAllocator.allocate,
        lambda made: made.allocate_many(3),
        lambda made: made.share_many([3, 1, 3]),
        lambda made: made.release(2),
        lambda made: made.release_many([3, 2]),
        lambda made: made.evict(1),
    ],
)
def test_an_allocator_alone_is_whole_too(call: Callable[[BlockAllocator], object]) -> None:
    interrupt_everywhere(allocator, call, look_at_blocks)


def test_an_allocator_that_must_evict_for_one_block() -> None:
    def full() -> BlockAllocator:
        made = allocator()
        made.allocate_many(2)
        return made

    interrupt_everywhere(full, BlockAllocator.allocate, look_at_blocks)


def slots(cache: ContiguousKVCache) -> object:
    cache.slots.check_invariants()
    assert cache.starts.keys() == cache.lengths.keys()
    assert sorted(cache.starts.values()) == sorted(cache.slots.held)
    return (
        cache.slots.runs.copy(),
        cache.slots.held.copy(),
        cache.lengths.copy(),
    )


@pytest.mark.parametrize(
    "call", [lambda c: c.create("c", 3), lambda c: c.free("a"), lambda c: c.advance({"b": 1})]
)
def test_contiguous_calls_are_whole_too(call: Callable[[ContiguousKVCache], object]) -> None:
    def make() -> ContiguousKVCache:
        cache = ContiguousKVCache(1, 12, 1, 1)
        for seq in "ab":
            cache.create(seq, 4)
        return cache

    interrupt_everywhere(make, call, slots)


def test_a_slot_pool_alone_is_whole_too() -> None:
    def make() -> SlotPool:
        pool = SlotPool(9)
        for length in (2, 3, 2):
            pool.reserve(length)
        pool.release(0)
        return pool

    def look(pool: SlotPool) -> object:
        pool.check_invariants()
        return list(pool.runs), pool.held.copy()

    interrupt_everywhere(make, lambda pool: pool.release(2), look)
    interrupt_everywhere(make, lambda pool: pool.reserve(2), look)


MODEL: Any = HashingModel(layers=1, vocab_size=11)
PROMPTS = [[5, 6, 7], [8, 9]]


def opened(cache: PagedKVCache) -> None:
    news = stream(MODEL, cache, PROMPTS, 4)
    for _ in range(3):
        next(news)
    news.close()


def too_much(cache: PagedKVCache) -> None:
    with pytest.raises(MemoryError):
        generate(MODEL, cache, [[1] * 20], 60)


LOOPS: dict[str, Callable[[PagedKVCache], object]] = {
    "generate": lambda c: generate(MODEL, c, PROMPTS, 2),
    "stream, closed": opened,
    "samples": lambda c: generate(MODEL, c, PROMPTS[:1], 2, samples=2, sampling=HOT),
    "beam search": lambda c: beam_search(MODEL, c, PROMPTS[0], 2, 3, eos_ids=[3]),
    "a pool that runs out": too_much,
}


@pytest.mark.parametrize(
    ("loop", "kind", "visits"),
    [
        *((loop, PagedKVCache, 1) for loop in LOOPS),
        *(pytest.param(loop, PagedKVCache, 3, marks=pytest.mark.slow) for loop in LOOPS),
        # Replaying a trace takes long.
        pytest.param("beam search", RecordingPagedKVCache, 1, marks=pytest.mark.slow),
    ],
)
def test_a_loop_gives_back_every_sequence_it_created(
    loop: str, kind: type[PagedKVCache], visits: int
) -> None:
    def make() -> PagedKVCache:
        cache = kind(1, 8, 3, 1, 1)
        cache.create("somebody else's")
        append(cache, ["somebody else's"], 3)
        return cache

    def look(cache: PagedKVCache) -> object:
        cache.check_invariants()
        assert cache.journal.notes == []
        if isinstance(cache, RecordingPagedKVCache):
            state = replay(cache.trace)
            assert state.free == cache.allocator._free
        return cache.tables, cache.lengths

    assert interrupt_everywhere(make, LOOPS[loop], look, visits) > 300

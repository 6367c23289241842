"""All or nothing without a signal: copies that fail, calls inside calls, threads, copies of all."""

import copy
import pickle
import threading
from collections.abc import Callable
from typing import Any

import pytest
import torch
from helpers.kv import append, paged, snapshot

from paged_attention.allocator import BlockAllocator
from paged_attention.cache import PagedKVCache
from paged_attention.contiguous import ContiguousKVCache
from paged_attention.errors import BlockNotHeld, WrongThread
from paged_attention.journal import Journal, all_or_nothing
from paged_attention.prefix import PrefixCache
from paged_attention.slots import SlotPool
from workbook.trace import RecordingPagedKVCache, RecordingPrefixCache

COPIES: list[Callable[[Any], Any]] = [
    copy.copy,
    copy.deepcopy,
    lambda thing: pickle.loads(pickle.dumps(thing)),
]
HOW = pytest.mark.parametrize("how", COPIES, ids=["copy", "deepcopy", "pickle"])


def known(num_blocks: int = 8, recording: bool = False) -> PrefixCache:
    """Two prompts of 8 and 4 tokens are known; ``a`` holds the first, nobody the other."""
    if recording:
        prefix: PrefixCache = RecordingPrefixCache(RecordingPagedKVCache(1, num_blocks, 4, 1, 2))
    else:
        prefix = PrefixCache(PagedKVCache(1, num_blocks, 4, 1, 2))
    for seq, tokens in (("a", list(range(8))), ("b", [9] * 4)):
        prefix.cache.create(seq)
        append(prefix.cache, [seq], len(tokens))
        prefix.remember(seq, tokens)
    prefix.cache.free("b")
    return prefix


def test_a_copy_that_fails_takes_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    cache = paged(num_blocks=9)
    for seq, parent in (("a", None), ("b", "a"), ("c", "a")):
        if parent is None:
            cache.create(seq)
            append(cache, [seq], 6)
        else:
            cache.fork(parent, seq)
    honest, calls = PagedKVCache._copy_tail, 0

    def second_fails(self: PagedKVCache, *args: Any) -> None:
        nonlocal calls
        calls += 1
        if calls == 2:
            raise RuntimeError("out of memory")
        honest(self, *args)

    before = snapshot(cache)[:4]
    monkeypatch.setattr(PagedKVCache, "_copy_tail", second_fails)
    with pytest.raises(RuntimeError, match="out of memory"):
        cache.reserve_many({"a": 1, "b": 3, "c": 1})
    assert snapshot(cache)[:4] == before
    cache.check_invariants()
    cache.reserve_many({"a": 1, "b": 3, "c": 1})
    cache.check_invariants()


def test_what_an_inner_call_did_is_taken_back_with_the_outer() -> None:
    class Both(BlockAllocator):
        @all_or_nothing
        def two_then_fail(self) -> None:
            self.allocate()
            with pytest.raises(BlockNotHeld):
                self.release_many([0, 5])
            self.share(0)
            raise ValueError("after two")

    allocator = Both(6)
    allocator.allocate()
    with pytest.raises(ValueError, match="after two"):
        allocator.two_then_fail()
    assert allocator.refs == [1, 0, 0, 0, 0, 0]
    assert allocator.allocate_many(5) == [1, 2, 3, 4, 5]
    allocator.check_invariants()


def test_notes_outside_a_call_are_not_kept() -> None:
    journal = Journal()
    journal.keep_key({}, "a")
    journal.put_back(0)
    assert journal.notes == []


@HOW
@pytest.mark.parametrize("recording", [False, True], ids=["plain", "recording"])
def test_a_copy_of_an_index_owns_its_cache(how: Callable[[Any], Any], recording: bool) -> None:
    prefix = known(recording=recording)
    before = snapshot(prefix.cache)
    other = how(prefix)
    assert other.evict(9) == 1
    other.cache.free("a")
    append_new(other)
    other.check_invariants()
    prefix.check_invariants()
    assert snapshot(prefix.cache) == before
    assert len(prefix) == 3
    assert prefix.match([*range(8), 0]) == [0, 1]
    if recording:
        assert prefix.cache.trace.last < other.cache.trace.last


def append_new(prefix: PrefixCache) -> None:
    prefix.attach("new", [*range(8), 1])
    append(prefix.cache, ["new"], 12)
    prefix.remember("new", [*range(8), 1, 1, 1, 1])


@HOW
def test_a_copy_of_a_cache_owns_its_allocator(how: Callable[[Any], Any]) -> None:
    prefix = known()
    other = how(prefix.cache)
    other.reserve("a", 20)  # evicts from the copy of the index that came along
    other.check_invariants()
    prefix.check_invariants()
    assert len(prefix) == 3
    assert prefix.cache.allocator is not other.allocator
    assert not torch.equal(prefix.cache.k_pool, torch.zeros_like(prefix.cache.k_pool))
    other.k_pool.zero_()
    assert prefix.cache.k_pool.any()


@HOW
@pytest.mark.parametrize("make", [lambda: BlockAllocator(3), lambda: SlotPool(3)])
def test_a_copy_of_a_pool_is_another_pool(
    how: Callable[[Any], Any], make: Callable[[], Any]
) -> None:
    pool = make()
    other = how(pool)
    (other.allocate_many if isinstance(pool, BlockAllocator) else other.reserve)(3)
    assert (pool.num_free, other.num_free) == (3, 0)


@HOW
def test_an_index_of_any_depth_can_be_copied(how: Callable[[Any], Any]) -> None:
    # sgl-project/sglang#154, #813, ModelTC/LightLLM#1581.
    prefix = PrefixCache(PagedKVCache(1, 6000, 1, 1, 1))
    prefix.cache.create("a")
    append(prefix.cache, ["a"], 6000)
    prefix.remember("a", list(range(6000)))
    other = how(prefix)
    assert len(other) == 6000
    other.check_invariants()


def elsewhere(call: Callable[[], object]) -> BaseException | None:
    """The error of ``call`` in another thread, if any."""
    found: list[BaseException] = []

    def work() -> None:
        try:
            call()
        except Exception as error:
            found.append(error)

    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    return found[0] if found else None


def test_a_cache_belongs_to_the_thread_that_used_it_first() -> None:
    cache = paged()
    cache.create("a")
    append(cache, ["a"], 3)
    before = snapshot(cache)
    kv = torch.zeros(1, 2, 1, 3)
    prefix = PrefixCache(cache)
    for call in (
        lambda: cache.create("b"),
        lambda: cache.reserve("a", 1),
        lambda: cache.set_batch(["a"]),
        lambda: cache.update(0, kv, kv, torch.tensor([2])),
        lambda: cache.fork("a", "b"),
        lambda: cache.free("a"),
        lambda: prefix.remember("a", [1, 2, 3]),
        lambda: prefix.evict(1),
        lambda: cache.allocator.allocate_many(1),
    ):
        error = elsewhere(call)
        assert isinstance(error, WrongThread)
        assert "hand_over" in str(error)
    assert snapshot(cache) == before


def test_a_cache_can_be_handed_over() -> None:
    for cache in (paged(), ContiguousKVCache(1, 4, 1, 1)):
        args = [4] if isinstance(cache, ContiguousKVCache) else []
        cache.create("a", *args)
        cache.hand_over()
        assert elsewhere(lambda cache=cache: cache.free("a")) is None  # type: ignore[misc]
        with pytest.raises(WrongThread):
            cache.create("a", *args)


def test_made_here_and_used_there_is_no_misuse() -> None:
    cache = paged()
    assert elsewhere(lambda: cache.create("a")) is None
    assert isinstance(copy.deepcopy(cache).create("b"), type(None))

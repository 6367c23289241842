"""Forks and copy-on-write: sharing is free, a first write copies one block, the law holds."""

import pytest
import torch
from helpers.interrupts import interrupt, lines_of
from helpers.kv import append, paged, snapshot
from hypothesis import given
from hypothesis import strategies as st

from paged_attention.cache import PagedKVCache
from paged_attention.errors import (
    BadBatch,
    BlockPoolExhausted,
    BlockShared,
    SequenceExists,
    UnknownSequence,
)
from paged_attention.prefix import PrefixCache


def forked(prompt: int, children: int, **sizes: int) -> PagedKVCache:
    """Sequence ``a`` with ``prompt`` tokens and forks ``b``, ``c`` … of it."""
    cache = paged(**sizes)
    cache.create("a")
    if prompt:
        append(cache, ["a"], prompt)
    for child in "bcdefgh"[:children]:
        cache.fork("a", child)
    cache.check_invariants()
    return cache


def history(cache: PagedKVCache, seq: str) -> list[torch.Tensor]:
    """All keys and values of ``seq``, read through its table: two a layer, [Hkv, length, D]."""
    table, length = cache.tables[seq], cache.lengths[seq]
    return [
        pool[layer][table].transpose(0, 1).flatten(1, 2)[:, :length].clone()
        for pool in (cache.k_pool, cache.v_pool)
        for layer in range(cache.layers)
    ]


def same(before: list[torch.Tensor], after: list[torch.Tensor]) -> bool:
    return all(torch.equal(b, a[:, : b.shape[1]]) for b, a in zip(before, after, strict=True))


def held(cache: PagedKVCache) -> int:
    return cache.allocator.num_held


def test_a_fork_adds_holders_and_no_block() -> None:
    cache = forked(6, 2)
    assert cache.tables == {"a": [0, 1], "b": [0, 1], "c": [0, 1]}
    assert cache.allocator.refs[:3] == [3, 3, 0]
    assert cache.tables["b"] is not cache.tables["a"]


def test_writers_copy_until_one_is_left() -> None:
    # vllm-project/vllm#10980 and #39647: n = 3 used six blocks; atlas#1193: no copy at all.
    cache = forked(6, 2)
    before = history(cache, "a")
    refs = []
    for seq in "abc":
        append(cache, [seq], 1)
        cache.check_invariants()
        refs.append(cache.allocator.refs[:4])
    assert refs == [[3, 2, 1, 0], [3, 1, 1, 1], [3, 1, 1, 1]]
    assert held(cache) == 4
    assert all(same(before, history(cache, seq)) for seq in "abc")
    last = [history(cache, seq)[0][:, 6] for seq in "abc"]
    assert not torch.equal(last[0], last[1])
    assert not torch.equal(last[1], last[2])


def test_a_full_last_block_is_never_copied() -> None:
    cache = forked(8, 3)
    append(cache, list("abcd"), 1)
    assert held(cache) == 2 + 4
    assert cache.allocator.refs[:2] == [4, 4]


def test_the_books_demo() -> None:
    cache = forked(40, 4, num_blocks=16, block_size=16)
    assert held(cache) == 3
    append(cache, list("bcde"), 1)
    assert held(cache) == 7


def test_the_parent_may_go_first() -> None:
    cache = forked(6, 2)
    before = history(cache, "a")
    cache.free("a")
    assert cache.allocator.refs[:2] == [2, 2]
    append(cache, ["b"], 1)
    assert held(cache) == 3
    append(cache, ["c"], 1)
    assert held(cache) == 3
    assert same(before, history(cache, "b"))
    assert same(before, history(cache, "c"))
    cache.free("b")
    cache.free("c")
    assert cache.allocator.num_free == cache.allocator.num_blocks


def test_forks_of_nothing_and_forks_of_forks() -> None:
    cache = paged()
    cache.create("a")
    cache.fork("a", "b")
    assert (cache.tables["b"], cache.lengths["b"]) == ([], 0)
    append(cache, ["b"], 5)
    cache.fork("b", "c")
    cache.fork("c", "d")
    assert cache.allocator.refs[:2] == [3, 3]
    append(cache, ["d"], 1)
    cache.check_invariants()
    assert cache.tables["d"] == [0, 2]


def test_room_reserved_and_not_written_stays_the_parent_s() -> None:
    cache = paged()
    cache.create("a")
    append(cache, ["a"], 3)
    cache.reserve("a", 5)
    cache.fork("a", "b")
    assert cache.tables == {"a": [0, 1], "b": [0]}
    append(cache, ["a"], 5)
    cache.check_invariants()
    assert cache.tables["b"] == [0]


def test_a_cut_into_a_shared_block_leaves_the_other_alone() -> None:
    # huggingface/text-generation-inference#2711: after guesses, slots taken for neighbours.
    cache = forked(10, 1)
    before = history(cache, "a")
    cache.truncate("b", 5)
    assert held(cache) == 3
    assert cache.allocator.refs[:3] == [2, 2, 1]
    append(cache, ["b"], 1)
    cache.check_invariants()
    assert held(cache) == 4
    assert same(before, history(cache, "a"))


def test_a_step_of_several_forks_is_refused_whole() -> None:
    # huggingface/transformers#46117: four first writes need four copies, there was room for two.
    cache = forked(6, 4, num_blocks=4)
    before = snapshot(cache)
    step = dict.fromkeys("bcde", 1)
    assert cache.blocks_to_reserve(step) == 4
    assert not cache.can_reserve_many(step)
    with pytest.raises(BlockPoolExhausted, match=r"4 blocks wanted .* 2 of 4"):
        cache.reserve_many(step)
    assert snapshot(cache) == before
    cache.reserve_many(dict.fromkeys("bc", 1))
    cache.check_invariants()


def test_the_last_of_all_holders_needs_no_copy() -> None:
    cache = forked(6, 2, num_blocks=4)
    step = dict.fromkeys("abc", 1)
    assert sum(cache.blocks_to_reserve({seq: 1}) for seq in step) == 3
    assert cache.blocks_to_reserve(step) == 2
    cache.reserve_many(step)
    assert cache.allocator.num_free == 0
    cache.check_invariants()


def test_what_others_read_is_not_overwritten() -> None:
    cache = forked(6, 1)
    cache.set_batch(["a"])
    before = snapshot(cache)
    kv = torch.zeros(1, 2, 1, 3)
    for position in (2, 5):
        with pytest.raises(BlockShared, match=f"'a' would overwrite .* {position} on"):
            cache.update(0, kv, kv, torch.tensor([position]))
    assert snapshot(cache) == before
    # The way that the message names.
    cache.truncate("a", 2)
    append(cache, ["a"], 1)
    cache.check_invariants()
    # Alone again, a sequence may rewrite its own.
    cache.set_batch(["a"])
    cache.update(0, kv, kv, torch.tensor([2]))


def test_room_from_before_a_fork_is_not_written_through_it() -> None:
    # sgl-project/sglang#13826, huggingface/text-generation-inference#2711: a cut goes back into a
    # block that others read, and what is written next lands in it; so does room reserved too early.
    cut, early = forked(6, 1), forked(6, 0)
    cut.truncate("b", 5)
    early.reserve("a", 1)
    early.fork("a", "b")
    for cache, seq, other, at in ((cut, "b", "a", 5), (early, "a", "b", 6)):
        before = history(cache, other)
        cache.set_batch([seq])
        kv = torch.zeros(1, 2, 1, 3)
        with pytest.raises(BlockShared, match=f"'{seq}' would .* {at} on.*other holders .*reserve"):
            cache.update(0, kv, kv, torch.tensor([at]))
        append(cache, [seq], 1)  # which reserves
        assert same(before, history(cache, other))
        cache.check_invariants()


def test_a_fork_between_two_layers_ends_the_step() -> None:
    cache = forked(6, 0)
    cache.reserve("a", 1)
    cache.set_batch(["a"])
    kv = torch.zeros(1, 2, 1, 3)
    cache.update(0, kv, kv, torch.tensor([6]))
    cache.fork("a", "b")
    with pytest.raises(BadBatch, match="call set_batch"):
        cache.update(1, kv, kv, torch.tensor([6]))


def test_bad_forks() -> None:
    cache = forked(6, 1)
    before = snapshot(cache)
    with pytest.raises(SequenceExists, match="'b' exists already"):
        cache.fork("a", "b")
    with pytest.raises(UnknownSequence, match="'z'"):
        cache.fork("z", "y")
    assert snapshot(cache) == before


def test_a_block_can_not_be_adopted_twice() -> None:
    cache = forked(10, 0)
    cache.create("c")
    before = snapshot(cache)
    with pytest.raises(ValueError, match="'c' would have block 1 twice"):
        cache.adopt("c", [0, 1, 1])
    assert snapshot(cache) == before
    cache.adopt("c", [0, 1])
    cache.check_invariants()


@given(st.lists(st.tuples(st.integers(0, 4), st.integers(0, 5)), max_size=12), st.data())
def test_the_price_of_a_step_is_exact(ops: list[tuple[int, int]], data: st.DataObject) -> None:
    cache = forked(data.draw(st.integers(0, 9)), 4, num_blocks=60)
    for which, tokens in ops:
        seq = "abcde"[which]
        if tokens:
            append(cache, [seq], tokens)
        else:
            cache.truncate(seq, data.draw(st.integers(0, cache.lengths[seq])))
    step = data.draw(st.dictionaries(st.sampled_from("abcde"), st.integers(0, 6)))
    price, free = cache.blocks_to_reserve(step), cache.allocator.num_free
    cache.reserve_many(step)
    assert cache.allocator.num_free == free - price
    cache.check_invariants()


def test_a_copy_taken_back_leaves_what_was_cached() -> None:
    """The copy went into a cached block: its content is known again, so it must be there again."""

    def full() -> tuple[PagedKVCache, PrefixCache]:
        cache = paged(layers=1, num_blocks=2, block_size=2)
        prefix = PrefixCache(cache)
        cache.create("old")
        append(cache, ["old"], 2)
        prefix.remember("old", [1, 2])
        cache.free("old")
        cache.create("a")
        append(cache, ["a"], 1)
        cache.fork("a", "b")
        return cache, prefix

    cache, prefix = full()
    lines = lines_of(lambda: cache.reserve("a", 1))
    assert prefix.match([1, 2, 3]) == []  # the copy is where it was
    for line in range(lines):
        cache, prefix = full()
        before = snapshot(cache)
        interrupt(lambda cache=cache: cache.reserve("a", 1), line)  # type: ignore[misc]
        prefix.check_invariants()
        assert snapshot(cache) == before or not prefix.match([1, 2, 3])

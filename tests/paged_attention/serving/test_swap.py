"""Host memory: what goes out comes back, bit for bit, and nothing else does."""

import pytest
import torch
from helpers.kv import append, paged, snapshot

from paged_attention.errors import (
    BlockPoolExhausted,
    InvariantBroken,
    SequenceExists,
    UnknownSequence,
)
from paged_attention.prefix import PrefixCache
from paged_attention.serving.swap import HostStore


def history(cache, seq) -> torch.Tensor:  # type: ignore[no-untyped-def]
    """Keys and values of the whole sequence, read through its table."""
    length, table = cache.lengths[seq], cache.tables[seq]
    pools = (cache.k_pool, cache.v_pool)
    return torch.stack([p[:, table].transpose(1, 2).flatten(2, 3)[:, :, :length] for p in pools])


@pytest.mark.parametrize("tokens", [1, 3, 4, 5, 8, 9])
def test_what_goes_out_comes_back(tokens: int) -> None:
    cache = paged(num_blocks=6)
    host = HostStore(cache, 4)
    cache.create("a")
    append(cache, ["a"], tokens)
    cache.reserve("a", 7)  # room that nobody has written is not copied
    before = history(cache, "a")
    assert host.swap_out(cache, "a")
    assert host.allocator.num_held == cache.blocks_needed(tokens)
    cache.free("a")
    cache.create("other")
    append(cache, ["other"], 24)  # every block of the pool, overwritten
    cache.free("other")
    cache.create("a")
    host.swap_in(cache, "a")
    assert torch.equal(history(cache, "a"), before)
    assert "a" not in host
    assert host.allocator.num_free == 4
    append(cache, ["a"], 2)
    cache.check_invariants()


def test_a_copy_that_does_not_fit_is_not_begun() -> None:
    """vllm-project/vllm#787, #154: full swap space is no reason to fail."""
    cache = paged(num_blocks=6)
    host = HostStore(cache, 1)
    cache.create("a")
    assert not host.swap_out(cache, "a")  # nothing is written
    append(cache, ["a"], 5)
    before = snapshot(cache)
    assert not host.swap_out(cache, "a")
    assert snapshot(cache) == before
    assert host.allocator.num_free == 1
    host.check_invariants()


def test_a_copy_comes_back_behind_what_the_index_still_has() -> None:
    cache = paged(num_blocks=8)
    prefix, host = PrefixCache(cache), HostStore(cache, 4)
    tokens = list(range(10))
    cache.create("a")
    append(cache, ["a"], 10)
    prefix.remember("a", tokens)
    before, shared = history(cache, "a"), cache.tables["a"][0]
    host.swap_out(cache, "a")
    cache.free("a")
    prefix.evict(1)  # the tail; block 0 of the prompt is still there
    assert prefix.attach("a", tokens) == 4
    host.swap_in(cache, "a")
    assert cache.tables["a"][0] == shared
    assert torch.equal(history(cache, "a"), before)
    prefix.check_invariants()


def test_no_room_to_come_back_changes_nothing() -> None:
    cache = paged(num_blocks=3)
    host = HostStore(cache, 3)
    cache.create("a")
    append(cache, ["a"], 9)
    host.swap_out(cache, "a")
    cache.free("a")
    cache.create("b")
    append(cache, ["b"], 4)
    cache.create("a")
    before = snapshot(cache)
    with pytest.raises(BlockPoolExhausted):
        host.swap_in(cache, "a")
    assert snapshot(cache) == before
    assert "a" in host


def test_a_failing_copy_leaves_host_and_pool(monkeypatch: pytest.MonkeyPatch) -> None:
    cache = paged(num_blocks=3)
    host = HostStore(cache, 3)
    cache.create("a")
    append(cache, ["a"], 9)
    before, values = snapshot(cache), host.v
    host.v = torch.zeros(2, 3, 9, 9, 9)  # shapes that don't fit: the second copy fails
    with pytest.raises(RuntimeError):
        host.swap_out(cache, "a")
    assert snapshot(cache) == before
    assert host.allocator.num_free == 3
    assert "a" not in host
    host.v = values
    assert host.swap_out(cache, "a")


def test_one_name_one_copy() -> None:
    cache = paged(num_blocks=3)
    host = HostStore(cache, 3)
    cache.create("a")
    append(cache, ["a"], 2)
    host.swap_out(cache, "a")
    with pytest.raises(SequenceExists, match="a copy of 'a' already"):
        host.swap_out(cache, "a")
    host.drop("a")
    host.drop("a")
    host.allocator.allocate()
    with pytest.raises(InvariantBroken, match="in use are"):
        host.check_invariants()


def test_who_is_not_there_is_named() -> None:
    cache = paged(num_blocks=3)
    host = HostStore(cache, 3)
    with pytest.raises(UnknownSequence, match="no sequence 'a' in this cache"):
        host.swap_out(cache, "a")
    cache.create("a")
    with pytest.raises(UnknownSequence, match=r"no copy of 'a'.* run again"):
        host.swap_in(cache, "a")
    append(cache, ["a"], 2)
    host.swap_out(cache, "a")
    cache.free("a")
    with pytest.raises(UnknownSequence, match="no sequence 'a' in this cache"):
        host.swap_in(cache, "a")
    assert "a" in host

"""The contiguous cache: same protocol as the paged one, one reservation a sequence."""

import pytest
import torch
from helpers.kv import append, paged

from paged_attention.contiguous import ContiguousKVCache
from paged_attention.errors import PositionNotReserved, SlotsExhausted, UnknownSequence


def contiguous(num_slots: int = 64) -> ContiguousKVCache:
    cache = ContiguousKVCache(2, num_slots, kv_heads=2, head_dim=3)
    cache.k_pool.fill_(float("nan"))
    cache.v_pool.fill_(float("nan"))
    return cache


@pytest.mark.parametrize(
    ("order", "rooms"),
    [
        ("a", [12]),
        ("abc", [12, 12, 12]),  # evenly spaced: read in place
        ("cab", [12, 12, 12]),  # same places, no even spacing in batch order: copied
        ("abc", [12, 20, 13]),
        ("ab", [5, 40]),  # a's reservation is shorter than b's history
    ],
)
def test_reads_what_the_paged_cache_reads(order: str, rooms: list[int]) -> None:
    cache, twin = contiguous(), paged(num_blocks=40)
    for seq, room in zip("abc", rooms, strict=False):
        cache.create(seq, room)
        twin.create(seq)
    for step, tokens in enumerate([3, 1, 1]):
        for seqs in [order] if step else list(order[:-1]):  # the last one lags behind
            torch.manual_seed(step)
            got = append(cache, list(seqs), tokens)
            torch.manual_seed(step)
            want = append(twin, list(seqs), tokens)
            for (k, v, p), (k_twin, v_twin, p_twin) in zip(got, want, strict=True):
                assert torch.equal(k, k_twin)
                assert torch.equal(v, v_twin)
                assert torch.equal(p, p_twin)
    assert cache.lengths == twin.lengths


def test_equal_neighbours_are_read_in_place() -> None:
    cache = contiguous()
    for seq in "abc":
        cache.create(seq, 16)
    keys, _, _ = append(cache, list("abc"), 5)[1]
    assert keys.untyped_storage().data_ptr() == cache.k_pool.untyped_storage().data_ptr()


def test_room_is_reserved_once_and_refused_by_name() -> None:
    cache = contiguous(40)
    cache.create("a", 20)
    with pytest.raises(SlotsExhausted, match="the longest run has 20"):
        cache.create("b", 21)
    assert "b" not in cache.lengths
    append(cache, ["a"], 19)
    cache.reserve("a", 1)
    with pytest.raises(SlotsExhausted, match="'a' holds 19 of its 20 reserved slots"):
        cache.reserve("a", 2)
    cache.set_batch(["a"])
    kv = torch.zeros(1, 2, 2, 3)
    with pytest.raises(PositionNotReserved, match="'a' has no slot for position 20"):
        cache.update(0, kv, kv, torch.tensor([19, 20]))
    cache.free("a")
    assert cache.slots.runs == [(0, 40)]
    with pytest.raises(UnknownSequence, match="'a'"):
        cache.free("a")


def test_a_reused_run_shows_nothing_of_its_last_owner() -> None:
    cache = contiguous(16)
    cache.create("a", 16)
    append(cache, ["a"], 16)
    cache.free("a")
    for seq in "bc":
        cache.create(seq, 8)
        append(cache, [seq], 2 if seq == "b" else 5)
    keys, _, _ = append(cache, ["b", "c"], 1)[0]
    assert not keys[0, :, 3:].any()

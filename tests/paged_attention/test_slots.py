"""Contiguous reservations: first fit, holes, and a bitmap as naive twin."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from paged_attention.errors import InvariantBroken, SlotNotHeld, SlotsExhausted
from paged_attention.slots import SlotPool


def test_holes_refuse_what_free_slots_in_total_would_hold() -> None:
    pool = SlotPool(64)
    starts = [pool.reserve(20) for _ in range(3)]
    assert starts == [0, 20, 40]
    pool.release(0)
    pool.release(40)
    assert pool.runs == [(0, 20), (40, 24)]
    assert (pool.num_free, pool.longest_run) == (44, 24)
    with pytest.raises(SlotsExhausted, match="44 of 64 are free, the longest run has 24"):
        pool.reserve(28)
    assert pool.runs == [(0, 20), (40, 24)]
    assert pool.reserve(24) == 40
    assert pool.runs == [(0, 20)]


def test_neighbours_join() -> None:
    pool = SlotPool(30)
    for _ in range(3):
        pool.reserve(10)
    pool.release(0)
    pool.release(20)
    pool.release(10)
    assert pool.runs == [(0, 30)]


def test_bad_arguments_change_nothing() -> None:
    with pytest.raises(ValueError, match="num_slots=0"):
        SlotPool(0)
    pool = SlotPool(10)
    start = pool.reserve(4)
    with pytest.raises(ValueError, match="got 0"):
        pool.reserve(0)
    with pytest.raises(SlotNotHeld, match="slot 3"):
        pool.release(3)
    pool.release(start)
    with pytest.raises(SlotNotHeld, match="slot 0"):
        pool.release(start)
    assert pool.runs == [(0, 10)]
    pool.check_invariants()


def test_broken_bookkeeping_is_named() -> None:
    def broken(runs: list[tuple[int, int]], held: dict[int, int]) -> str:
        pool = SlotPool(10)
        pool.runs, pool.held = runs, held
        with pytest.raises(InvariantBroken) as error:
            pool.check_invariants()
        return str(error.value)

    assert "slots 4 and 5" in broken([(5, 5)], {0: 4})
    assert "slots 4 and 3" in broken([(3, 7)], {0: 4})
    assert "touch at slot 4" in broken([(0, 4), (4, 6)], {})
    assert "end at slot 9" in broken([(4, 5)], {0: 4})


@given(st.data())
def test_first_fit_equals_a_bitmap(data: st.DataObject) -> None:
    size = data.draw(st.integers(1, 24))
    pool, bitmap = SlotPool(size), ["."] * size
    for _ in range(data.draw(st.integers(0, 30))):
        if pool.held and data.draw(st.booleans()):
            start = data.draw(st.sampled_from(sorted(pool.held)))
            bitmap[start : start + pool.held[start]] = ["."] * pool.held[start]
            pool.release(start)
        else:
            n = data.draw(st.integers(1, size))
            expected = "".join(bitmap).find("." * n)
            if expected < 0:
                with pytest.raises(SlotsExhausted):
                    pool.reserve(n)
            else:
                assert pool.reserve(n) == expected
                bitmap[expected : expected + n] = ["x"] * n
        pool.check_invariants()
        assert pool.num_free == bitmap.count(".")

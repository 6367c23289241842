"""The block allocator: its law, its refusals, and a cost that ignores the pool's size."""

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from paged_attention.allocator import BlockAllocator
from paged_attention.errors import BlockNotHeld, BlockPoolExhausted, InvariantBroken, UnknownBlock


def state(allocator: BlockAllocator) -> tuple[list[int], list[int]]:
    return allocator.refs.copy(), allocator._free.copy()


def test_a_fresh_pool_hands_out_ids_in_order() -> None:
    allocator = BlockAllocator(4)
    assert allocator.num_free == allocator.num_blocks == 4
    assert [allocator.allocate() for _ in range(4)] == [0, 1, 2, 3]
    assert allocator.refs == [1, 1, 1, 1]


def test_the_block_released_last_is_reused_first() -> None:
    allocator = BlockAllocator(4)
    allocator.allocate_many(4)
    allocator.release_many([1, 3])
    assert allocator.allocate_many(2) == [3, 1]


@pytest.mark.parametrize("num_blocks", [0, -1])
def test_a_pool_has_at_least_one_block(num_blocks: int) -> None:
    with pytest.raises(ValueError, match="at least one block"):
        BlockAllocator(num_blocks)


def test_an_empty_pool_refuses() -> None:
    allocator = BlockAllocator(1)
    allocator.allocate()
    with pytest.raises(BlockPoolExhausted, match="all 1 are held"):
        allocator.allocate()
    assert issubclass(BlockPoolExhausted, MemoryError)


def test_allocate_many_is_all_or_nothing() -> None:
    allocator = BlockAllocator(3)
    allocator.allocate()
    before = state(allocator)
    with pytest.raises(BlockPoolExhausted, match="3 blocks wanted, 2 of 3 free or cached: none"):
        allocator.allocate_many(3)
    with pytest.raises(ValueError, match="-1"):
        allocator.allocate_many(-1)
    assert state(allocator) == before
    assert allocator.allocate_many(0) == []
    assert allocator.allocate_many(2) == [1, 2]


def test_double_release_is_refused() -> None:
    # sgl-project/sglang-jax#994: two paths released one slot.
    allocator = BlockAllocator(4)
    block = allocator.allocate()
    allocator.release(block)
    before = state(allocator)
    with pytest.raises(BlockNotHeld, match="block 0 is released more often"):
        allocator.release(block)
    assert state(allocator) == before
    assert issubclass(BlockNotHeld, RuntimeError)


def test_release_many_is_all_or_nothing() -> None:
    allocator = BlockAllocator(4)
    allocator.allocate_many(3)
    allocator.share(0)
    before = state(allocator)
    for blocks in ([0, 1, 3], [0, 1, 1], [0, 0, 0]):
        with pytest.raises(BlockNotHeld):
            allocator.release_many(blocks)
        assert state(allocator) == before


def test_a_shared_block_is_freed_by_its_last_holder() -> None:
    allocator = BlockAllocator(4)
    block = allocator.allocate()
    allocator.share(block)
    allocator.release(block)
    assert allocator.num_free == 3
    allocator.release(block)
    assert allocator.num_free == 4


def test_a_free_block_cannot_be_shared() -> None:
    allocator = BlockAllocator(2)
    held = allocator.allocate()
    with pytest.raises(BlockNotHeld, match="block 1 is free"):
        allocator.share_many([held, 1])
    assert allocator.refs == [1, 0]


@pytest.mark.parametrize("block", [-1, 2, 99])
@pytest.mark.parametrize("verb", ["share", "release"])
def test_ids_outside_the_pool_are_refused(verb: str, block: int) -> None:
    allocator = BlockAllocator(2)
    allocator.allocate_many(2)
    before = state(allocator)
    with pytest.raises(UnknownBlock, match=f"no block {block}"):
        getattr(allocator, verb)(block)
    assert state(allocator) == before


@given(st.integers(1, 12), st.lists(st.integers(0, 11)), st.integers(-2, 14))
def test_can_allocate_exactly_when_allocate_succeeds(
    num_blocks: int, releases: list[int], n: int
) -> None:
    # vllm-project/vllm#17834: "can" said yes, the allocation failed.
    allocator = BlockAllocator(num_blocks)
    allocator.allocate_many(num_blocks)
    for block in {b for b in releases if b < num_blocks}:
        allocator.release(block)
    can = allocator.can_allocate(n)
    try:
        allocator.allocate_many(n)
    except (BlockPoolExhausted, ValueError):
        assert not can
    else:
        assert can


@given(st.data())
def test_the_law_holds_under_random_traffic(data: st.DataObject) -> None:
    allocator = BlockAllocator(data.draw(st.integers(1, 10)))
    held: list[int] = []  # the naive twin: one entry a hold
    for _ in range(data.draw(st.integers(0, 40))):
        verb = data.draw(st.sampled_from(["allocate", "share", "release", "wrong"]))
        if verb == "allocate":
            n = data.draw(st.integers(0, 4))
            if allocator.can_allocate(n):
                held += allocator.allocate_many(n)
        elif held and verb == "share":
            block = data.draw(st.sampled_from(held))
            allocator.share(block)
            held.append(block)
        elif held and verb == "release":
            held.remove(block := data.draw(st.sampled_from(held)))
            allocator.release(block)
        elif verb == "wrong":
            block = data.draw(st.integers(0, allocator.num_blocks - 1))
            if block not in held:
                with pytest.raises(BlockNotHeld):
                    allocator.release(block)
        allocator.check_invariants()
        assert [held.count(b) for b in range(allocator.num_blocks)] == allocator.refs
        assert allocator.num_free == allocator.num_blocks - len(set(held))


def test_every_kind_of_broken_bookkeeping_is_named() -> None:
    def broken(free: list[int], refs: list[int]) -> str:
        allocator = BlockAllocator(3)
        allocator._free, allocator.refs = free, refs
        with pytest.raises(InvariantBroken) as error:
            allocator.check_invariants()
        return str(error.value)

    assert broken([0, 0, 2], [0, 1, 0]) == "block 0 is in the free list twice"
    assert broken([0, 1], [0, 1, 1]) == "block 1 is free, yet has 1 holders"
    assert broken([0], [0, 1, 0]) == "block 2 is lost: nobody holds it and it is not free"
    assert broken([0, 1], [0, 0, -1]) == "block 2 has -1 holders"


def test_a_block_costs_the_same_in_a_large_pool() -> None:
    """Count interpreter steps, not time: a call may not walk the pool."""
    import sys

    def lines(num_blocks: int) -> int:
        allocator = BlockAllocator(num_blocks)
        blocks = allocator.allocate_many(num_blocks)
        random.Random(0).shuffle(blocks)
        allocator.release_many(blocks)
        count = 0

        def trace(frame: object, event: str, arg: object) -> object:
            nonlocal count
            count += event == "line"
            return trace

        sys.settrace(trace)  # type: ignore[arg-type]
        try:
            block = allocator.allocate()
            allocator.share(block)
            allocator.release_many([block, block])
            allocator.release_many(allocator.allocate_many(10))
        finally:
            sys.settrace(None)
        return count

    assert lines(100) == lines(100_000)

"""Chapter 02: several blocks at once, all or nothing."""

from typing import Any

from paged_attention.errors import BlockPoolExhausted
from workbook.checks.ch02.allocating import next_ids
from workbook.checks.framework import attempt, exercise, expect, shown

allocate_many = exercise(
    "allocate_many",
    label="ex-02-2",
    title="All or nothing",
    stub="MyBulkAllocator",
    takes="class",
    hints=(
        "Look before you take: the stack knows its length.",
        "One comparison with `num_free` and one `raise`; after that, `n` calls of `allocate` "
        "cannot fail.",
    ),
)


@allocate_many.case(
    "a request for too many is refused whole",
    tried="pool of 4; allocate(); allocate(); allocate_many(3)",
    right="BlockPoolExhausted, num_free still 2",
    why="A call that cannot give all it was asked for gives nothing, and says so.",
)
def _refused_whole(allocator: Any) -> None:
    pool = allocator(4)
    pool.allocate()
    pool.allocate()
    outcome = attempt(pool.allocate_many, 3)
    if outcome.error is None:
        expect(
            False,
            got=str(outcome),
            why="The caller wanted 3 blocks and goes on as if it had them. It finds out when it "
            "writes the tokens that have no place.",
        )
    expect(
        outcome.raised(BlockPoolExhausted),
        got=str(outcome),
        why="It is refused, but under another name: who catches BlockPoolExhausted, to let a "
        "request wait, doesn't hear of it.",
    )
    expect(
        pool.num_free != 2 or sorted(pool.refs) == [0, 0, 1, 1],
        got=f"{type(outcome.error).__name__}, and now refs is {shown(pool.refs)}",
        right="BlockPoolExhausted, refs still [1, 1, 0, 0]",
        why="The ids are on the stack again, and still count a holder. Undo both, or look before "
        "you take.",
    )
    expect(
        pool.num_free == 2,
        got=f"{type(outcome.error).__name__}, and now num_free is {shown(pool.num_free)}",
        why="Blocks were taken before it was clear that there are enough. The call was refused, "
        "the caller has no list of them, and nobody will ever release them. (This happened: "
        "ovg-project/kvcached#364)",
    )


@allocate_many.case(
    "a refusal leaves the stack as it was, id by id",
    tried="pool of 5; take 0, 1, 2; release(1); allocate_many(4)",
    right="BlockPoolExhausted, and the next ids are [1, 3, 4], as before",
    why="A refused call changes nothing, and the order of the free ids is part of what there is: "
    "the top must be the block that came back last.",
)
def _stack_unchanged(allocator: Any) -> None:
    pool = allocator(5)
    for _ in range(3):
        pool.allocate()
    pool.release(1)
    before = next_ids(pool)
    outcome = attempt(pool.allocate_many, 4)
    expect(outcome.raised(BlockPoolExhausted), got=str(outcome))
    expect(next_ids(pool) == before, got=f"the next ids are {shown(next_ids(pool))}")


@allocate_many.case(
    "none, and exactly what is left",
    tried="pool of 4; allocate_many(0); allocate_many(4)",
    right="[] with num_free 4, then four different blocks",
    why="Both are ordinary: a token that fits its last block needs 0 new ones, and the last free "
    "block is as good as the first.",
)
def _none_and_all(allocator: Any) -> None:
    pool = allocator(4)
    nothing = attempt(pool.allocate_many, 0)
    expect(
        nothing.error is None,
        tried="pool of 4; allocate_many(0)",
        got=str(nothing),
        right="[], num_free still 4",
        why="None is a number of blocks, too: a token that fits its last block needs no new one. "
        "Such a call is no mistake of the caller's.",
    )
    expect(
        list(nothing.value) == [] and pool.num_free == 4,
        tried="pool of 4; allocate_many(0)",
        got=f"{nothing}; num_free is {shown(pool.num_free)}",
        right="[], num_free still 4",
        why="Nothing was asked for and blocks were taken. In Python `free[-0:]` is the whole list."
        if pool.num_free == 0
        else "None were asked for, and a block was taken: it is in no list, so nobody will "
        "release it.",
    )
    everything = attempt(pool.allocate_many, 4)
    expect(
        everything.error is None,
        got=str(everything),
        why="Four were asked for and four are free: an exact fit was refused, so the last block of "
        "the pool can never be used.",
    )
    expect(
        isinstance(everything.value, list),
        tried="pool of 4; allocate_many(4)",
        got=shown(everything.value),
        right="a list of 4 ids",
    )
    expect(
        len(everything.value) == 4,
        got=f"{shown(everything.value)}, num_free {shown(pool.num_free)}",
        right="each of 0, 1, 2, 3 once, and every count 1",
        why="As many ids as were asked for: each turn of a loop adds one, and no `return` ends it.",
    )
    expect(
        pool.num_free == 0,
        got=f"{shown(everything.value)}, num_free {shown(pool.num_free)}",
        right="each of 0, 1, 2, 3 once, and num_free 0",
        why="The ids were handed out and are still on the stack: the next caller gets them, too.",
    )
    expect(
        sorted(everything.value) == [0, 1, 2, 3] and list(pool.refs) == [1] * 4,
        got=f"{shown(everything.value)}, refs {shown(pool.refs)}",
        right="each of 0, 1, 2, 3 once, and every count 1",
    )


@allocate_many.case(
    "some, and then the rest",
    tried="pool of 7; allocate_many(3), then allocate_many(4)",
    right="three different ids with num_free 4, then the other four; every count is 1",
    why="The ids that are handed out must be the ids that leave the stack.",
)
def _some_and_rest(allocator: Any) -> None:
    pool = allocator(7)
    some = list(pool.allocate_many(3))
    expect(
        len(some) == 3 and pool.num_free == 4,
        tried="pool of 7; allocate_many(3)",
        got=f"{shown(some)}, num_free {shown(pool.num_free)}",
        right="3 ids, num_free 4",
        why="As many ids as were asked for, and no more: the rest is somebody else's to ask for.",
    )
    blocks = some + list(pool.allocate_many(4))
    expect(
        sorted(blocks) == list(range(7)) and list(pool.refs) == [1] * 7,
        got=f"{shown(some)}, then {shown(blocks[3:])}, refs {shown(pool.refs)}",
    )
    twin = allocator(7)
    one_by_one = [twin.allocate() for _ in range(7)]
    expect(
        blocks == one_by_one,
        got=f"{shown(some)}, then {shown(blocks[3:])}",
        right=f"{shown(one_by_one[:3])}, then {shown(one_by_one[3:])}",
        why="The right blocks in another order: the top of the stack comes first, as it would from "
        "calls of `allocate`.",
    )


@allocate_many.case(
    "from the top, in whatever order the stack is",
    tried="pool of 6; take 0, 1, 2, 3; release 1, 3, 0; allocate_many(4)",
    right="[0, 3, 1, 4]",
    why="The ids leave in the stack's order, last one in first. That order says which block came "
    "back last.",
)
def _in_order(allocator: Any) -> None:
    pool = allocator(6)
    for _ in range(4):
        pool.allocate()
    for block in (1, 3, 0):
        pool.release(block)
    got = pool.allocate_many(4)
    expect(got == [0, 3, 1, 4], got=shown(got))
    fresh = allocator(4)
    outcome = attempt(fresh.allocate_many, 5)
    expect(
        outcome.raised(BlockPoolExhausted) and fresh.num_free == 4,
        tried="pool of 4; allocate_many(5)",
        got=f"{outcome}; num_free is {shown(fresh.num_free)}",
        right="BlockPoolExhausted, num_free still 4",
        why="More than the whole pool has is refused like any other number, before a block goes.",
    )

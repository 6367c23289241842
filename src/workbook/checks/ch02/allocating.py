"""Chapter 02: allocate and release, all or nothing."""

import copy
from collections import Counter
from typing import Any

from paged_attention.errors import BlockNotHeld, BlockPoolExhausted
from workbook.checks.framework import attempt, exercise, expect, shown

allocate_release = exercise(
    "allocate_release",
    label="ex-02-1",
    title="Allocate and release",
    stub="MyAllocator",
    takes="class",
    hints=(
        "Who holds a block is written in `refs`: 0 means nobody. Read it before you change "
        "anything.",
        "Test first. `allocate` raises when the stack is empty, else it pops an id and sets its "
        "count to 1. `release` raises when the count is 0, else it sets the count to 0 and pushes "
        "the id.",
    ),
)
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


def next_ids(pool: Any) -> list[int]:
    """The ids that ``pool`` would hand out next, in their order, asked of a copy."""
    twin = copy.deepcopy(pool)
    return [twin.allocate() for _ in range(twin.num_free)]


@allocate_release.case(
    "a fresh pool is all free",
    tried="pool = Allocator(4)",
    right="num_free is 4, refs is [0, 0, 0, 0]",
    why="A block that is neither free nor held can never be used.",
)
def _fresh(allocator: Any) -> None:
    pool = allocator(4)
    expect(
        pool.num_free == 4 and list(pool.refs) == [0] * 4,
        got=f"num_free is {shown(pool.num_free)}, refs is {shown(pool.refs)}",
    )


@allocate_release.case(
    "two allocations never share a block",
    tried="pool of 4; allocate() four times",
    right="each of 0, 1, 2, 3 once, in any order; then num_free is 0 and every count is 1",
    why="Each allocation has one owner, and refs is where that is written down.",
)
def _distinct(allocator: Any) -> None:
    pool = allocator(4)
    blocks = [pool.allocate() for _ in range(4)]
    twice = [block for block, times in Counter(blocks).items() if times > 1]
    if twice:
        expect(
            False,
            got=f"blocks {shown(blocks)}",
            why=f"Block {twice[0]} went to two owners. Each will overwrite the other's keys and "
            "values.",
        )
    expect(
        sorted(blocks) == [0, 1, 2, 3] and pool.num_free == 0 and list(pool.refs) == [1] * 4,
        got=f"blocks {shown(blocks)}, num_free {shown(pool.num_free)}, refs {shown(pool.refs)}",
    )


@allocate_release.case(
    "releasing a block twice",
    tried="a = allocate(); release(a); release(a)",
    right="BlockNotHeld, num_free still 4",
    why="Whoever releases twice has lost track of what it holds, and must hear of it at once.",
)
def _double_release(allocator: Any) -> None:
    pool = allocator(4)
    block = pool.allocate()
    pool.release(block)
    expect(
        pool.num_free == 4,
        tried="a = allocate(); release(a)",
        got=f"num_free is {shown(pool.num_free)} in a pool of 4",
        right="num_free is 4",
        why=f"Nobody holds block {block}, and it is not free: it is lost until the process ends.",
    )
    expect(
        list(pool.refs) == [0] * 4,
        tried="a = allocate(); release(a)",
        got=f"num_free is 4, refs is {shown(pool.refs)}",
        right="refs is [0, 0, 0, 0]",
        why="The id came back and a holder is still counted: the next release of it, by nobody, "
        "would be accepted.",
    )
    second = attempt(pool.release, block)
    expect(
        pool.num_free == 4,
        got=f"{second}; num_free is {shown(pool.num_free)} in a pool of 4",
        why=f"block {block} is now in the free list twice. Two sequences will be given the same "
        "memory, and each will read the other's history. (This happened: sgl-project/sglang#18694)",
    )
    expect(
        second.raised(BlockNotHeld),
        got=f"{second}; num_free is 4",
        why="It is refused, but under another name: who catches BlockNotHeld doesn't hear of it."
        if second.error
        else None,
    )
    expect(
        list(pool.refs) == [0] * 4,
        got=f"{second}; refs is {shown(pool.refs)}",
        right="the error, and refs still [0, 0, 0, 0]",
        why=f"The call was refused and has still changed something: block {block} now counts "
        f"{shown(pool.refs[block])} holders. Test first, then write.",
    )


@allocate_release.case(
    "an empty pool says so",
    tried="pool of 2; allocate() three times",
    right="BlockPoolExhausted at the third, and the first two still held",
    why="A full pool is an everyday event: a scheduler catches BlockPoolExhausted and lets a "
    "request wait. Any other error reads as a bug and stops the server.",
)
def _empty(allocator: Any) -> None:
    pool = allocator(2)
    pool.allocate()
    pool.allocate()
    third = attempt(pool.allocate)
    expect(third.raised(BlockPoolExhausted), got=str(third))
    expect(
        pool.num_free == 0 and list(pool.refs) == [1, 1],
        got=f"{third}; num_free is {shown(pool.num_free)}, refs is {shown(pool.refs)}",
        right="the error, num_free still 0 and refs still [1, 1]",
        why="A refused call changes nothing.",
    )


@allocate_release.case(
    "a released block can be taken again",
    tried="pool of 2; take both; release(1); allocate()",
    right="block 1",
    why="Memory that comes back must go out again, or the pool shrinks with every request.",
)
def _reuse(allocator: Any) -> None:
    pool = allocator(2)
    pool.allocate()
    pool.allocate()
    pool.release(1)
    again = attempt(pool.allocate)
    expect(
        again.error is None,
        got=str(again),
        why="Block 1 was given back and never returned to the free list. Each request makes the "
        "pool smaller, and after a while nobody runs.",
    )
    expect(again.value == 1, got=str(again))


@allocate_release.case(
    "the top of the stack goes first",
    tried="pool of 5; take 0, 1, 2; release(0); release(2); then allocate() four times",
    right="blocks [2, 0, 3, 4]",
    why="The id that came back last lies on top. A queue gives out a block that was released "
    "by mistake long after the mistake; a stack, at the next call.",
)
def _last_in_first_out(allocator: Any) -> None:
    pool = allocator(5)
    for _ in range(3):
        pool.allocate()
    pool.release(0)
    pool.release(2)
    got = [pool.allocate() for _ in range(4)]
    expect(got == [2, 0, 3, 4], got=f"blocks {shown(got)}")


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
    expect(outcome.raised(BlockPoolExhausted), got=str(outcome))
    expect(
        pool.num_free == 2 and sorted(pool.refs) == [0, 0, 1, 1],
        got=f"{type(outcome.error).__name__}, and now num_free is {shown(pool.num_free)}",
        why="The request was refused, yet blocks are gone: the caller has no list of them, so "
        "nobody will ever release them. (This happened: ovg-project/kvcached#364)",
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
        why="Nothing was asked for and blocks were taken. In Python `free[-0:]` is the whole list.",
    )
    everything = attempt(pool.allocate_many, 4)
    expect(
        everything.error is None,
        got=str(everything),
        why="Four were asked for and four are free: an exact fit was refused, so the last block of "
        "the pool can never be used.",
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

"""Chapter 02: allocate and release."""

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
    blocks = []
    for number in range(1, 5):
        outcome = attempt(pool.allocate)
        expect(
            not outcome.raised(BlockPoolExhausted),
            tried=f"pool of 4; allocate() number {number}",
            got=f"{outcome}; num_free is {shown(pool.num_free)}",
            right="a block",
            why="It was refused while a block was free. The last free one is as good as the first: "
            "refuse only when none is left.",
        )
        if outcome.error:
            raise outcome.error
        blocks.append(outcome.value)
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
    first = attempt(pool.release, block)
    expect(
        not first.raised(BlockNotHeld),
        tried="a = allocate(); release(a)",
        got=str(first),
        right="no error, num_free is 4",
        why="The first release was refused, and the block has a holder: its count is 1. Is the "
        "test the wrong way round?",
    )
    if first.error:
        raise first.error
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
        not second.error or pool.num_free == 4,
        got=f"{second}; num_free is {shown(pool.num_free)} in a pool of 4",
        why="It was refused, and the id had been pushed before: it is on the stack twice. Test "
        "first, then write.",
    )
    expect(
        pool.num_free == 4,
        got=f"{second}; num_free is {shown(pool.num_free)} in a pool of 4",
        why=f"Nobody held block {block}, and it was taken back again, so it is in the free list "
        "twice. Two sequences will be given the same memory, and each will read the other's "
        "history. Ask the count first. (This happened: sgl-project/sglang#18694)",
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
    expect(
        third.error is not None,
        got=str(third),
        why="Nothing was raised, and the caller writes into a block that it doesn't have. A "
        "scheduler that is told, by BlockPoolExhausted, lets a request wait.",
    )
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
    taken = [pool.allocate() for _ in range(3)]
    expect(
        taken == [0, 1, 2],
        tried="pool of 5; allocate() three times",
        got=f"blocks {shown(taken)}",
        right="blocks [0, 1, 2]",
        why="They came from the other end, the bottom of the stack. Its top is the end of the "
        "list: `pop()` takes from there, and `append` puts there.",
    )
    pool.release(0)
    pool.release(2)
    got = [pool.allocate() for _ in range(4)]
    expect(got == [2, 0, 3, 4], got=f"blocks {shown(got)}")

"""Chapter 02: allocate and release, all or nothing, holders."""

import random
from collections import Counter
from typing import Any

from paged_attention.checks.core import attempt, expect, shown
from paged_attention.checks.house import exercise, suite
from paged_attention.errors import BlockPoolExhausted

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
share_release = exercise(
    "share_release",
    label="ex-02-3",
    title="Share and release",
    stub="MySharingAllocator",
    takes="class",
    hints=(
        "A new holder changes one number, and moves no id.",
        "`share` raises when the count is 0, else adds 1. `release` raises at 0, else takes 1 "
        "away, and only the release that reaches 0 pushes the id.",
    ),
)
suite("allocator", allocate_release, allocate_many, share_release)


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
    right="RuntimeError, num_free still 4",
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
    second = attempt(pool.release, block)
    expect(
        pool.num_free == 4,
        got=f"{second}; num_free is {shown(pool.num_free)} in a pool of 4",
        why=f"block {block} is now in the free list twice. Two sequences will be given the same "
        "memory, and each will read the other's history. (This happened: sgl-project/sglang#12224)",
    )
    expect(second.raised(RuntimeError), got=f"{second}; num_free is 4")
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
        "nobody will ever release them. (This happened: inference-sim/inference-sim#200)",
    )


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
        nothing.error is None and list(nothing.value) == [] and pool.num_free == 4,
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


@share_release.case(
    "only the last holder frees, and what nobody holds cannot be shared",
    tried="pool of 4; b = allocate(); share(b); release(b); release(b)",
    right="num_free is 3 after the first release, 4 after the second",
    why="refs[b] is the number of holders, and each of them owes one release.",
)
def _last_holder(allocator: Any) -> None:
    pool = allocator(4)
    block = pool.allocate()
    pool.share(block)
    expect(
        pool.refs[block] == 2 and pool.num_free == 3,
        tried="pool of 4; b = allocate(); share(b)",
        got=f"refs[b] is {shown(pool.refs[block])}, num_free is {shown(pool.num_free)}",
        right="refs[b] is 2, num_free is 3",
        why="To share is to use the same memory: one more holder of block b, and no block taken.",
    )
    pool.release(block)
    expect(
        pool.refs[block] == 1,
        tried="pool of 4; b = allocate(); share(b); release(b)",
        got=f"refs[b] is {shown(pool.refs[block])}",
        right="refs[b] is 1",
        why="One of the two holders has left; the count says how many remain.",
    )
    expect(
        pool.num_free == 3,
        tried="pool of 4; b = allocate(); share(b); release(b)",
        got=f"num_free is {shown(pool.num_free)}",
        right="num_free is 3",
        why="The other holder still reads block b, and the pool will give it to a third, who "
        "writes over it.",
    )
    pool.release(block)
    expect(
        pool.num_free == 4,
        got=f"num_free is {shown(pool.num_free)} at the end",
        why="Everyone has left and the block did not come back: shared once, it is lost for good.",
    )
    stranger = attempt(pool.share, block)
    expect(
        stranger.raised(RuntimeError) and pool.refs[block] == 0,
        tried="share(b) when nobody holds b",
        got=f"{stranger}; refs[b] is {shown(pool.refs[block])}",
        right="RuntimeError, refs[b] still 0",
        why="Block b is free and now also in use. Its next owner overwrites what the sharer reads.",
    )


@share_release.case(
    "1,000 random operations keep the law",
    tried="pool of 8; allocate, allocate_many, share and release in random order, with seed 2",
    right="after every operation: refs[b] is the number of holders, num_free the number of zeros",
    why="free + held == total, each block in one place: what holds after every step holds after a "
    "year.",
)
def _random_operations(allocator: Any) -> None:
    draw = random.Random(2)
    pool = allocator(8)
    holds: list[int] = []  # one entry a holder
    for step in range(1, 1001):
        operation = draw.choice(["allocate", "allocate_many", "share", "release"])
        if operation == "allocate" and pool.num_free:
            taken = [pool.allocate()]
        elif operation == "allocate_many":
            taken = list(pool.allocate_many(draw.randint(0, pool.num_free)))
        elif operation == "share" and holds:
            block = draw.choice(holds)
            pool.share(block)
            holds.append(block)
            taken = []
        elif operation == "release" and holds:
            pool.release(holds.pop(draw.randrange(len(holds))))
            taken = []
        else:
            continue
        stolen = sorted(set(taken) & set(holds))
        if stolen:
            expect(
                False,
                got=f"step {step}: {operation} gave out block {stolen[0]}, which has a holder",
                why="A block has been freed too early, and two sequences now write to it.",
            )
        holds += taken
        _law(pool, holds, f"step {step}, {operation}")


def _law(pool: Any, holds: list[int], where: str) -> None:
    count = Counter(holds)
    for block in range(8):
        expect(
            pool.refs[block] == count[block],
            got=f"{where}: block {block} has {count[block]} holders and refs[{block}] is "
            f"{shown(pool.refs[block])}",
        )
    expect(
        pool.num_free == 8 - len(count),
        got=f"{where}: {len(count)} blocks are held and num_free is {shown(pool.num_free)} in a "
        "pool of 8",
    )

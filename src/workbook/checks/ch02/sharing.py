"""Chapter 02: share and release, and the three exercises of the allocator together."""

import random
from collections import Counter
from typing import Any

from paged_attention.errors import BlockNotHeld
from workbook.checks.ch02.all_or_nothing import allocate_many
from workbook.checks.ch02.allocating import allocate_release, next_ids
from workbook.checks.framework import attempt, exercise, expect, shown, suite

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
        pool.refs[block] != 1 or pool.num_free != 3,
        tried="pool of 4; b = allocate(); share(b)",
        got="refs[b] is 1, num_free is 3",
        right="refs[b] is 2, num_free is 3",
        why="Nothing has changed: the new holder was counted nowhere. `refs[block] + 1` alone "
        "writes nothing; `refs[block] += 1` does.",
    )
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
        why="The id was pushed while a holder is left, who still reads block b: the pool will give "
        "it to a third, who writes over it. Only the last one frees.",
    )
    last = attempt(pool.release, block)
    expect(
        not last.raised(BlockNotHeld),
        got=f"{last}; refs is {shown(pool.refs)}",
        why="The last holder's release was refused. A count of 1 is a holder, who has the right to "
        "leave."
        if pool.refs[block]
        else "The count was taken down to 0 first, and then `release` was asked whether anybody "
        "holds the block. Test before you write.",
    )
    if last.error:
        raise last.error
    expect(
        pool.num_free == 4,
        got=f"num_free is {shown(pool.num_free)} at the end",
        why="Everyone has left, and the block did not come back: where the count has come to 0, "
        "nothing pushes the id. Ask for 0 after counting down.",
    )
    expect(
        pool.refs[block] == 0,
        got=f"num_free is 4, and refs[b] is {shown(pool.refs[block])}",
        right="num_free is 4, and refs[b] is 0",
        why="The last holder has left and is still counted: `release` takes one away every time, "
        "also when it frees the block.",
    )
    stranger = attempt(pool.share, block)
    expect(
        not stranger.error or stranger.raised(BlockNotHeld),
        tried="share(b) when nobody holds b",
        got=str(stranger),
        right="BlockNotHeld, refs[b] still 0",
        why="It is refused, but under another name: who catches BlockNotHeld doesn't hear of it.",
    )
    expect(
        not stranger.error or pool.refs[block] == 0,
        tried="share(b) when nobody holds b",
        got=f"{stranger}; refs is {shown(pool.refs)}",
        right="BlockNotHeld, refs[b] still 0",
        why="It was refused, and a holder had been counted before. Test first, then write.",
    )
    expect(
        stranger.error is not None or pool.refs[block] != 0,
        tried="share(b) when nobody holds b",
        got=f"{stranger}; refs is {shown(pool.refs)}",
        right="BlockNotHeld, refs[b] still 0",
        why="Nothing was done and nothing was said: the caller believes that it holds block b. "
        "Raise.",
    )
    expect(
        stranger.raised(BlockNotHeld) and pool.refs[block] == 0,
        tried="share(b) when nobody holds b",
        got=f"{stranger}; refs[b] is {shown(pool.refs[block])}, num_free is {pool.num_free}",
        right="BlockNotHeld, refs[b] still 0",
        why="Block b is free and now also in use. Its next owner overwrites what the sharer reads.",
    )


@share_release.case(
    "a release too many is refused",
    tried="pool of 4; b = allocate(); share(b); then release(b) three times",
    right="BlockNotHeld at the third, num_free still 4, refs still [0, 0, 0, 0]",
    why="Nobody holds block b any more. A count below 0, or a second id on the stack, is the fault "
    "that this chapter began with.",
)
def _release_too_many(allocator: Any) -> None:
    pool = allocator(4)
    block = pool.allocate()
    pool.share(block)
    pool.release(block)
    pool.release(block)
    third = attempt(pool.release, block)
    expect(
        not third.error or (pool.num_free == 4 and list(pool.refs) == [0] * 4),
        got=f"{third}; num_free is {shown(pool.num_free)}, refs is {shown(pool.refs)}",
        why="It was refused and has still changed something. Test first, then write.",
    )
    expect(
        third.raised(BlockNotHeld) and pool.num_free == 4 and list(pool.refs) == [0] * 4,
        got=f"{third}; num_free is {shown(pool.num_free)}, refs is {shown(pool.refs)}",
    )


@share_release.case(
    "a block that comes back lies on top",
    tried="pool of 5; take 0, 1, 2; share(1); release(1) twice; allocate()",
    right="block 1",
    why="The id that came back last goes out first, as in the first exercise: with a queue the "
    "fault of a wrong release shows long after its cause.",
)
def _lands_on_top(allocator: Any) -> None:
    pool = allocator(5)
    for _ in range(3):
        pool.allocate()
    pool.share(1)
    pool.release(1)
    pool.release(1)
    expect(next_ids(pool)[:1] == [1], got=f"the next ids are {shown(next_ids(pool))}")


@share_release.case(
    "as many holders as there are",
    tried="pool of 4; b = allocate(); share(b) three times; then four times release(b)",
    right="counts 2, 3, 4, then 3, 2, 1, 0, and only the last release frees the block",
    why="Each holder is counted, whatever their number, and each leaves once.",
)
def _many_holders(allocator: Any) -> None:
    pool = allocator(4)
    block = pool.allocate()
    seen: list[int] = []
    for verb in (pool.share,) * 3 + (pool.release,) * 4:
        outcome = attempt(verb, block)
        if outcome.raised(BlockNotHeld):
            expect(
                False,
                got=f"counts {shown(seen)}, then {outcome}",
                why="A holder was refused, and block b is held: it has no largest number of "
                "holders.",
            )
        if outcome.error:
            raise outcome.error
        seen.append(pool.refs[block])
    expect(
        seen == [2, 3, 4, 3, 2, 1, 0] and pool.num_free == 4,
        got=f"counts {shown(seen)}, num_free {shown(pool.num_free)}",
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

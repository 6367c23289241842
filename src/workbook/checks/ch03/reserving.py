"""Chapter 03: reserve, the call that makes a table longer."""

from typing import Any

from workbook.checks.framework import attempt, exercise, expect, shown
from workbook.checks.toolboxes.growth import (
    blocks_in_words,
    grows_by_edges,
    refuses_whole,
    small_cache,
)

reserve = exercise(
    "reserve",
    label="ex-03-4",
    title="Reserve",
    stub="reserve",
    takes="function",
    answers=False,
    hints=(
        "How many blocks will the sequence need in all, and how many has it got? Count from its "
        "length, not from what is reserved.",
        "`missing = ceil_div(length + new_tokens, block_size) - len(table)`. If that is more than "
        "0, one call of `allocate_many` and one `extend`: whatever can fail comes before whatever "
        "changes.",
    ),
)


@reserve.case(
    "blocks follow the length",
    tried="prompts of 3, 4 and 5 tokens, then 8 times one more, blocks of 4",
    right="ceil(length / 4) blocks at every step",
    why="A sequence holds the blocks it needs.",
)
def _edges(function: Any) -> None:
    grows_by_edges(small_cache, function)


@reserve.case(
    "a request that doesn't fit is refused whole",
    tried="A holds 1 block, 2 are free; reserve(cache, 'A', 12) wants 3",
    right="BlockPoolExhausted, and nothing changed",
    why="A call that can't give all it was asked for raises, so that the step never starts.",
)
def _refused(function: Any) -> None:
    refuses_whole(small_cache, function)


@reserve.case(
    "exactly what is left",
    tried="a pool of 3 blocks of 4; reserve(cache, 'A', 12)",
    right="3 blocks, none free",
    why="The last free block is as good as the first.",
)
def _exact(function: Any) -> None:
    cache = small_cache(3)
    cache.create("A")
    outcome = attempt(function, cache, "A", 12)
    blocks = len(cache.tables["A"])
    expect(
        outcome.error is None and blocks == 3 and cache.allocator.num_free == 0,
        got=f"{type(outcome.error).__name__ if outcome.error else 'no error'}; "
        f"{blocks_in_words(blocks)}, {shown(cache.allocator.num_free)} free",
    )


@reserve.case(
    "what is reserved already counts",
    tried="length 0; reserve 9, then 5, then 0",
    right="3 blocks after each call, the same ones",
    why="A retry of the same step must not take blocks a second time.",
)
def _again(function: Any) -> None:
    cache = small_cache(60)
    cache.create("A")
    tables = []
    for new in (9, 5, 0):
        outcome = attempt(function, cache, "A", new)
        expect(
            outcome.error is None,
            got=str(outcome),
            why="Fewer than are there already: the number missing is below 0, and then there is "
            "nothing to do.",
        )
        tables.append(list(cache.tables["A"]))
    first = tables[0]
    expect(
        len(first) == 3 and tables == [first] * 3,
        got=f"tables {', then '.join(shown(table) for table in tables)}",
    )


@reserve.case(
    "new blocks come after the old ones",
    tried="A reserves 8 and writes them, B reserves 8, A reserves 8 more",
    right="A's two blocks stay first, in their order",
    why="Position p is found through entry p // 4: an old block that moves takes 4 tokens to "
    "other positions.",
)
def _order(function: Any) -> None:
    cache = small_cache(60)
    cache.allocator.release_many(cache.allocator.allocate_many(60))  # the highest go out first
    for seq in "AB":
        cache.create(seq)
        function(cache, seq, 8)
    before, other = list(cache.tables["A"]), list(cache.tables["B"])
    cache.lengths["A"] = 8
    function(cache, "A", 8)
    table = list(cache.tables["A"])
    expect(
        len(before) == 2 and table[:2] == before and len(table) == 4,
        got=f"A's table is {shown(table)}, it was {shown(before)}",
        right="4 blocks, the first two as they were",
        why="The second block has moved, and positions 4 to 7 with it: new blocks go to the end."
        if len(table) == 4 and table[:1] == before[:1]
        else None,
    )
    expect(
        isinstance(cache.tables["A"], list),
        got=f"A's table is a {type(cache.tables['A']).__name__}",
        right="a list",
        why="A table grows and shrinks in place; what can't change is no table.",
    )
    expect(not set(other) & set(table), got=f"A's table is {shown(table)}, B's is {shown(other)}")


@reserve.case(
    "the cache knows how long its blocks are",
    tried="a cache with blocks of 3; reserve(cache, 'A', 7)",
    right="3 blocks",
    why="`cache.block_size` is 3 here. A size written into the code fits one cache only.",
)
def _other_size(function: Any) -> None:
    cache = small_cache(60, block_size=3)
    cache.create("A")
    function(cache, "A", 7)
    blocks = len(cache.tables["A"])
    expect(
        blocks == 3,
        got=f"{blocks_in_words(blocks)}, which is room for {3 * blocks} tokens; table "
        f"{shown(cache.tables['A'])}",
    )

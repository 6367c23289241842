"""Chapter 04: reserve, which copies the block it is about to write if others hold it, too."""

import itertools
from collections.abc import Sequence
from typing import Any

from paged_attention.errors import BlockPoolExhausted
from workbook.checks.framework import CheckFailed, attempt, exercise, expect, shown
from workbook.checks.toolboxes.growth import grows_by_edges
from workbook.checks.toolboxes.known_tokens import (
    HEAD,
    LAYER,
    expect_counted,
    read,
    state,
    used,
    write,
    written,
)

copying_reserve = exercise(
    "copying_reserve",
    label="ex-04-2",
    title="Reserve with copy-on-write",
    stub="reserve",
    takes="function",
    hints=(
        "Before you take anything, answer two questions. How many blocks are missing at the end of "
        "the table? Will the first new token fall into a block that has a second holder?",
        "`index, offset = divmod(length, block_size)`: there is something to copy if `new_tokens` "
        "and `offset` are above 0 and `refs[table[index]]` is above 1. Take all blocks with one "
        "`allocate_many`; then copy keys and values in every layer, release the old block, and put "
        "the new one into the table.",
    ),
)


def _forked(tokens: int, children: str = "bc", **sizes: int) -> Any:
    cache = written(tokens, **sizes)
    for child in children:
        cache.fork("a", child)
    return cache


def _expect_tables(cache: Any, **tables: list[int]) -> None:
    """Same shape as ``tables``: which entries are shared and which are one's own."""
    expect(
        {seq: list(cache.tables[seq]) for seq in tables} == tables,
        got=state(cache),
        right=f"tables {shown(tables)}",
    )


@copying_reserve.case(
    "without forks it is the reserve of chapter 3",
    tried="prompts of 3, 4 and 5 tokens, then 8 times one more, blocks of 4",
    right="ceil(length / 4) blocks at every step",
    why="A sequence holds the blocks it needs.",
)
def _edges(function: Any) -> None:
    from paged_attention.cache import PagedKVCache

    outcome = attempt(grows_by_edges, lambda blocks: PagedKVCache(1, blocks, 4, 1, 1), function)
    if isinstance(outcome.error, IndexError):
        raise CheckFailed(
            str(outcome),
            why="When the last block is full, or there is none yet, the table has no entry for the "
            "next token. Then there is nothing to copy either: look at the offset first.",
        )
    if outcome.error is not None:
        raise outcome.error


@copying_reserve.case(
    "the first writer gets a block of its own",
    tried="6 tokens, forks b and c: three tables [0, 1]; reserve(cache, 'a', 1)",
    right="a's table is [0, 2], those of b and c are [0, 1], refs [3, 2, 1]",
    why="a will write position 6 into block 1, slot 2. So will b and c.",
)
def _first(function: Any) -> None:
    cache = _forked(6)
    function(cache, "a", 1)
    table = list(cache.tables["a"])
    why = None
    if table == [0, 1]:
        why = "All three will write position 6 into slot 2 of block 1, and read what the last of "
        why += "them put there. (This happened: Avarok-Cybersecurity/atlas#1193)"
    elif len(table) == 3:
        why = "A block was added at the end; but position 6 is found through entry 1 of the table."
    elif table[0] != 0:
        why = "Block 0 is full, nobody will ever write to it again: sharing it is safe."
    expect(table == [0, 2], got=state(cache), why=why)
    expect_counted(cache)
    _expect_tables(cache, a=[0, 2], b=[0, 1], c=[0, 1])


@copying_reserve.case(
    "the copy has keys and values, in every layer",
    tried="3 layers, 2 KV heads, 6 tokens, fork b; reserve(cache, 'a', 1); read positions 4 and 5 "
    "of a",
    right="the same keys and values as before, in every layer and head",
    why="Attention of every layer reads them, and a's table no longer leads to the old block.",
)
def _content(function: Any) -> None:
    cache = _forked(6, "b", layers=3, kv_heads=2)
    function(cache, "a", 1)
    block = cache.tables["a"][1]
    pools = (("K", cache.k_pool, 1), ("V", cache.v_pool, -1))
    for layer, head, (name, pool, sign) in itertools.product(range(3), range(2), pools):
        for position in (4, 5):
            got = float(pool[layer][block, head, position % 4, 0])
            right = float(sign * (position + HEAD * head + LAYER * layer))
            where = f"layer {layer}, head {head}" if head else f"layer {layer}"
            expect(
                got == right,
                got=f"{where}: {name} at position {position} is {got:g}",
                right=f"{right:g}",
            )


@copying_reserve.case(
    "the last holder writes in place",
    tried="a pool of 4; 6 tokens, forks b and c; reserve 1 for a, for b, for c",
    right="a [0, 2], b [0, 3], c [0, 1]: all 4 blocks used",
    why="When a and b have their copies, c is alone in block 1.",
)
def _last(function: Any) -> None:
    cache = _forked(6, num_blocks=4)
    for seq in "abc":
        outcome = attempt(function, cache, seq, 1)
        expect(
            outcome.error is None,
            got=f"{outcome}; {state(cache)}",
            why="A block with one holder is to be copied, and a fifth block isn't there: 4 "
            "suffice. Nobody else sees what the last holder writes."
            if seq == "c"
            else None,
        )
    expect(
        used(cache) == 4,
        got=f"{used(cache)} blocks used; {state(cache)}",
        why="Two sequences will write position 6 into one slot. Among holders there is no owner "
        "and no guest: whoever writes while others hold the block copies it.",
    )
    _expect_tables(cache, a=[0, 2], b=[0, 3], c=[0, 1])
    expect_counted(cache)


@copying_reserve.case(
    "a full last block is never copied",
    tried="8 tokens in blocks 0 and 1, fork b; reserve(cache, 'b', 1)",
    right="b's table is [0, 1, 2], refs [2, 2, 1]",
    why="Position 8 begins a new block, and nobody writes to a full one.",
)
def _full(function: Any) -> None:
    cache = _forked(8, "b")
    function(cache, "b", 1)
    expect(
        cache.tables["b"][:2] == [0, 1],
        got=state(cache),
        why="A full block was copied. Ask where the next token goes, not where the last one is.",
    )
    _expect_tables(cache, a=[0, 1], b=[0, 1, 2])
    expect_counted(cache)


def _takes(new_tokens: Sequence[int], blocks: Sequence[int]) -> None:
    @copying_reserve.case(
        "a copy, and new blocks behind it",
        tried=f"6 tokens, fork b; reserve(cache, 'b', n) for n = {', '.join(map(str, new_tokens))}",
        right=f"{', '.join(map(str, blocks))} blocks taken",
        why="One for the copy, and as many as the tokens need that don't fit into it.",
    )
    def _case(function: Any) -> None:
        for new, right in zip(new_tokens, blocks, strict=True):
            cache = _forked(6, "b")
            before = used(cache)
            function(cache, "b", new)
            expect(
                used(cache) - before == right,
                tried=f"6 tokens, fork b; reserve(cache, 'b', {new})",
                got=f"{used(cache) - before} blocks taken; {state(cache)}",
                right=f"{right} taken",
                why="No token will be written, so nothing has to be copied." if not new else None,
            )
            expect_counted(cache)


_takes((0, 1, 2, 3, 5, 7), (0, 1, 1, 2, 2, 3))


@copying_reserve.case(
    "the block that is written, not the last of the table",
    tried="a has 6 tokens and room for 11: table [0, 1, 2]; fork b; reserve(cache, 'a', 1)",
    right="a's table is [0, 3, 2]",
    why="Position 6 falls into entry 1. Entry 2 is room that a reserved earlier.",
)
def _not_last(function: Any) -> None:
    cache = written(6)
    cache.reserve("a", 5)
    cache.fork("a", "b")
    function(cache, "a", 1)
    expect(
        cache.tables["a"][1] != 1,
        got=state(cache),
        why="Entry 1 is still the block that b holds, too. Which entry holds position 6 follows "
        "from the length; the last entry may be room for later.",
    )
    _expect_tables(cache, a=[0, 3, 2], b=[0, 1])
    expect_counted(cache)


@copying_reserve.case(
    "after a cut into a shared block",
    tried="10 tokens, fork b, cache.truncate('b', 5); reserve(cache, 'b', 1)",
    right="a [0, 1, 2], b [0, 3]",
    why="b will write position 5 into block 1, where a's position 5 is.",
)
def _cut(function: Any) -> None:
    cache = _forked(10, "b")
    cache.truncate("b", 5)
    function(cache, "b", 1)
    _expect_tables(cache, a=[0, 1, 2], b=[0, 3])
    expect_counted(cache)


@copying_reserve.case(
    "one block short, refused whole",
    tried="6 tokens, fork b, 1 block free; reserve(cache, 'b', 3) wants 2",
    right="BlockPoolExhausted, and nothing changed",
    why="A call that can't give all it was asked for raises, so that the step never starts.",
)
def _short(function: Any) -> None:
    cache = _forked(6, "b", num_blocks=3)
    before = state(cache)
    outcome = attempt(function, cache, "b", 3)
    expect(outcome.raised(BlockPoolExhausted), got=f"{outcome}; {state(cache)}")
    expect(
        state(cache) == before and cache.allocator.num_free == 1,
        got=f"{type(outcome.error).__name__}, {cache.allocator.num_free} free, {state(cache)}",
        right=f"the error, 1 free, {before}",
        why="Refused, yet something was taken: count the copy and the new blocks first, then take "
        "all of them at once. (This happened: huggingface/transformers#46117)",
    )


@copying_reserve.case(
    "each fork reads its own history",
    tried="6 tokens, forks b and c; a writes 10, b writes 20, c writes 30",
    right="0 to 5, and then its own token",
    why="A fork must be what it would be alone.",
)
def _histories(function: Any) -> None:
    cache = _forked(6)
    own = {"a": 10, "b": 20, "c": 30}
    for seq, token in own.items():
        function(cache, seq, 1)
        write(cache, {seq: [token]})
    for seq, token in own.items():
        got = read(cache, seq)
        expect(got == [*range(6), token], got=f"{seq} reads {shown(got)}")

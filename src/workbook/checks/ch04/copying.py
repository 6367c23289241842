"""Chapter 04: reserve, which copies the block it is about to write if others hold it, too."""

from collections.abc import Sequence
from typing import Any

from paged_attention.errors import BlockPoolExhausted
from workbook.checks.framework import CheckFailed, attempt, exercise, expect, shown
from workbook.checks.toolboxes.copied_numbers import in_common, places, wrong_numbers
from workbook.checks.toolboxes.growth import grows_by_edges
from workbook.checks.toolboxes.known_tokens import (
    expect_counted,
    read,
    state,
    used,
    write,
    written,
)
from workbook.checks.toolboxes.refusals import Snapshot, expect_refused

IDS = (5, 2, 7, 0, 3, 1, 6, 4)  # the order in which the blocks come out

copying_reserve = exercise(
    "copying_reserve",
    label="ex-04-2",
    title="Reserve with copy-on-write",
    stub="reserve",
    takes="function",
    answers=False,
    hints=(
        "Before you take anything, answer two questions. How many blocks are missing at the end of "
        "the table? Will the first new token fall into a block that has a second holder?",
        "`index, offset = divmod(length, block_size)`: there is something to copy if `new_tokens` "
        "and `offset` are above 0 and `refs[table[index]]` is above 1. Take all blocks with one "
        "`allocate_many`; then copy keys and values in every layer, release the old block, and put "
        "the new one into the table.",
    ),
)


def _forked(tokens: int, children: str = "bc", **sizes: Any) -> Any:
    sizes.setdefault("ids", IDS)
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
    tried="6 tokens, forks b and c: three tables [5, 2]; reserve(cache, 'a', 1)",
    right="a's table is [5, 7], those of b and c are [5, 2]; refs of 5, 2 and 7 are 3, 2 and 1",
    why="a will write position 6 into block 2, slot 2. So will b and c.",
)
def _first(function: Any) -> None:
    cache = _forked(6)
    function(cache, "a", 1)
    table = list(cache.tables["a"])
    why = None
    if table == [5, 2]:
        why = "All three will write position 6 into slot 2 of block 2, and read what the last of "
        why += "them put there. (This happened: Avarok-Cybersecurity/atlas#692)"
    elif len(table) == 3 and table[:2] == [5, 2]:
        why = "A block was added at the end; but position 6 is found through entry 1 of the table."
    elif table[0] != 5:
        why = "Block 5 is full, nobody will ever write to it again: sharing it is safe."
    expect(table == [5, 7], got=state(cache), why=why)
    _expect_tables(cache, a=[5, 7], b=[5, 2], c=[5, 2])
    expect_counted(cache)


@copying_reserve.case(
    "the copy has keys and values, in every layer",
    tried="3 layers, 5 KV heads, 7 tokens, fork b; reserve(cache, 'a', 1); read positions 4, 5 "
    "and 6 of both",
    right="the same keys and values as before, in every layer and head",
    why="Attention of every layer reads them, and a's table no longer leads to the old block.",
)
def _content(function: Any) -> None:
    cache = _forked(7, "b", layers=3, kv_heads=5)
    function(cache, "a", 1)
    wrong = {seq: wrong_numbers(cache, seq, entry=1, positions=(4, 5, 6)) for seq in "ab"}
    expect(
        not any(wrong.values()),
        got="; ".join(places(seq, found) for seq, found in wrong.items() if found),
        right="all as they were",
        why="b's block isn't a's any more: reserve may read it, and write only into the copy."
        if wrong["b"]
        else in_common(wrong["a"]),
    )


@copying_reserve.case(
    "the last holder writes in place",
    tried="a pool of 4; 6 tokens, forks b and c; reserve 1 for a, for b, for c",
    right="a [1, 3], b [1, 2], c [1, 0]: all 4 blocks used",
    why="When a and b have their copies, c is alone in block 0.",
)
def _last(function: Any) -> None:
    cache = _forked(6, num_blocks=4, ids=(1, 0, 3, 2))
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
    _expect_tables(cache, a=[1, 3], b=[1, 2], c=[1, 0])
    expect_counted(cache)


@copying_reserve.case(
    "a full last block is never copied",
    tried="8 tokens in blocks 5 and 2, fork b; reserve(cache, 'b', 1)",
    right="b's table is [5, 2, 7], a's is [5, 2]",
    why="Position 8 begins a new block, and nobody writes to a full one.",
)
def _full(function: Any) -> None:
    cache = _forked(8, "b")
    function(cache, "b", 1)
    expect(
        cache.tables["b"][:2] == [5, 2],
        got=state(cache),
        why="A full block was copied. Ask where the next token goes, not where the last one is.",
    )
    _expect_tables(cache, a=[5, 2], b=[5, 2, 7])
    expect_counted(cache)


def _takes(new_tokens: Sequence[int], blocks: Sequence[int]) -> None:
    @copying_reserve.case(
        "a copy, and new blocks behind it",
        tried="4 tokens in blocks of 3, fork b; reserve(cache, 'b', n) for n = "
        f"{', '.join(map(str, new_tokens))}",
        right=f"{', '.join(map(str, blocks))} blocks taken",
        why="One for the copy, and as many as the tokens need that don't fit into it.",
    )
    def _case(function: Any) -> None:
        for new, right in zip(new_tokens, blocks, strict=True):
            cache = _forked(4, "b", block_size=3)
            before = used(cache)
            function(cache, "b", new)
            expect(
                used(cache) - before == right,
                tried=f"4 tokens in blocks of 3, fork b; reserve(cache, 'b', {new})",
                got=f"{used(cache) - before} blocks taken; {state(cache)}",
                right=f"{right} taken",
                why="No token will be written, so nothing has to be copied." if not new else None,
            )
            expect_counted(cache)


_takes((0, 1, 2, 3, 5, 6), (0, 1, 1, 2, 2, 3))


@copying_reserve.case(
    "the block that is written, not the last of the table",
    tried="a has 6 tokens and room for 11: table [5, 2, 7]; fork b; reserve(cache, 'a', 1)",
    right="a's table is [5, 0, 7]",
    why="Position 6 falls into entry 1. Entry 2 is room that a reserved earlier.",
)
def _not_last(function: Any) -> None:
    cache = written(6, ids=IDS)
    cache.reserve("a", 5)
    cache.fork("a", "b")
    function(cache, "a", 1)
    expect(
        cache.tables["a"][1] != 2,
        got=state(cache),
        why="Entry 1 is still the block that b holds, too. Which entry holds position 6 follows "
        "from the length; the last entry may be room for later.",
    )
    _expect_tables(cache, a=[5, 0, 7], b=[5, 2])
    expect_counted(cache)


@copying_reserve.case(
    "after a cut into a shared block",
    tried="10 tokens, fork b, cache.truncate('b', 5); reserve(cache, 'b', 1)",
    right="a [5, 2, 7], b [5, 0]",
    why="b will write position 5 into block 2, where a's position 5 is.",
)
def _cut(function: Any) -> None:
    cache = _forked(10, "b")
    cache.truncate("b", 5)
    function(cache, "b", 1)
    _expect_tables(cache, a=[5, 2, 7], b=[5, 0])
    expect_counted(cache)


@copying_reserve.case(
    "one block short, refused whole",
    tried="6 tokens, fork b, 1 block free; reserve(cache, 'b', 3) wants 2",
    right="BlockPoolExhausted, and nothing changed",
    why="A call that can't give all it was asked for raises, so that the step never starts.",
)
def _short(function: Any) -> None:
    cache = _forked(6, "b", num_blocks=3, ids=(2, 0, 1))
    before = Snapshot.of(cache)
    expect_refused(
        cache,
        attempt(function, cache, "b", 3),
        before,
        BlockPoolExhausted,
        changed="Refused, yet something was taken: count the copy and the new blocks first, then "
        "take all of them at once. (This happened: huggingface/transformers#46117)",
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

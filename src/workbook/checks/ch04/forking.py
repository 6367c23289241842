"""Chapter 04: fork, which copies a list and nothing else."""

from typing import Any

from workbook.checks.framework import attempt, exercise, expect, shown
from workbook.checks.toolboxes.known_tokens import (
    expect_counted,
    read,
    state,
    used,
    write,
    written,
)

fork = exercise(
    "fork",
    label="ex-04-1",
    title="Fork",
    stub="fork",
    takes="function",
    hints=(
        "A table is a list of numbers, and the child needs a list of its own. Who has to know that "
        "each of these blocks has one holder more?",
        "Refuse first. Then take `table[:ceil_div(length, block_size)]`, which is a new list, "
        "`share` each block in it, and give table and length to the child.",
    ),
)


@fork.case(
    "a fork adds holders, and no block",
    tried="a has 6 tokens in blocks 0 and 1; fork(cache, 'a', 'b'); fork(cache, 'a', 'c')",
    right="three tables [0, 1], refs[0] and refs[1] are 3, 6 of 8 blocks free",
    why="The three histories are the same 6 tokens, and those are in memory already.",
)
def _holders(function: Any) -> None:
    cache = written(6)
    for child in "bc":
        function(cache, "a", child)
    expect(
        used(cache) == 2,
        got=f"{used(cache)} blocks used; {state(cache)}",
        why="New blocks were taken. Nothing is different yet, so there is nothing to copy.",
    )
    missing = [child for child in "bc" if cache.tables.get(child) != [0, 1]]
    expect(not missing, got=state(cache))
    expect_counted(cache)
    lengths = {seq: cache.lengths.get(seq) for seq in "abc"}
    expect(
        list(lengths.values()) == [6, 6, 6],
        got=f"lengths {shown(lengths)}",
        right="lengths 6, 6 and 6",
        why="The child begins with the parent's tokens, so they count for it, too.",
    )


@fork.case(
    "each has a list of its own",
    tried="fork(cache, 'a', 'b'); then a grows to 10 tokens",
    right="b's table is still [0, 1]",
    why="What a does from now on is a's affair.",
)
def _own_list(function: Any) -> None:
    cache = written(6)
    function(cache, "a", "b")
    write(cache, {"a": [6, 7, 8, 9]})
    expect(
        cache.tables["b"] == [0, 1],
        got=f"b's table is {shown(cache.tables['b'])}",
        why="a grew, and so did b: both names stand for one list.",
    )


@fork.case(
    "the parent may go first",
    tried="fork(cache, 'a', 'b'); cache.free('a')",
    right="b still reads 0 to 5, refs[0] and refs[1] are 1",
    why="There is no owner among the holders. The last one to leave frees the block.",
)
def _parent_first(function: Any) -> None:
    cache = written(6)
    function(cache, "a", "b")
    cache.free("a")
    expect_counted(cache)
    expect(read(cache, "b") == list(range(6)), got=f"b reads {shown(read(cache, 'b'))}")


@fork.case(
    "an empty sequence can be forked",
    tried="a has no token; fork(cache, 'a', 'b')",
    right="b has an empty table and length 0",
    why="An empty table has no block to share; nothing about it is special.",
)
def _empty(function: Any) -> None:
    cache = written(0)
    function(cache, "a", "b")
    expect(
        (cache.tables.get("b"), cache.lengths.get("b")) == ([], 0),
        got=f"table {shown(cache.tables.get('b'))}, length {shown(cache.lengths.get('b'))}",
    )


@fork.case(
    "a name that is taken is refused",
    tried="b exists, with 3 tokens in block 2; fork(cache, 'a', 'b')",
    right="ValueError, and nothing changed",
    why="Somebody is still reading what that name stands for.",
)
def _taken(function: Any) -> None:
    cache = written(6)
    cache.create("b")
    write(cache, {"b": [50, 51, 52]})
    before = state(cache)
    outcome = attempt(function, cache, "a", "b")
    expect(
        outcome.raised(ValueError),
        got=f"{outcome}; {state(cache)}",
        why="b's old table is gone, and block 2 still counts a holder. Nobody names it, so nobody "
        "will ever release it."
        if outcome.error is None
        else None,
    )
    expect(
        state(cache) == before,
        got=f"{type(outcome.error).__name__}, and now {state(cache)}",
        right=f"the error, and still {before}",
        why="Refused, yet the counts went up first: refuse before you share.",
    )


@fork.case(
    "a parent that isn't there is refused",
    tried="fork(cache, 'z', 'b')",
    right="KeyError, and no sequence b",
    why="The caller believes in a sequence that was freed; better to hear of it now.",
)
def _unknown(function: Any) -> None:
    cache = written(6)
    outcome = attempt(function, cache, "z", "b")
    expect(
        outcome.raised(KeyError),
        got=str(outcome),
        why="The caller believes in a prompt, and b begins without a token."
        if outcome.error is None
        else None,
    )
    expect(
        "b" not in cache.tables and "b" not in cache.lengths, got=f"an error, and {state(cache)}"
    )


@fork.case(
    "room that nobody has written is not shared",
    tried="a has 3 tokens and reserves 5 more: table [0, 1]; fork(cache, 'a', 'b')",
    right="b's table is [0], refs[1] is 1",
    why="A fork shares tokens. Block 1 holds none; it is a's room for what comes next.",
)
def _reserved(function: Any) -> None:
    for tokens, room, right, size in ((3, 5, 1, 4), (8, 4, 2, 4), (3, 9, 1, 4), (3, 4, 2, 2)):
        _expect_no_room_shared(function, tokens, room, right, size)


def _expect_no_room_shared(function: Any, tokens: int, room: int, right: int, size: int) -> None:
    """A fork of ``tokens`` with ``room`` reserved behind them has ``right`` blocks of ``size``."""
    cache = written(tokens, block_size=size)
    cache.reserve("a", room)
    table = shown(cache.tables["a"])
    function(cache, "a", "b")
    expect(
        cache.tables["b"] == cache.tables["a"][:right],
        tried=f"a has {tokens} tokens in blocks of {size} and reserves {room} more: table {table}; "
        "fork(cache, 'a', 'b')",
        right=f"b's table is {list(range(right))}",
        got=state(cache),
        why="b holds room that a has reserved: a would have to copy an empty block before it can "
        "write there."
        if len(cache.tables["b"]) > right
        else "A block with b's tokens is missing: the size of a block is `cache.block_size`.",
    )
    expect_counted(cache)

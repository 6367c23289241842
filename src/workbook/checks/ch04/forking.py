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
from workbook.checks.toolboxes.refusals import Snapshot, expect_refused

IDS = (5, 2, 7, 0, 3, 1, 6, 4)  # the order in which the blocks come out

fork = exercise(
    "fork",
    label="ex-04-1",
    title="Fork",
    stub="fork",
    takes="function",
    answers=False,
    hints=(
        "A table is a list of numbers, and the child needs a list of its own. Who has to know that "
        "each of these blocks has one holder more?",
        "Refuse first. Then take `table[:ceil_div(length, block_size)]`, which is a new list, "
        "`share` each block in it, and give table and length to the child.",
    ),
)


@fork.case(
    "a fork adds holders, and no block",
    tried="a has 7 tokens in blocks of 3: table [5, 2, 7]; fork(cache, 'a', 'b'); "
    "fork(cache, 'a', 'c')",
    right="three tables [5, 2, 7], refs of 2, 5 and 7 are 3, 5 of 8 blocks free",
    why="The three histories are the same 7 tokens, and those are in memory already.",
)
def _holders(function: Any) -> None:
    cache = written(7, block_size=3, ids=IDS)
    for child in "bc":
        outcome = attempt(function, cache, "a", child)
        expect(
            outcome.error is None,
            got=str(outcome),
            why="a is the parent, and has to be there; the child's name has to be new."
            if outcome.raised(ValueError)
            else "a is gone after the first fork: the parent goes on, too, as one holder of many."
            if outcome.raised(KeyError)
            and not (cache.tables.keys() & cache.lengths.keys() >= {"a"})
            else f"{child} was looked up, and is to be made: the parent's name comes first."
            if isinstance(outcome.error, KeyError) and outcome.error.args == (child,)
            else None,
        )
        expect(
            used(cache) == 3,
            got=f"{used(cache)} blocks used; {state(cache)}",
            why="New blocks were taken. Nothing is different yet, so there is nothing to copy."
            if used(cache) > 3
            else "The counts went down: a's own holds were given up, and it goes on.",
        )
    tables = {seq: cache.tables.get(seq) for seq in "abc"}
    expect(
        all(table == [5, 2, 7] for table in tables.values()),
        got=f"tables {shown(tables)}, lengths {shown(dict(cache.lengths))}",
        why=_wrong_table(tables["b"]),
    )
    expect_counted(cache)
    lengths = {seq: cache.lengths.get(seq) for seq in "abc"}
    expect(
        list(lengths.values()) == [7, 7, 7],
        got=f"lengths {shown(lengths)}",
        right="lengths 7, 7 and 7",
        why="The child begins with the parent's tokens, so they count for it, too.",
    )


def _wrong_table(table: Any) -> str | None:
    """What is wrong with a child's table, where [5, 2, 7] in blocks of 3 is right for 7 tokens."""
    if not isinstance(table, list):
        return "A child needs a table: a list, since it will grow."
    if len(table) != 3:
        return f"7 tokens need 3 blocks of 3; the child's table has {len(table)}."
    if sorted(table) == [2, 5, 7]:
        return "The blocks are the right ones in another order, and so are their tokens."
    return None


@fork.case(
    "each has a list of its own",
    tried="a has 6 tokens in blocks of 4; fork(cache, 'a', 'b'); then a grows to 10 tokens",
    right="b's table is still [5, 2]",
    why="What a does from now on is a's affair.",
)
def _own_list(function: Any) -> None:
    cache = written(6, ids=IDS)
    function(cache, "a", "b")
    write(cache, {"a": [6, 7, 8, 9]})
    expect(
        cache.tables["b"] == [5, 2],
        got=f"b's table is {shown(cache.tables['b'])}",
        why="a grew, and so did b: both names stand for one list.",
    )


@fork.case(
    "the parent may go first",
    tried="a has 6 tokens in blocks of 4; fork(cache, 'a', 'b'); cache.free('a')",
    right="b still reads 0 to 5, refs of its two blocks are 1",
    why="There is no owner among the holders. The last one to leave frees the block.",
)
def _parent_first(function: Any) -> None:
    cache = written(6, ids=IDS)
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
    tried="b exists, with 3 tokens in block 7; fork(cache, 'a', 'b')",
    right="ValueError, and nothing changed",
    why="Somebody is still reading what that name stands for.",
)
def _taken(function: Any) -> None:
    cache = written(6, ids=IDS)
    cache.create("b")
    write(cache, {"b": [50, 51, 52]})
    before = Snapshot.of(cache)
    outcome = attempt(function, cache, "a", "b")
    lost = outcome.error is None and 7 not in cache.tables["b"]
    freed = lost and cache.allocator.refs[7] == 0
    expect_refused(
        cache,
        outcome,
        before,
        ValueError,
        why="b was freed for the fork, and somebody still reads what that name stands for: refuse."
        if freed
        else "b's old table is gone, and block 7 still counts a holder. Nobody names it, so nobody "
        "will ever release it."
        if lost
        else "It gave up without a word: the caller takes silence for a fork, and finds b's old "
        "tokens there."
        if outcome.error is None
        else "A KeyError says that a name isn't there. This one is: a ValueError is wanted."
        if outcome.raised(KeyError)
        else None,
        changed="Refused, yet something had been done before: refuse first, then share.",
    )


@fork.case(
    "a parent that isn't there is refused",
    tried="fork(cache, 'z', 'b')",
    right="KeyError, and no sequence b",
    why="The caller believes in a sequence that was freed; better to hear of it now.",
)
def _unknown(function: Any) -> None:
    cache = written(6, ids=IDS)
    before = Snapshot.of(cache)
    outcome = attempt(function, cache, "z", "b")
    expect_refused(
        cache,
        outcome,
        before,
        KeyError,
        why="The caller believes in a prompt, and b begins without a token."
        if outcome.error is None
        else "A ValueError says that a name is taken. The parent isn't there: a KeyError is wanted."
        if outcome.raised(ValueError)
        else None,
        changed="b was created before the parent was looked up, and stays behind with an empty "
        "table. Read the parent first.",
    )


@fork.case(
    "room that nobody has written is not shared",
    tried="a has 2 tokens and reserves 13 more: table [5, 2, 7, 0]; fork(cache, 'a', 'b')",
    right="b's table is [5], and a's as it was",
    why="A fork shares tokens. The other blocks hold none; they are a's room for what comes next.",
)
def _reserved(function: Any) -> None:
    for tokens, room, right, size in ((2, 13, 1, 4), (8, 4, 2, 4), (3, 9, 1, 4), (3, 4, 2, 2)):
        _expect_no_room_shared(function, tokens, room, right, size)


def _expect_no_room_shared(function: Any, tokens: int, room: int, right: int, size: int) -> None:
    """A fork of ``tokens`` with ``room`` reserved behind them has ``right`` blocks of ``size``."""
    cache = written(tokens, block_size=size, ids=IDS)
    cache.reserve("a", room)
    table = shown(cache.tables["a"])
    function(cache, "a", "b")
    expect(
        shown(cache.tables["a"]) == table and cache.tables["b"] == list(IDS[:right]),
        tried=f"a has {tokens} tokens in blocks of {size} and reserves {room} more: table {table}; "
        "fork(cache, 'a', 'b')",
        right=f"a's table is {table} as before, b's is {shown(list(IDS[:right]))}",
        got=state(cache),
        why="b holds room that a has reserved: two sequences would fill the same slots."
        if len(cache.tables["b"]) > right
        else None,
    )
    expect_counted(cache)

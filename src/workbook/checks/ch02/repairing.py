"""Chapter 02: the engine whose abort forgets what an answer grew into, repaired."""

import random
from typing import Any

from paged_attention.allocator import BlockAllocator
from workbook.checks.framework import attempt, exercise, expect, shown

repaired = exercise(
    "repaired",
    label="ex-02-5",
    title="The repaired engine",
    stub="Repaired",
    takes="class",
    hints=(
        "Prompt, length, table: which of the three says what the request holds?",
        "One release for each entry of the table, and then no table. Another method of `Engine` "
        "does exactly that.",
    ),
)


def grown(engine: Any, name: str, prompt: int, tokens: int) -> None:
    """A request with a prompt, and ``tokens`` steps of it."""
    engine.add(name, prompt)
    for _ in range(tokens):
        engine.step(name)


def _held(engine: Any) -> str:
    refs = engine.pool.refs
    held = [block for block in range(16) if refs[block]]
    return f"{engine.pool.num_free} of 16 free" + (f", and {shown(held)} held" if held else "")


def _abort_gives_all_back(engine: Any) -> None:
    """Abort ``a``, the only request there is: every block of the pool must be free again."""
    outcome = attempt(engine.abort, "a")
    expect(
        outcome.error is None and engine.pool.num_free == 16,
        got=f"{outcome}; {_held(engine)}",
    )


@repaired.case(
    "a visit of 6 + 3 tokens",
    tried="pool of 16; a prompt of 6, 3 tokens, abort",
    right="16 of 16 free, and no table",
    why="What a request holds is written in its table and nowhere else.",
)
def _visit(engine_class: Any) -> None:
    engine = engine_class(BlockAllocator(16))
    pool = engine.pool
    grown(engine, "a", 6, 3)
    outcome = attempt(engine.abort, "a")
    expect(
        engine.pool is pool,
        got="the engine has another pool",
        right="the same pool, 16 of 16 free",
        why="A new pool forgets what every other request holds. Give back what this one has.",
    )
    expect(
        outcome.error is None and engine.pool.num_free == 16,
        got=f"{outcome}; {_held(engine)}",
    )
    expect(
        "a" not in engine.tables,
        got=f"all free, and a still has the table {shown(engine.tables.get('a'))}",
        why="A table that stays names blocks that are somebody else's by now.",
    )


@repaired.case(
    "a visit that ends on a block's edge",
    tried="pool of 16; a prompt of 4, 4 tokens: 8 in 2 blocks; abort",
    right="16 of 16 free",
    why="A full last block is held like any other.",
)
def _edge(engine_class: Any) -> None:
    engine = engine_class(BlockAllocator(16))
    grown(engine, "a", 4, 4)
    _abort_gives_all_back(engine)


@repaired.case(
    "a block taken ahead",
    tried="pool of 16; a prompt of 3 and one block more taken ahead: 2 blocks; abort",
    right="16 of 16 free",
    why="A table may be longer than its length needs: count the table's entries, not tokens.",
)
def _ahead(engine_class: Any) -> None:
    engine = engine_class(BlockAllocator(16))
    engine.add("a", 3)
    engine.tables["a"].append(engine.pool.allocate())
    _abort_gives_all_back(engine)


@repaired.case(
    "a shared block",
    tried="pool of 16; b holds the first block of a, too; a is aborted",
    right="that block has 1 holder, 15 of 16 free",
    why="An abort gives back one holder's share of a block, not the block.",
)
def _shared(engine_class: Any) -> None:
    engine = engine_class(BlockAllocator(16))
    grown(engine, "a", 6, 3)
    block = engine.tables["a"][0]
    engine.pool.share(block)
    engine.tables["b"] = [block]
    engine.prompts["b"] = engine.lengths["b"] = 4
    outcome = attempt(engine.abort, "a")
    count, free = engine.pool.refs[block], engine.pool.num_free
    expect(
        outcome.error is None and (count, free) == (1, 15),
        got=f"{outcome}; {count} holders, {free} of 16 free",
    )
    expect(
        engine.tables.get("b") == [block],
        got=f"the table of b is {shown(engine.tables.get('b'))}, it was [{block}]",
        right=f"the table of b unchanged, [{block}]",
        why="b still reads that block. Whoever leaves takes its own name off a block, nobody "
        "else's.",
    )


@repaired.case(
    "two requests at once",
    tried="pool of 16; a and b; a is aborted, b goes on and finishes",
    right="the table of b unchanged, and 16 of 16 free at the end",
    why="Nobody else's table is touched.",
)
def _two(engine_class: Any) -> None:
    engine = engine_class(BlockAllocator(16))
    grown(engine, "a", 6, 3)
    grown(engine, "b", 5, 1)
    table = list(engine.tables["b"])
    engine.abort("a")
    expect(
        engine.tables.get("b") == table,
        got=f"the table of b is {shown(engine.tables.get('b'))}, it was {shown(table)}",
    )
    engine.step("b")
    engine.finish("b")
    expect(engine.pool.num_free == 16, got=f"{engine.pool.num_free} of 16 free")


@repaired.case(
    "a thousand random steps",
    tried="pool of 16; add, step, finish, abort at random; then everyone leaves",
    right="16 of 16 free",
    why="What holds after every step holds after a year.",
)
def _soak(engine_class: Any) -> None:
    engine, draw = engine_class(BlockAllocator(16)), random.Random(0)
    for number in range(1_000):
        name = draw.choice([*engine.tables, None])
        try:
            if name is None:
                engine.add(number, draw.randint(1, 12))
            else:
                getattr(engine, draw.choice(["step"] * 8 + ["finish", "abort"]))(name)
        except MemoryError:
            pass  # refused, and nothing has changed
    for name in list(engine.tables):
        engine.finish(name)
    expect(engine.pool.num_free == 16, got=f"{engine.pool.num_free} of 16 free")

"""Chapter 03: truncate, the call that makes a table shorter."""

from typing import Any

from workbook.checks.framework import attempt, exercise, expect, shown
from workbook.checks.toolboxes.growth import blocks_in_words, small_cache
from workbook.checks.toolboxes.refusals import Snapshot, expect_refused

TABLE = [7, 2, 11, 5, 9, 0]

truncate = exercise(
    "truncate",
    label="ex-03-5",
    title="Truncate",
    stub="truncate",
    takes="function",
    hints=(
        "`ceil_div(length, block_size)` blocks stay, at the front of the table. Everything behind "
        "them goes.",
        "Refuse first. Then release each block of `table[kept:]`, delete that slice, and write the "
        "new length.",
    ),
)


def _written() -> Any:
    """A sequence of 22 tokens in the blocks of ``TABLE``; the six others are somebody's."""
    cache = small_cache(12)
    cache.allocator.allocate_many(12)
    cache.allocator.release_many(TABLE[::-1])
    cache.create("A")
    cache.reserve("A", 22)
    cache.lengths["A"] = 22
    return cache


def _cut(length: int, table: list[int], title: str, why: str) -> None:
    freed = TABLE[len(table) :]

    @truncate.case(
        title,
        tried=f"22 tokens in {TABLE}; truncate(cache, 'A', {length})",
        right=f"table {table}, {len(freed)} blocks free, length {length}",
        why=why,
    )
    def _case(function: Any) -> None:
        cache = _written()
        outcome = attempt(function, cache, "A", length)
        if isinstance(outcome.error, ValueError):
            refused = f"A cut to {length} was refused, and that length is there."
            expect(False, got=str(outcome), why=refused)
        if outcome.error is not None:
            raise outcome.error
        _expect_cut(cache, length, table, freed)


def _expect_cut(cache: Any, length: int, table: list[int], freed: list[int]) -> None:
    left, free = list(cache.tables["A"]), cache.allocator.num_free
    if len(left) > len(table):
        why = "A block without a token stays reserved, and nobody else can have it."
        if not all(cache.allocator.refs[block] for block in left):
            why = "The table still names blocks that are free; their next owner will be read here."
        expect(False, got=f"table {shown(left)}, {free} blocks free", why=why)
    expect(
        left == table,
        got=f"table {shown(left)}; free are {[b for b in TABLE if not cache.allocator.refs[b]]}",
        why=f"Position {length - 1} has lost its slot: {length} tokens need {len(table)} blocks.",
    )
    expect(
        free == len(freed) and not any(cache.allocator.refs[block] for block in freed),
        got=f"table {shown(left)}, and {free} blocks free",
        why="Blocks left the table and were not released: nobody names them, so nobody can ever "
        "free them.",
    )
    expect(
        cache.lengths["A"] == length,
        got=f"length {shown(cache.lengths['A'])} in {len(left) * 4} slots",
        why="The length still counts tokens that are gone.",
    )


_cut(9, [7, 2, 11], "22 tokens cut to 9", "9 tokens need 3 blocks; 5, 9 and 0 go back.")
_cut(20, [7, 2, 11, 5, 9], "a cut at a block's edge", "20 tokens fill 5 blocks exactly.")
_cut(21, TABLE, "a cut inside the last block", "21 tokens still need all 6 blocks.")
_cut(0, [], "a cut to nothing", "No token is left, so no block is held; the sequence itself stays.")
_cut(22, TABLE, "a cut that takes nothing", "22 is a length that is there: all 6 blocks stay.")


def _refused(length: int, title: str, why: str) -> None:
    tried = f"22 tokens; truncate(cache, 'A', {length})"

    @truncate.case(title, tried=tried, right="ValueError, nothing changed", why=why)
    def _case(function: Any) -> None:
        cache = _written()
        before = Snapshot.of(cache)
        outcome = attempt(function, cache, "A", length)
        expect_refused(cache, outcome, before, ValueError)


_refused(
    23,
    "a length that isn't there is refused",
    "Token 22 was never written. A length can be cut, not stretched.",
)
_refused(-1, "so is a length below 0", "There is no such length.")


def _cut_reserved(function: Any, length: int) -> tuple[tuple[int, int, Any], str]:
    """4 of 9 reserved tokens written, cut to ``length``: blocks, free blocks, length; in words."""
    cache = small_cache(8, block_size=3)
    cache.create("A")
    cache.reserve("A", 9)
    cache.lengths["A"] = 4
    function(cache, "A", length)
    blocks, free, left = len(cache.tables["A"]), cache.allocator.num_free, cache.lengths["A"]
    return (
        blocks,
        free,
        left,
    ), f"{blocks_in_words(blocks)}, {free} of 8 free, length {shown(left)}"


@truncate.case(
    "tokens go, and what was only reserved behind them",
    tried="blocks of 3; 4 tokens written, 9 reserved; truncate(cache, 'A', 2)",
    right="1 block, 7 of 8 free, length 2",
    why="Every block past the last remaining token is released, written or only reserved.",
)
def _and_reserved(function: Any) -> None:
    counts, got = _cut_reserved(function, 2)
    expect(counts == (1, 7, 2), got=got)


@truncate.case(
    "what was only reserved goes, too",
    tried="blocks of 3; 4 tokens written, 9 reserved; truncate(cache, 'A', 4)",
    right="2 blocks, 6 of 8 free, length 4",
    why="Every block past the last remaining token is released, written or only reserved.",
)
def _only_reserved(function: Any) -> None:
    counts, got = _cut_reserved(function, 4)
    lost = "Token 3 has lost its slot: this cache's blocks hold 3." if counts[0] < 2 else None
    expect(counts == (2, 6, 4), got=got, why=lost)

"""Chapter 03: the two calls that change a block table, reserve and truncate."""

from typing import Any

from paged_attention.errors import BlockPoolExhausted
from workbook.checks.core import attempt, expect, shown
from workbook.checks.house import exercise

TABLE = [7, 2, 11, 5, 9, 0]

reserve = exercise(
    "reserve",
    label="ex-03-3",
    title="Reserve",
    stub="reserve",
    takes="function",
    hints=(
        "How many blocks will the sequence need in all, and how many has it got? Count from its "
        "length, not from what is reserved.",
        "`missing = ceil_div(length + new_tokens, block_size) - len(table)`. If that is more than "
        "0, one call of `allocate_many` and one `extend`: whatever can fail comes before whatever "
        "changes.",
    ),
)
truncate = exercise(
    "truncate",
    label="ex-03-4",
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


def _cache(num_blocks: int, block_size: int = 4) -> Any:
    """A cache of 1 layer and 1 head; its tables, lengths and allocator are what changes here."""
    from paged_attention.cache import PagedKVCache

    return PagedKVCache(1, num_blocks, block_size, 1, 1)


def _state(cache: Any, seq: str) -> str:
    table, length, free = cache.tables[seq], cache.lengths[seq], cache.allocator.num_free
    return f"table {shown(table)}, length {shown(length)}, num_free {shown(free)}"


def grows_by_edges(make: Any, call: Any) -> None:
    """The body of "blocks follow the length"; ``make(num_blocks)``, ``call(cache, seq, n)``."""
    for prompt in (4, 3, 5):
        cache = make(8)
        cache.create("A")
        for new in [prompt] + [1] * 8:
            _grow(cache, call, new)


def _grow(cache: Any, call: Any, new: int) -> None:
    length, before = cache.lengths["A"], len(cache.tables["A"])
    end = length + new
    call(cache, "A", new)
    expect(
        cache.lengths["A"] == length,
        tried=f"length {length}; reserve(cache, 'A', {new})",
        got=f"length {shown(cache.lengths['A'])}",
        right=f"length still {length}",
        why="Reserved is not written: the length counts tokens whose keys and values are there.",
    )
    blocks, needed = len(cache.tables["A"]), -(-end // 4)
    why = f"Position {end - 1} has no slot."
    if blocks > needed:
        why = "A block more than needed holds nothing, and nobody else can have it."
    if blocks > before == needed:
        why = f"The last block still had room for position {length}: count the whole sequence, not "
        why += "the new tokens alone."
    expect(
        blocks == needed,
        tried=f"length {length} in {_count(before)} of 4; reserve(cache, 'A', {new})",
        got=f"{_count(blocks)} for {end} tokens",
        right=_count(needed),
        why=why,
    )
    cache.lengths["A"] = end


def _count(blocks: int) -> str:
    return f"{blocks} block{'s' * (blocks != 1)}"


@reserve.case(
    "blocks follow the length",
    tried="prompts of 3, 4 and 5 tokens, then 8 times one more, blocks of 4",
    right="ceil(length / 4) blocks at every step",
    why="A sequence holds the blocks it needs.",
)
def _edges(function: Any) -> None:
    grows_by_edges(_cache, function)


def refuses_whole(make: Any, call: Any) -> None:
    """The body of "refused whole": three blocks wanted, two free."""
    cache = make(4)
    for seq in "AB":
        cache.create(seq)
        call(cache, seq, 4)
        cache.lengths[seq] = 4
    before = _state(cache, "A")
    outcome = attempt(call, cache, "A", 12)
    expect(outcome.raised(BlockPoolExhausted), got=f"{outcome}; {_state(cache, 'A')}")
    after = _state(cache, "A")
    expect(
        before == after,
        got=f"{type(outcome.error).__name__}, and now {after}",
        right=f"the error, and still {before}",
        why="Refused, yet the table grew: the caller gives up, and those blocks stay with a "
        "sequence that can't run. (This happened: ovg-project/kvcached#364)",
    )


@reserve.case(
    "a request that doesn't fit is refused whole",
    tried="A holds 1 block, 2 are free; reserve(cache, 'A', 12) wants 3",
    right="BlockPoolExhausted, and nothing changed",
    why="A call that can't give all it was asked for raises, so that the step never starts.",
)
def _refused(function: Any) -> None:
    refuses_whole(_cache, function)


@reserve.case(
    "what is reserved already counts",
    tried="length 0; reserve 9, then 5, then 0",
    right="3 blocks after each call, the same ones",
    why="A retry of the same step must not take blocks a second time.",
)
def _again(function: Any) -> None:
    cache = _cache(8)
    cache.create("A")
    function(cache, "A", 9)
    table = list(cache.tables["A"])
    for new in (5, 0):
        outcome = attempt(function, cache, "A", new)
        expect(
            outcome.error is None,
            got=str(outcome),
            why="Fewer than are there already: the number missing is below 0, and then there is "
            "nothing to do.",
        )
        expect(
            cache.tables["A"] == table,
            got=f"table {shown(cache.tables['A'])} after reserve(cache, 'A', {new})",
            right=f"table {shown(table)}",
        )


@reserve.case(
    "new blocks come after the old ones",
    tried="A reserves 8 and writes them, B reserves 8, A reserves 8 more",
    right="A's two blocks stay first, in their order",
    why="Position p is found through entry p // 4: an old block that moves takes 4 tokens to "
    "other positions.",
)
def _order(function: Any) -> None:
    cache = _cache(8)
    for seq in "AB":
        cache.create(seq)
        function(cache, seq, 8)
    before, other = list(cache.tables["A"]), list(cache.tables["B"])
    cache.lengths["A"] = 8
    function(cache, "A", 8)
    table = list(cache.tables["A"])
    expect(
        table[:2] == before and len(table) == 4,
        got=f"A's table is {shown(table)}, it was {shown(before)}",
        why="The second block has moved, and positions 4 to 7 with it: new blocks go to the end."
        if table[:1] == before[:1]
        else None,
    )
    expect(not set(other) & set(table), got=f"A's table is {shown(table)}, B's is {shown(other)}")


@reserve.case(
    "the cache knows how long its blocks are",
    tried="a cache with blocks of 3; reserve(cache, 'A', 7)",
    right="3 blocks",
    why="`cache.block_size` is 3 here. A size written into the code fits one cache only.",
)
def _other_size(function: Any) -> None:
    cache = _cache(8, block_size=3)
    cache.create("A")
    function(cache, "A", 7)
    blocks = len(cache.tables["A"])
    expect(blocks == 3, got=f"{_count(blocks)}, which is room for {3 * blocks} tokens")


def _written() -> Any:
    """A sequence of 22 tokens in the blocks of ``TABLE``; the six others are somebody's."""
    cache = _cache(12)
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
        function(cache, "A", length)
        _expect_cut(cache, length, table, freed)


def _expect_cut(cache: Any, length: int, table: list[int], freed: list[int]) -> None:
    left, free = list(cache.tables["A"]), cache.allocator.num_free
    if len(left) > len(table):
        why = "A block without a token stays reserved, and nobody else can have it."
        if free:
            why = "The table still names blocks that are free; their next owner will be read here."
        expect(False, got=f"table {shown(left)}, {free} blocks free", why=why)
    expect(
        left == table,
        got=f"table {shown(left)}",
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


@truncate.case(
    "a length that isn't there is refused",
    tried="22 tokens; truncate(cache, 'A', 23), then truncate(cache, 'A', -1)",
    right="ValueError for both, and nothing changed",
    why="Token 22 was never written. A length can be cut, not stretched.",
)
def _stretched(function: Any) -> None:
    for length in (23, -1):
        cache = _written()
        outcome = attempt(function, cache, "A", length)
        tried = f"22 tokens; truncate(cache, 'A', {length})"
        expect(outcome.raised(ValueError), tried=tried, got=f"{outcome}; {_state(cache, 'A')}")
        expect(cache.lengths["A"] == 22 and cache.tables["A"] == TABLE, got=_state(cache, "A"))


@truncate.case(
    "what was only reserved goes, too",
    tried="blocks of 3; 4 tokens written, 9 reserved; truncate(cache, 'A', 4)",
    right="2 blocks, 6 of 8 free, length 4",
    why="Every block past the last remaining token is released, written or only reserved.",
)
def _only_reserved(function: Any) -> None:
    cache = _cache(8, block_size=3)
    cache.create("A")
    cache.reserve("A", 9)
    cache.lengths["A"] = 4
    function(cache, "A", 4)
    blocks, free, length = len(cache.tables["A"]), cache.allocator.num_free, cache.lengths["A"]
    expect(
        (blocks, free, length) == (2, 6, 4),
        got=f"{_count(blocks)}, {free} of 8 free, length {shown(length)}",
        why="Token 3 has lost its slot: this cache's blocks hold 3." if blocks < 2 else None,
    )

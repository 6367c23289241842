"""How a table follows a length: cases that every reserve shares, alone or in a whole cache."""

from typing import Any

from paged_attention.errors import BlockPoolExhausted
from workbook.checks.framework import attempt, expect, shown
from workbook.checks.toolboxes.refusals import Snapshot, expect_refused


def small_cache(num_blocks: int, block_size: int = 4) -> Any:
    """A cache of 1 layer and 1 head; its tables, lengths and allocator are what changes here."""
    from paged_attention.cache import PagedKVCache

    return PagedKVCache(1, num_blocks, block_size, 1, 1)


def table_state(cache: Any, seq: str) -> str:
    """Table, length and free blocks, for what a case got."""
    table, length, free = cache.tables[seq], cache.lengths[seq], cache.allocator.num_free
    return f"table {shown(table)}, length {shown(length)}, num_free {shown(free)}"


def grows_by_edges(make: Any, call: Any) -> None:
    """The body of "blocks follow the length"; ``make(num_blocks)``, ``call(cache, seq, n)``."""
    for prompt in (3, 4, 5):
        cache = make(8)
        cache.create("A")
        for new in [prompt] + [1] * 8:
            _grow(cache, call, new)


def _grow(cache: Any, call: Any, new: int) -> None:
    length, before = cache.lengths["A"], len(cache.tables["A"])
    end = length + new
    outcome = attempt(call, cache, "A", new)
    if outcome.error is not None and before >= -(-end // 4):
        expect(
            False,
            tried=f"length {length} in {blocks_in_words(before)} of 4; reserve(cache, 'A', {new})",
            got=str(outcome),
            right="no error, nothing taken",
            why="There is room already. Nothing is missing, which is no mistake of the caller's.",
        )
    if outcome.error is not None:
        raise outcome.error
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
        tried=f"length {length} in {blocks_in_words(before)} of 4; reserve(cache, 'A', {new})",
        got=f"{blocks_in_words(blocks)} for {end} tokens, table {shown(cache.tables['A'])}",
        right=blocks_in_words(needed),
        why=why,
    )
    cache.lengths["A"] = end


def blocks_in_words(blocks: int) -> str:
    """``1 block``, ``2 blocks``."""
    return f"{blocks} block{'s' * (blocks != 1)}"


def refuses_whole(make: Any, call: Any) -> None:
    """The body of "refused whole": three blocks wanted, two free."""
    cache = make(4)
    for seq in "AB":
        cache.create(seq)
        outcome = attempt(call, cache, seq, 4)
        expect(
            outcome.error is None,
            tried=f"pool of 4, {shown(cache.allocator.num_free)} free; reserve('{seq}', 4)",
            got=str(outcome),
            right="1 block of 4",
            why="What fits was refused. Compare blocks with blocks: 4 tokens need one.",
        )
        cache.lengths[seq] = 4
    before = Snapshot.of(cache)
    expect_refused(
        cache,
        attempt(call, cache, "A", 12),
        before,
        BlockPoolExhausted,
        changed="Refused, and something has changed; the caller believes that all is as before. "
        "(This happened: ovg-project/kvcached#364)",
    )

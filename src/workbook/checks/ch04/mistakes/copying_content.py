"""Mistakes with what the reserve of chapter 04 copies; the others are in ``copying.py``."""

from typing import Any

from paged_attention.tables import ceil_div
from workbook.checks.ch04.copying import copying_reserve

mistake = copying_reserve.mistake
COPY = "pool[:, new] = pool[:, old]"
LOOP = (
    "        for pool in (cache.k_pool, cache.v_pool):\n            pool[:, new] = pool[:, old]\n"
)

mistake(
    "The written slots, those before `offset`, weren't copied: what the new block held before is "
    "read as this sequence's.",
    (LOOP, ""),
)
mistake(
    "The new block was copied over the old one, which others still read. Left of `=` stands where "
    "to, right of it where from.",
    (COPY, "pool[:, old] = pool[:, new]"),
)
for kept, lost in (("k_pool", "values"), ("v_pool", "keys")):
    mistake(
        f"Only `{kept}` was copied: the {lost} of the new block are what was there before.",
        ("(cache.k_pool, cache.v_pool)", f"(cache.{kept},)"),
    )
mistake(
    "Keys were copied into the values' pool, and values into the keys'.",
    ("        for pool in", "        for pool, other in"),
    (
        "(cache.k_pool, cache.v_pool)",
        "zip((cache.k_pool, cache.v_pool), (cache.v_pool.clone(), cache.k_pool.clone()))",
    ),
    (COPY, "pool[:, new] = other[:, old]"),
)
mistake(
    "The first axis of a pool counts layers, the second blocks: all layers are `[:, new]`.",
    (COPY, "pool[new] = pool[old]"),
)
for layers, words in (("0", "layer 0"), ("-1", "the last layer"), (":2", "two layers")):
    mistake(
        f"Only {words} was copied. Each layer has its own part of both pools.".replace(
            "layers was", "layers were"
        ),
        (COPY, f"pool[{layers}, new] = pool[{layers}, old]"),
    )
for head, words in (("0", "head 0"), ("-1", "the last head")):
    mistake(
        f"Only {words} was copied. A block holds the keys and values of every KV head.",
        (COPY, f"pool[:, new, {head}] = pool[:, old, {head}]"),
    )
mistake(
    "After the block come the heads, then the slots: `[:, new, :, :offset]`. Without that colon "
    "`offset` heads were copied.",
    (COPY, "pool[:, new, :offset] = pool[:, old, :offset]"),
)
mistake(
    "The last written slot of the block was left behind: `offset` slots are written, from 0 on.",
    (COPY, "pool[:, new, :, : offset - 1] = pool[:, old, :, : offset - 1]"),
)
mistake(
    "The written slots, those before `offset`, weren't copied: what the new block held before is "
    "read as this sequence's.",
    (COPY, "pool[:, new, :, offset:] = pool[:, old, :, offset:]"),
)
mistake(
    "Slot 0 alone was copied, or as many as tokens will come. What is there already are `offset` "
    "slots.",
    (COPY, "pool[:, new, :, :new_tokens] = pool[:, old, :, :new_tokens]"),
)

mistake(
    "As many slots were copied as are still empty. What is there already are the first `offset`.",
    (
        COPY,
        COPY.replace("new]", "new, :, : cache.block_size - offset]").replace(
            "old]", "old, :, : cache.block_size - offset]"
        ),
    ),
)
mistake(
    "The first block was copied. It is the one that is written next that is needed, "
    "`table[index]`.",
    (COPY, "pool[:, new] = pool[:, table[0]]"),
)


@mistake("Full blocks were copied, too. Nobody will ever write to them: sharing them is safe.")
def every_shared_block(cache: Any, seq: Any, new_tokens: int) -> None:
    table = cache.tables[seq]
    for index, old in enumerate(table):
        if new_tokens and cache.allocator.refs[old] > 1:
            table[index] = new = cache.allocator.allocate()
            for pool in (cache.k_pool, cache.v_pool):
                pool[:, new] = pool[:, old]
            cache.allocator.release(old)
    copying_reserve.finished(cache, seq, new_tokens)


@mistake("Full blocks were copied, too. Nobody will ever write to them: sharing them is safe.")
def every_shared_block_at_once(cache: Any, seq: Any, new_tokens: int) -> None:
    table = cache.tables[seq]
    shared = [at for at, old in enumerate(table) if new_tokens and cache.allocator.refs[old] > 1]
    needed = ceil_div(cache.lengths[seq] + new_tokens, cache.block_size)
    blocks = cache.allocator.allocate_many(max(0, needed - len(table)) + len(shared))
    for at in shared:
        new = blocks.pop(0)
        for pool in (cache.k_pool, cache.v_pool):
            pool[:, new] = pool[:, table[at]]
        cache.allocator.release(table[at])
        table[at] = new
    table.extend(blocks)


mistake(
    "A new list was made (`table = table + …`) and not hung in: the cache's own table is as "
    "before. Change that one, or put the new list into `cache.tables[seq]`.",
    (
        "        table[index] = new\n",
        "        table = [*table[:index], new, *table[index + 1 :]]\n",
    ),
    ("    table.extend(blocks)\n", "    table = table + blocks\n"),
)
mistake(
    "The larger of both numbers was taken, and both are needed: a block for the copy, and the "
    "missing ones behind it.",
    ("missing + copies", "max(missing, copies)"),
)
mistake(
    "The copy was given to the others, and the writer stayed in the old block. Whoever writes "
    "goes; those who read stay.",
    (
        "        table[index] = new\n",
        "        for other in cache.tables.values():\n"
        "            if other is not table and old in other:\n"
        "                other[other.index(old)] = new\n",
    ),
)


@mistake("Full blocks were copied, and those that have room weren't: it is the other way round.")
def the_full_ones(cache: Any, seq: Any, new_tokens: int) -> None:
    table = cache.tables[seq]
    index, offset = divmod(cache.lengths[seq], cache.block_size)
    needed = ceil_div(cache.lengths[seq] + new_tokens, cache.block_size)
    copies = (
        bool(new_tokens and not offset and index) and cache.allocator.refs[table[index - 1]] > 1
    )
    blocks = cache.allocator.allocate_many(max(0, needed - len(table)) + copies)
    if copies:
        old, new = table[index - 1], blocks.pop(0)
        for pool in (cache.k_pool, cache.v_pool):
            pool[:, new] = pool[:, old]
        cache.allocator.release(old)
        table[index - 1] = new
    table.extend(blocks)

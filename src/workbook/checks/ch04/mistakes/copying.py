"""The reserve that copies, and mistakes with it, line by line."""

from typing import Any

from paged_attention.cache import PagedKVCache
from paged_attention.tables import ceil_div
from workbook.checks.ch04 import copying as exercises

mistake = exercises.copying_reserve.mistake
TAKE = "blocks = cache.allocator.allocate_many(missing + copies)"
SHARED = "cache.allocator.refs[table[index]] > 1"
MISSING = "max(0, ceil_div(length + new_tokens, cache.block_size) - len(table))"


def reserve(cache: Any, seq: Any, new_tokens: int) -> None:
    """As chapter 04 has it."""
    table, length = cache.tables[seq], cache.lengths[seq]
    missing = max(0, ceil_div(length + new_tokens, cache.block_size) - len(table))
    index, offset = divmod(length, cache.block_size)
    copies = new_tokens > 0 and offset > 0 and cache.allocator.refs[table[index]] > 1
    blocks = cache.allocator.allocate_many(missing + copies)
    if copies:
        old, new = table[index], blocks.pop(0)
        for pool in (cache.k_pool, cache.v_pool):
            pool[:, new] = pool[:, old]
        cache.allocator.release(old)
        table[index] = new
    table.extend(blocks)


exercises.copying_reserve.finished = reserve
exercises.copying_reserve.also_right.append(PagedKVCache.reserve)

# Where the copy goes.
END = (
    "The copy went to the end of the table; it belongs where the old id was: `table[index] = new`."
)
mistake(END, ("table[index] = new", "table.remove(old)\n        table.append(new)"))
mistake(END, ("table[index] = new", "table.remove(old)\n        blocks.append(new)"))

# Which block is copied, and when.
mistake(
    "No copy was made, and all holders write into the same slots. (This happened: "
    "Avarok-Cybersecurity/atlas#692)",
    (SHARED, "False"),
)
mistake(
    "Where the tokens fit into the table, it returned before it asked whose room that is. Room and "
    "room of one's own are two questions.",
    ("    index, offset", "    if missing == 0:\n        return\n    index, offset"),
)
mistake(
    "A block with one holder is copied. Nobody else sees what the last holder writes: ask `refs` "
    "of the block that is written, and of no other.",
    (f" and {SHARED}", ""),
)
mistake(
    "A block with one holder is copied. Nobody else sees what the last holder writes: ask `refs` "
    "of the block that is written, and of no other.",
    (SHARED, "any(cache.allocator.refs[block] > 1 for block in table)"),
)
mistake(
    "A block with two holders isn't copied: two are enough to write over one another.",
    ("> 1", "> 2"),
)
mistake(
    "`refs` was asked for the number of the entry. It is indexed by block: `refs[table[index]]`.",
    ("refs[table[index]]", "refs[index]"),
)
mistake(
    "When the last block is full, or there is none yet, the table has no entry for the next "
    "token. Then there is nothing to copy either: look at the offset first.",
    ("offset > 0 and ", ""),
)
mistake(
    "That is the block of the last token, length - 1, and it may be full. The next one goes to "
    "position `length`.",
    ("divmod(length, ", "divmod(max(0, length - 1), "),
    ("offset > 0 and ", "length > 0 and "),
)
mistake(
    "The block after the new tokens was asked for. The first of them goes to position `length`.",
    ("divmod(length, ", "divmod(length + new_tokens, "),
)
mistake(
    "`divmod` gives the number of the block first, then the place in it.",
    ("index, offset = ", "offset, index = "),
)
mistake(
    "4 was written into the code; the size of a block is `cache.block_size`.",
    ("divmod(length, cache.block_size)", "divmod(length, 4)"),
)
mistake(
    "The last entry of the table may be room for later. Which entry holds the next position "
    "follows from the length.",
    ("index, offset = divmod(length, cache.block_size)", "offset = length % cache.block_size"),
    ("table[index]", "table[-1]"),
)
mistake("No token will be written, so nothing has to be copied.", ("new_tokens > 0 and ", ""))
mistake(
    "Only the sequence that is first in `tables` copies. Among holders there is no owner and no "
    "guest: whoever writes while others hold the block copies it.",
    (SHARED, f"{SHARED} and seq == next(iter(cache.tables))"),
)


mistake(
    "No copy was made where new blocks follow. The first token still falls into the shared one.",
    ("new_tokens > 0 and ", "new_tokens > 0 and missing == 0 and "),
)
mistake(
    "A copy was made for one new token alone. More of them begin in the same block.",
    ("new_tokens > 0 and ", "new_tokens == 1 and "),
)


# Counts and table.
mistake(
    "The copy's block is in the table twice: take it out of the list before the rest is added.",
    ("blocks.pop(0)", "blocks[0]"),
)
mistake(
    "All holders' holds were released. A sequence may release its own, once.",
    (
        "        cache.allocator.release(old)",
        "        while cache.allocator.refs[old]:\n            cache.allocator.release(old)",
    ),
)
mistake(
    "The new id was put into the last entry; the old one stands at `index`.",
    ("table[index] = new", "table[-1] = new"),
)
mistake(
    "The new blocks were added first, and then the last entry was taken for the one to copy.",
    ("    if copies:\n", "    table.extend(blocks[int(copies) :])\n    if copies:\n"),
    ("    table.extend(blocks)\n", ""),
    ("old, new = table[index], blocks.pop(0)", "old, new = table[-1], blocks.pop(0)"),
    ("table[index] = new", "table[-1] = new"),
)
mistake(
    "The old block was never released: it counts a holder more than it has, and is lost.",
    ("        cache.allocator.release(old)\n", ""),
)
mistake(
    "The new block was released, and the table names it. It is the old one that this sequence "
    "leaves.",
    ("release(old)", "release(new)"),
)
mistake(
    "The old block lost more than one holder, and one leaves: `release` it once.",
    ("cache.allocator.release(old)", "cache.allocator.refs[old] = 1"),
)
mistake(
    "The new block counts a holder too many: `allocate_many` gave it its first one.",
    ("release(old)\n", "release(old)\n        cache.allocator.share(new)\n"),
)
mistake(
    "The copy was made, and the table still leads to the old block: put the new id in its place.",
    ("        table[index] = new\n", ""),
)
mistake(
    "The new id was put beside the old one, and moved what follows. It takes its place.",
    ("table[index] = new", "table.insert(index, new)"),
)
mistake(
    "The new block was added at the end; but the next position is found through its own entry.",
    ("table[index] = new", "table.append(new)"),
)
mistake(
    "The other holders were led to the copy, too. They stay where they are.",
    (
        "        table[index] = new\n",
        "        for other in cache.tables.values():\n"
        "            other[:] = [new if block == old else block for block in other]\n",
    ),
)
mistake(
    "The new blocks behind the copy never came into the table.", ("    table.extend(blocks)\n", "")
)
mistake(
    "A list was put into the table as one entry: `extend` adds its ids.",
    ("table.extend(blocks)", "table.append(blocks)"),
)
mistake(
    "Only the copy's block was taken; positions that have no block yet need new ones.",
    (TAKE, "blocks = cache.allocator.allocate_many(int(copies))"),
)
mistake(
    "The copy's own block wasn't counted: `missing` are the blocks behind it.",
    ("missing + copies", "missing"),
)
mistake(
    "A block was taken for a copy that isn't made.",
    ("missing + copies", "missing + 1"),
)
mistake(
    "The new tokens were counted alone. They come after what is there: round up the whole length.",
    (MISSING, "ceil_div(new_tokens, cache.block_size)"),
)
mistake(
    "Reserved is not written: the length counts tokens whose keys and values are there.",
    (
        "    table.extend(blocks)\n",
        "    table.extend(blocks)\n    cache.lengths[seq] += new_tokens\n",
    ),
)

# Too early, or without a word.
mistake(
    "The old block was released before the new ones were there; then the call was refused, and "
    "the table names a block that this sequence no longer holds.",
    (f"    {TAKE}", f"    if copies:\n        cache.allocator.release(table[index])\n    {TAKE}"),
    ("        cache.allocator.release(old)\n", ""),
)
mistake(
    "The blocks were taken in two calls, and only the second was refused. Count the copy and the "
    "new blocks first, then take them at once. (This happened: huggingface/transformers#46117)",
    (TAKE, "blocks = cache.allocator.allocate_many(copies)"),
    ("    table.extend(blocks)\n", "    table.extend(cache.allocator.allocate_many(missing))\n"),
)
mistake(
    "It gave up without a word. The caller takes silence for room, and writes past the table: "
    "raise.",
    (
        f"    {TAKE}",
        f"    if missing + copies > cache.allocator.num_free:\n        return\n    {TAKE}",
    ),
)
mistake(
    "Two blocks were taken for one copy: `missing` counts those behind it.",
    ("missing + copies", "missing + 2 * copies"),
)
mistake(
    "As many blocks were taken as there were, without a word. The caller believes in room for all "
    "its tokens.",
    ("missing + copies", "min(missing + copies, cache.allocator.num_free)"),
)
mistake(
    "The last entry of the table was copied, full or not. A full block is never written again: "
    "only the block of position `length` may need a copy, and at a block's edge there is none yet.",
    ("offset > 0 and ", "len(table) > 0 and "),
    ("table[index]", "table[-1]"),
)

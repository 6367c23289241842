"""The price of a step, and mistakes with it, line by line."""

from typing import Any

from paged_attention.cache import PagedKVCache
from paged_attention.tables import ceil_div
from workbook.checks.ch04 import step_price as exercises

mistake = exercises.step_cost.mistake
LEFT = "min(w, refs[block] - 1)"
WRITES = "tokens > 0 and offset > 0"


def step_cost(cache: Any, new_tokens: dict[Any, int]) -> int:
    """As chapter 04 has it."""
    new_blocks, writers = 0, dict[int, int]()
    for seq, tokens in new_tokens.items():
        table, length = cache.tables[seq], cache.lengths[seq]
        needed = ceil_div(length + tokens, cache.block_size)
        new_blocks += max(0, needed - len(table))
        index, offset = divmod(length, cache.block_size)
        if tokens > 0 and offset > 0:
            writers[table[index]] = writers.get(table[index], 0) + 1
    refs = cache.allocator.refs
    copies = sum(min(w, refs[block] - 1) for block, w in writers.items())
    return new_blocks + copies


exercises.step_cost.finished = step_cost
exercises.step_cost.also_right.append(PagedKVCache.blocks_to_reserve)

mistake(
    "Asked alone, each of them needs a copy. Together they don't: the last finds itself the only "
    "holder. A sum refuses steps that fit.",
    (LEFT, "w * (refs[block] > 1)"),
)
mistake(
    "Every holder but one was counted, whether it writes or not. Who only reads stays where it is.",
    (LEFT, "refs[block] - 1"),
)
mistake(
    "One copy was counted for the block; but each of its writers needs a copy of its own.",
    (LEFT, "(refs[block] > 1)"),
)
mistake(
    "Each writer of a block was counted, up to all its holders. When the others have their copies, "
    "the last one is alone and writes in place.",
    (LEFT, "min(w, refs[block])"),
)
mistake(
    "`max` counts the larger of the two, and the smaller limits.",
    (LEFT, LEFT.replace("min", "max")),
)
mistake(
    "All sequences of the step were counted as writers of each block; some write elsewhere.",
    (LEFT, "min(len(new_tokens), refs[block] - 1)"),
)
mistake(
    "Copies aren't all: a position that has no block yet takes a new one.",
    ("return new_blocks + copies", "return copies"),
)
mistake(
    "The copies are missing: who writes into a block that others hold, too, takes one for its own.",
    ("return new_blocks + copies", "return new_blocks"),
)
mistake(
    "A sequence that writes 0 tokens was counted as a writer: it needs no copy.",
    (WRITES, "offset > 0"),
)
mistake(
    "When the last block is full, the next token opens a new one: there is no `table[index]`, "
    "and nothing to copy. Look at the offset first.",
    (WRITES, "tokens > 0"),
)
mistake(
    "The last block of the table was taken for the one that is written. It may be room that was "
    "reserved earlier: which entry holds the next position follows from the length.",
    ("table[index]", "table[-1]"),
)
mistake(
    "That is the block of the last token, length - 1. The next one goes to position `length`.",
    ("divmod(length, ", "divmod(length - 1, "),
)
mistake(
    "The new tokens were counted alone. They come after what is there: round up the whole length.",
    ("ceil_div(length + tokens", "ceil_div(tokens"),
)
mistake(
    "`//` rounds the number of blocks down: tokens of the last, part-filled block have no room.",
    ("ceil_div(length + tokens, cache.block_size)", "(length + tokens) // cache.block_size"),
)
mistake(
    "`// block_size + 1` is one block too many where the tokens fill the last one exactly.",
    ("ceil_div(length + tokens, cache.block_size)", "(length + tokens) // cache.block_size + 1"),
)
mistake(
    "Who has reserved more than it needs was counted below 0, and paid for the others.",
    ("max(0, needed - len(table))", "needed - len(table)"),
)
mistake(
    "4 was written into the code; the size of a block is `cache.block_size`, here 3.",
    ("cache.block_size", "4"),
)
mistake(
    "The blocks of the table were counted as if none were there.",
    ("needed - len(table)", "needed"),
)


@mistake("The question changed the cache. Whoever asks for a price has not bought yet.")
def plays_it(cache: Any, new_tokens: dict[Any, int]) -> int:
    before = cache.allocator.num_free
    cache.reserve_many(new_tokens)
    return before - cache.allocator.num_free

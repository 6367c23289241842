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


COUNT = "writers[table[index]] = writers.get(table[index], 0) + 1"
mistake(
    "Writers were counted by the entry of their tables. Two sequences share a block when the "
    "entries name the same id: count by `table[index]`.",
    (COUNT, "writers[index] = writers.get(index, 0) + 1"),
    (
        "refs[block]",
        "max(refs[cache.tables[seq][block]] for seq in new_tokens "
        "if len(cache.tables[seq]) > block)",
    ),
)
mistake(
    "`refs` was asked for the number of an entry. It is indexed by block: `table[index]`.",
    (COUNT, "writers[index] = writers.get(index, 0) + 1"),
)
mistake(
    "Each token was counted as a writer. A sequence copies the block once, however many tokens it "
    "writes.",
    (COUNT, COUNT.replace("+ 1", "+ tokens")),
)
mistake(
    "The last writer was left out even where others only read: it stays alone only if all holders "
    "write.",
    (LEFT, "min(w - 1, refs[block] - 1)"),
)
mistake(
    "The last writer was left out even where others only read: it stays alone only if all holders "
    "write.",
    (LEFT, "w - 1"),
)
mistake(
    "A single writer was left out. It copies too, if somebody else holds the block.",
    ("for block, w in writers.items())", "for block, w in writers.items() if w > 1)"),
)
mistake(
    "`refs - w` counts who only reads. Those stay in the old block; the writers copy.",
    (LEFT, "refs[block] - w"),
)
mistake(
    "Every block of the tables was counted, shared as it may be. Only the one that is written next "
    "is copied.",
    (
        "        if tokens > 0 and offset > 0:\n            writers[table[index]] = "
        "writers.get(table[index], 0) + 1\n",
        "        for block in table:\n            writers[block] = writers.get(block, 0) + 1\n",
    ),
)
mistake(
    "Holders were counted among this step's sequences alone. Others that hold the block and write "
    "nothing count, too: ask `refs`.",
    (
        "refs = cache.allocator.refs",
        "refs = {b: sum(b in cache.tables[s] for s in new_tokens) for b in writers}",
    ),
)
mistake(
    "The blocks that are written were counted, shared or not, once each.",
    (f"sum({LEFT} for block, w in writers.items())", "len(writers)"),
)
mistake(
    "Room that was reserved earlier wasn't seen: what is missing is needed blocks less those of "
    "the table.",
    ("needed - len(table)", "needed - ceil_div(length, cache.block_size)"),
)
mistake(
    "One token was counted for each sequence; the dict says how many.",
    ("length + tokens", "length + 1"),
)
mistake(
    "The new tokens were counted alone. They come after what is there: round up the whole length.",
    ("max(0, needed - len(table))", "ceil_div(tokens, cache.block_size)"),
)
mistake(
    "Only the last sequence's new blocks were counted: add them up.",
    ("new_blocks += max", "new_blocks = max"),
)
mistake(
    "The last entry of the table was asked, full or not. There is something to copy only if the "
    "next token falls into a block that has begun.",
    (WRITES, "tokens > 0 and table"),
    ("table[index]", "table[-1]"),
)
mistake(
    "1 was taken off for the last holder where nothing is copied at all.",
    (
        f"sum({LEFT} for block, w in writers.items())",
        "sum(w for b, w in writers.items() if refs[b] > 1)"
        " - (len(new_tokens) == len(cache.tables))",
    ),
)
mistake(
    "The last writer was left out even where others only read: it stays alone only if all holders "
    "write.",
    (
        f"sum({LEFT} for block, w in writers.items())",
        "max(0, sum(w for b, w in writers.items() if refs[b] > 1) - 1)",
    ),
)
mistake(
    "The new tokens were counted as if they began a new block, and copies not at all: ask the "
    "length, the table and `refs`.",
    ("max(0, needed - len(table))", "ceil_div(tokens, cache.block_size)"),
    ("return new_blocks + copies", "return new_blocks"),
)
mistake(
    "The tokens of all sequences were added up. Two sequences can't fill one new block together: "
    "round up for each.",
    ("return new_blocks + copies", "return ceil_div(sum(new_tokens.values()), cache.block_size)"),
)
mistake(
    "All sequences of the cache were counted; only those in `new_tokens` write.",
    (
        "for seq, tokens in new_tokens.items():",
        "for seq, tokens in {s: new_tokens.get(s, 1) for s in cache.tables}.items():",
    ),
)
mistake(
    "The `return` stands inside the loop: only the first sequence was counted.",
    ("in new_tokens.items():", "in list(new_tokens.items())[:1]:"),
)
mistake(
    "Tokens were counted for new blocks; a block holds `block_size` of them.",
    ("max(0, needed - len(table))", "tokens"),
)
mistake(
    "A copy was counted for each token. A sequence copies the block once.",
    (LEFT, f"{LEFT} * max(new_tokens.values())"),
)
mistake(
    "A block with two holders was taken for one's own.",
    (LEFT, "min(w, max(0, refs[block] - 2))"),
)
mistake(
    "Who has reserved more than it needs was counted as if it lacked as much.",
    ("max(0, needed - len(table))", "abs(needed - len(table))"),
)


@mistake("The question changed the cache. Whoever asks for a price has not bought yet.")
def plays_it(cache: Any, new_tokens: dict[Any, int]) -> int:
    before = cache.allocator.num_free
    cache.reserve_many(new_tokens)
    return before - cache.allocator.num_free


mistake(
    "The block of the last token was taken for the one that is written. When it is full, the next "
    "token begins a block of its own, and nothing is copied.",
    ("divmod(length, ", "divmod(max(length - 1, 0), "),
    (WRITES, "tokens > 0 and length > 0"),
)
mistake(
    "A single copy was counted for the whole step: each writer of a shared block needs its own, "
    "but the last holder.",
    (f"sum({LEFT} for block, w in writers.items())", "int(any(refs[b] > 1 for b in writers))"),
)
mistake(
    "Any shared block of a table was counted, also one that is full. Only the block that the first "
    "new token falls into is copied.",
    (
        f"sum({LEFT} for block, w in writers.items())",
        "sum(n > 0 and any(refs[b] > 1 for b in cache.tables[s]) for s, n in new_tokens.items())",
    ),
)
mistake(
    "All writers but one were counted, whether they share a block or not: go block by block.",
    (
        f"sum({LEFT} for block, w in writers.items())",
        "max(0, sum(w for w in writers.values()) - 1)",
    ),
)
mistake(
    "One new block at most was counted for each sequence; many tokens take more.",
    ("max(0, needed - len(table))", "int(needed > len(table))"),
)
mistake(
    "Copies were counted twice, for keys and for values perhaps. A block holds both, in all "
    "layers.",
    ("return new_blocks + copies", "return new_blocks + 2 * copies"),
)
mistake(
    "A sequence that needs no new block was passed over: it may still write into a shared one.",
    (WRITES, f"{WRITES} and needed > len(table)"),
)

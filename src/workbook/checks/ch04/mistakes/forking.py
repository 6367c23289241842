"""Fork, and mistakes with it, line by line."""

from typing import Any

from paged_attention.cache import PagedKVCache
from paged_attention.tables import ceil_div
from workbook.checks.ch04 import forking as exercises

mistake = exercises.fork.mistake
CUT = "[: ceil_div(length, cache.block_size)]"
REFUSE = '    if child in cache.tables:\n        raise ValueError(f"{child!r} exists already")\n'
SHARE = "    for block in table:\n        cache.allocator.share(block)\n"
GIVE = "    cache.tables[child], cache.lengths[child] = table, length\n"


def fork(cache: Any, parent: Any, child: Any) -> None:
    """As chapter 04 has it."""
    if child in cache.tables:
        raise ValueError(f"{child!r} exists already")
    length = cache.lengths[parent]
    table = cache.tables[parent][: ceil_div(length, cache.block_size)]
    for block in table:
        cache.allocator.share(block)
    cache.tables[child], cache.lengths[child] = table, length


exercises.fork.finished = fork
exercises.fork.also_right.append(PagedKVCache.fork)

# Which blocks.
mistake(
    "b got the whole table, room that a has reserved included. A fork shares tokens: cut the "
    "table at ceil(length / block_size).",
    (CUT, "[:]"),
)
mistake(
    "The table was cut at the length. That counts tokens; the table counts blocks: "
    "ceil(length / block_size).",
    (CUT, "[:length]"),
)
mistake(
    "The part-filled last block is missing: it holds tokens of a's, and b begins with them, too.",
    (CUT, "[: length // cache.block_size]"),
)
mistake(
    "length // block_size + 1 is one block too many when the last one is full.",
    (CUT, "[: length // cache.block_size + 1]"),
)
mistake(
    "A block with b's tokens is missing: the size of a block is `cache.block_size`.",
    ("cache.block_size", "4"),
)
mistake(
    "One block was dropped from the table; a may have reserved more than one. The length says how "
    "many hold tokens.",
    (
        CUT,
        "[: len(cache.tables[parent]) - (len(cache.tables[parent]) > "
        "ceil_div(length, cache.block_size))]",
    ),
)
mistake(
    "The first block is missing: positions are counted from 0.", (CUT, CUT.replace("[:", "[1:"))
)
mistake(
    "The table's order was turned round. Entry 0 has the first tokens.",
    (CUT, f"{CUT}[::-1]"),
)
mistake(
    "The parent's own table was cut. The room that it has reserved stays its own.",
    (
        "    table = cache.tables[parent][: ceil_div(length, cache.block_size)]\n",
        "    del cache.tables[parent][ceil_div(length, cache.block_size) :]\n"
        "    table = list(cache.tables[parent])\n",
    ),
)


@mistake("New blocks were taken. Nothing is different yet, so there is nothing to copy.")
def copies_the_prompt(cache: Any, parent: Any, child: Any) -> None:
    blocks = cache.allocator.allocate_many(len(cache.tables[parent]))
    for pool in (cache.k_pool, cache.v_pool):
        pool[:, blocks] = pool[:, cache.tables[parent]]
    cache.tables[child], cache.lengths[child] = blocks, cache.lengths[parent]


@mistake(
    "An empty sequence was refused. Its table has no block to share; nothing about it is special."
)
def refuses_the_empty(cache: Any, parent: Any, child: Any) -> None:
    fork(cache, parent, child)
    if not cache.lengths[parent]:
        raise ValueError("nothing to fork")


mistake(
    "`round` rounds to the nearest, and leaves out blocks that are filled by less than half: round "
    "up.",
    (CUT, "[: round(length / cache.block_size)]"),
)
mistake(
    "The blocks were sorted, or went through a set. The table's order is that of the tokens.",
    (
        "cache.tables[parent][: ceil_div(length, cache.block_size)]",
        "sorted(cache.tables[parent][: ceil_div(length, cache.block_size)])",
    ),
)

# Who holds them.
mistake(
    "`share` was given the block's place in the table; it wants the id that stands there.",
    ("for block in table:", "for block in range(len(table)):"),
)
mistake(
    "`share` takes one block, and got a whole table.",
    (SHARE, "    cache.allocator.share(table)\n"),
)
mistake("No holder was added: whoever releases a block first frees it for both.", (SHARE, ""))
mistake(
    "A holder too many was added: it will never be released, and the block is lost.",
    ("share(block)", "share(block), cache.allocator.share(block)"),
)
mistake(
    "Only the last block has one holder more. The child's table names all of them.",
    (SHARE, "    if table:\n        cache.allocator.share(table[-1])\n"),
)
mistake(
    "Only the first block has one holder more. The child's table names all of them.",
    (SHARE, "    if table:\n        cache.allocator.share(table[0])\n"),
)
mistake(
    "Only full blocks have one holder more. The child's table names the part-filled one, too.",
    ("for block in table:", "for block in table[: length // cache.block_size]:"),
)
mistake(
    "Every block of the parent's table has one holder more, and the child's table is shorter.",
    ("for block in table:", "for block in cache.tables[parent]:"),
)
mistake(
    "The count was set to 2. It is one more than before: a block may have other holders already.",
    ("cache.allocator.share(block)", "cache.allocator.refs[block] = 2"),
)

# What the child is given.
mistake(
    "a grew, and so did b: both names stand for one list.",
    (GIVE, "    cache.tables[child], cache.lengths[child] = cache.tables[parent], length\n"),
)
mistake(
    "The table must be a list: it will grow, and a tuple can't.",
    (GIVE, GIVE.replace("table, length", "tuple(table), length")),
)
mistake(
    "The child has no table: give it one under its name in `cache.tables`.",
    (GIVE, "    cache.lengths[child] = length\n"),
)
mistake(
    "The child has no length: give it one under its name in `cache.lengths`.",
    (GIVE, "    cache.tables[child] = table\n"),
)
mistake(
    "The child begins with the parent's tokens, so they count for it, too; its length is 0.",
    (GIVE, GIVE.replace("table, length", "table, 0")),
)
mistake(
    "The length counts tokens, not slots: the last block may be part-filled.",
    (GIVE, GIVE.replace("table, length", "table, len(table) * cache.block_size")),
)
mistake(
    "The blocks were moved, not shared: the parent is gone, and it has tokens to come.",
    (SHARE, "    del cache.tables[parent], cache.lengths[parent]\n"),
)
mistake(
    "a is the parent, and has to be there; the child's name has to be new.",
    ("cache: Any, parent: Any, child: Any", "cache: Any, child: Any, parent: Any"),
)

# What is refused.
mistake(
    "`assert` raises an AssertionError, and Python may be told to skip it: raise a ValueError.",
    (REFUSE, "    assert child not in cache.tables\n"),
)
mistake(
    "b's old table is gone, and block 7 still counts a holder. Nobody names it, so nobody will "
    "ever release it.",
    (REFUSE, ""),
)
mistake(
    "It gave up without a word: the caller takes silence for a fork, and finds b's old tokens "
    "there.",
    (REFUSE, "    if child in cache.tables:\n        return\n"),
)
mistake(
    "Refused, yet something had been done before: refuse first, then share.",
    (REFUSE, ""),
    (GIVE, f"{REFUSE}{GIVE}"),
)
mistake(
    "A KeyError says that a name isn't there. This one is: a ValueError is wanted.",
    ("raise ValueError", "raise KeyError"),
)
mistake(
    "A ValueError says that a name is taken. The parent isn't there: a KeyError is wanted.",
    (REFUSE, f"{REFUSE}    if parent not in cache.tables:\n        raise ValueError(parent)\n"),
)
mistake(
    "The caller believes in a prompt, and b begins without a token.",
    (REFUSE, f"{REFUSE}    if parent not in cache.tables:\n        cache.create(parent)\n"),
)
mistake(
    "b was created before the parent was looked up, and stays behind with an empty table. Read "
    "the parent first.",
    (REFUSE, f"{REFUSE}    cache.create(child)\n"),
)
mistake(
    "Parent and child are swapped: the first name is there, the second is to be made.",
    (REFUSE, "    parent, child = child, parent\n"),
)
mistake(
    "A holder was added for each token. A table holds a block once, however many tokens are in it.",
    (
        SHARE,
        "    for position in range(length):\n"
        "        cache.allocator.share(table[position // cache.block_size])\n",
    ),
)
mistake(
    "Each block got a holder more for every sequence there is; one table more names it.",
    (SHARE, "    for block in table * len(cache.tables):\n        cache.allocator.share(block)\n"),
)
mistake(
    "Only the parent's own name was refused; any name that is taken must be.",
    ("if child in cache.tables:", "if child == parent:"),
)

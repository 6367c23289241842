"""Mistakes with fork, as readers make them."""

from typing import Any

from paged_attention.cache import PagedKVCache
from paged_attention.errors import SequenceExists
from paged_attention.tables import ceil_div
from workbook.checks.ch04.forking import fork


def right(cache: Any, parent: Any, child: Any) -> None:
    length = cache.lengths[parent]
    if child in cache.tables:
        raise SequenceExists(child)
    table = cache.tables[parent][: ceil_div(length, cache.block_size)]
    for block in table:
        cache.allocator.share(block)
    cache.tables[child], cache.lengths[child] = table, length


@fork.mistake("a grew, and so did b: both names stand for one list.")
def same_list(cache: Any, parent: Any, child: Any) -> None:
    for block in cache.tables[parent]:
        cache.allocator.share(block)
    cache.tables[child], cache.lengths[child] = cache.tables[parent], cache.lengths[parent]


@fork.mistake("Whoever releases it first frees it, while others still read it.")
def no_share(cache: Any, parent: Any, child: Any) -> None:
    cache.tables[child] = list(cache.tables[parent])
    cache.lengths[child] = cache.lengths[parent]


@fork.mistake("A hold that nobody has will never be released: the block is lost.")
def shares_twice(cache: Any, parent: Any, child: Any) -> None:
    right(cache, parent, child)
    for block in cache.tables[child]:
        cache.allocator.share(block)


@fork.mistake("New blocks were taken. Nothing is different yet, so there is nothing to copy.")
def copies_the_prompt(cache: Any, parent: Any, child: Any) -> None:
    blocks = cache.allocator.allocate_many(len(cache.tables[parent]))
    for pool in (cache.k_pool, cache.v_pool):
        pool[:, blocks] = pool[:, cache.tables[parent]]
    cache.tables[child], cache.lengths[child] = blocks, cache.lengths[parent]


@fork.mistake(
    "b's old table is gone, and block 2 still counts a holder. Nobody names it, so nobody will "
    "ever release it."
)
def name_overwritten(cache: Any, parent: Any, child: Any) -> None:
    table = cache.tables[parent][: ceil_div(cache.lengths[parent], cache.block_size)]
    for block in table:
        cache.allocator.share(block)
    cache.tables[child], cache.lengths[child] = table, cache.lengths[parent]


@fork.mistake("Refused, yet the counts went up first: refuse before you share.")
def refused_too_late(cache: Any, parent: Any, child: Any) -> None:
    table = list(cache.tables[parent])
    for block in table:
        cache.allocator.share(block)
    if child in cache.tables:
        raise SequenceExists(child)
    cache.tables[child], cache.lengths[child] = table, cache.lengths[parent]


@fork.mistake(
    "b got the whole table, room that a has reserved included. A fork shares tokens: cut the "
    "table at ceil(length / block_size)."
)
def whole_table(cache: Any, parent: Any, child: Any) -> None:
    if child in cache.tables:
        raise SequenceExists(child)
    cache.tables[child] = list(cache.tables[parent])
    cache.lengths[child] = cache.lengths[parent]
    for block in cache.tables[child]:
        cache.allocator.share(block)


@fork.mistake(
    "The part-filled last block is missing: it holds two of a's tokens, and b begins with them, "
    "too."
)
def full_blocks_only(cache: Any, parent: Any, child: Any) -> None:
    table = cache.tables[parent][: cache.lengths[parent] // cache.block_size]
    for block in table:
        cache.allocator.share(block)
    cache.tables[child], cache.lengths[child] = table, cache.lengths[parent]


@fork.mistake("The child begins with the parent's tokens, so they count for it, too.")
def starts_at_zero(cache: Any, parent: Any, child: Any) -> None:
    right(cache, parent, child)
    cache.lengths[child] = 0


@fork.mistake(
    "An empty sequence was refused. Its table has no block to share; nothing about it is special."
)
def refuses_the_empty(cache: Any, parent: Any, child: Any) -> None:
    right(cache, parent, child)
    if not cache.lengths[parent]:
        raise ValueError("nothing to fork")


@fork.mistake("The caller believes in a prompt, and b begins without a token.")
def creates_the_parent(cache: Any, parent: Any, child: Any) -> None:
    if parent not in cache.tables:
        cache.create(parent)
    right(cache, parent, child)


@fork.mistake(
    "b was created before the parent was looked up, and stays behind with an empty table. Read "
    "the parent first."
)
def overwrites_after_failing(cache: Any, parent: Any, child: Any) -> None:
    if child in cache.tables:
        raise SequenceExists(child)
    cache.create(child)
    cache.tables[child] = cache.tables[parent][: ceil_div(cache.lengths[parent], 4)]
    cache.lengths[child] = cache.lengths[parent]
    for block in cache.tables[child]:
        cache.allocator.share(block)


@fork.mistake("A block with b's tokens is missing: the size of a block is `cache.block_size`.")
def blocks_of_four(cache: Any, parent: Any, child: Any) -> None:
    length = cache.lengths[parent]
    if child in cache.tables:
        raise SequenceExists(child)
    table = cache.tables[parent][: ceil_div(length, 4)]
    for block in table:
        cache.allocator.share(block)
    cache.tables[child], cache.lengths[child] = table, length


@fork.mistake("length // block_size + 1 is one block too many when the last one is full.")
def one_block_too_many(cache: Any, parent: Any, child: Any) -> None:
    length = cache.lengths[parent]
    if child in cache.tables:
        raise SequenceExists(child)
    table = cache.tables[parent][: length // cache.block_size + 1]
    for block in table:
        cache.allocator.share(block)
    cache.tables[child], cache.lengths[child] = table, length


@fork.mistake(
    "One block was dropped from the table; a may have reserved more than one. The length says how"
    " many hold tokens."
)
def drops_one_block(cache: Any, parent: Any, child: Any) -> None:
    length, table = cache.lengths[parent], list(cache.tables[parent])
    if child in cache.tables:
        raise SequenceExists(child)
    if len(table) > ceil_div(length, cache.block_size):
        table.pop()
    for block in table:
        cache.allocator.share(block)
    cache.tables[child], cache.lengths[child] = table, length


fork.finished = PagedKVCache.fork

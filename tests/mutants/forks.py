"""Ways to fork a sequence wrong."""

from typing import Any

from paged_attention.cache import PagedKVCache
from paged_attention.errors import SequenceExists
from paged_attention.tables import ceil_div


def right(cache: Any, parent: Any, child: Any) -> None:
    length = cache.lengths[parent]
    if child in cache.tables:
        raise SequenceExists(child)
    table = cache.tables[parent][: ceil_div(length, cache.block_size)]
    for block in table:
        cache.allocator.share(block)
    cache.tables[child], cache.lengths[child] = table, length


def same_list(cache: Any, parent: Any, child: Any) -> None:
    for block in cache.tables[parent]:
        cache.allocator.share(block)
    cache.tables[child], cache.lengths[child] = cache.tables[parent], cache.lengths[parent]


def no_share(cache: Any, parent: Any, child: Any) -> None:
    cache.tables[child] = list(cache.tables[parent])
    cache.lengths[child] = cache.lengths[parent]


def shares_twice(cache: Any, parent: Any, child: Any) -> None:
    right(cache, parent, child)
    for block in cache.tables[child]:
        cache.allocator.share(block)


def copies_the_prompt(cache: Any, parent: Any, child: Any) -> None:
    blocks = cache.allocator.allocate_many(len(cache.tables[parent]))
    for pool in (cache.k_pool, cache.v_pool):
        pool[:, blocks] = pool[:, cache.tables[parent]]
    cache.tables[child], cache.lengths[child] = blocks, cache.lengths[parent]


def name_overwritten(cache: Any, parent: Any, child: Any) -> None:
    table = cache.tables[parent][: ceil_div(cache.lengths[parent], cache.block_size)]
    for block in table:
        cache.allocator.share(block)
    cache.tables[child], cache.lengths[child] = table, cache.lengths[parent]


def refused_too_late(cache: Any, parent: Any, child: Any) -> None:
    table = list(cache.tables[parent])
    for block in table:
        cache.allocator.share(block)
    if child in cache.tables:
        raise SequenceExists(child)
    cache.tables[child], cache.lengths[child] = table, cache.lengths[parent]


def whole_table(cache: Any, parent: Any, child: Any) -> None:
    if child in cache.tables:
        raise SequenceExists(child)
    cache.tables[child] = list(cache.tables[parent])
    cache.lengths[child] = cache.lengths[parent]
    for block in cache.tables[child]:
        cache.allocator.share(block)


def full_blocks_only(cache: Any, parent: Any, child: Any) -> None:
    table = cache.tables[parent][: cache.lengths[parent] // cache.block_size]
    for block in table:
        cache.allocator.share(block)
    cache.tables[child], cache.lengths[child] = table, cache.lengths[parent]


def starts_at_zero(cache: Any, parent: Any, child: Any) -> None:
    right(cache, parent, child)
    cache.lengths[child] = 0


def refuses_the_empty(cache: Any, parent: Any, child: Any) -> None:
    right(cache, parent, child)
    if not cache.lengths[parent]:
        raise ValueError("nothing to fork")


def creates_the_parent(cache: Any, parent: Any, child: Any) -> None:
    if parent not in cache.tables:
        cache.create(parent)
    right(cache, parent, child)


def overwrites_after_failing(cache: Any, parent: Any, child: Any) -> None:
    if child in cache.tables:
        raise SequenceExists(child)
    cache.create(child)
    cache.tables[child] = cache.tables[parent][: ceil_div(cache.lengths[parent], 4)]
    cache.lengths[child] = cache.lengths[parent]
    for block in cache.tables[child]:
        cache.allocator.share(block)


def blocks_of_four(cache: Any, parent: Any, child: Any) -> None:
    length = cache.lengths[parent]
    if child in cache.tables:
        raise SequenceExists(child)
    table = cache.tables[parent][: ceil_div(length, 4)]
    for block in table:
        cache.allocator.share(block)
    cache.tables[child], cache.lengths[child] = table, length


def one_block_too_many(cache: Any, parent: Any, child: Any) -> None:
    length = cache.lengths[parent]
    if child in cache.tables:
        raise SequenceExists(child)
    table = cache.tables[parent][: length // cache.block_size + 1]
    for block in table:
        cache.allocator.share(block)
    cache.tables[child], cache.lengths[child] = table, length


def drops_one_block(cache: Any, parent: Any, child: Any) -> None:
    length, table = cache.lengths[parent], list(cache.tables[parent])
    if child in cache.tables:
        raise SequenceExists(child)
    if len(table) > ceil_div(length, cache.block_size):
        table.pop()
    for block in table:
        cache.allocator.share(block)
    cache.tables[child], cache.lengths[child] = table, length


MUTANTS = [
    ("fork", "same list", same_list, "both names stand for one list"),
    ("fork", "no share", no_share, "block 0 counts 1 and is in 3 tables"),
    ("fork", "shares twice", shares_twice, "block 0 counts 5 and is in 3 tables"),
    ("fork", "copies the prompt", copies_the_prompt, "6 blocks used"),
    ("fork", "name overwritten", name_overwritten, "nobody will ever release it"),
    ("fork", "refused too late", refused_too_late, "the counts went up first"),
    ("fork", "whole table", whole_table, "a has 3 tokens in blocks of 4 and reserves 5 more"),
    ("fork", "blocks of four", blocks_of_four, "the size of a block is"),
    ("fork", "one too many", one_block_too_many, "a has 8 tokens in blocks of 4 and reserves 4"),
    ("fork", "drops one block", drops_one_block, "a has 3 tokens in blocks of 4 and reserves 9"),
    ("fork", "full blocks only", full_blocks_only, "'b': [0], 'c': [0]"),
    ("fork", "starts at zero", starts_at_zero, "lengths {'a': 6, 'b': 0, 'c': 0}"),
    ("fork", "refuses the empty", refuses_the_empty, "ValueError: nothing to fork"),
    ("fork", "creates the parent", creates_the_parent, "b begins without a token"),
    ("fork", "half a child stays", overwrites_after_failing, "an error, and tables"),
]
FINISHED = {"fork": PagedKVCache.fork}

"""Chapter 04, open task: an order in which to run a tree of forks."""

import random
from collections.abc import Iterator
from typing import Any

from workbook.checks.framework import Rejected, open_task

BLOCKS = 400
Tree = dict[int, tuple[int | None, int]]  # node: its parent and its tokens; node 0 is the root


def trees() -> Iterator[Tree]:
    """20 trees of 12 to 24 nodes, always the same."""
    draw = random.Random(4)
    for _ in range(20):
        nodes = range(draw.randint(12, 24))
        yield {
            n: (draw.randrange(max(0, n - 5), n) if n else None, draw.randint(1, 9)) for n in nodes
        }


@open_task(
    "tree_order",
    label="open-04",
    title="An order for a tree",
    asks="a function order(tree) -> list of its nodes, each after its parent; tree[node] is "
    "(parent, tokens), and the root's parent is None",
    unit="blocks at the peak",
    better="less",
    today=(14.0, "breadth first"),
    book=(11.0, "depth first, the subtree that needs least first"),
)
def tree_order(answer: Any) -> float:
    """The highest number of blocks in use, its mean over 20 trees played on a real cache."""
    peaks = [_play(tree, answer(dict(tree))) for tree in trees()]
    return round(sum(peaks) / len(peaks), 1)


def _play(tree: Tree, order: Any) -> int:
    """Fork, write, and free a parent with its last child; the most blocks held on the way."""
    from paged_attention.cache import PagedKVCache

    _expect_an_order(tree, order)
    parents = [parent for parent, _ in tree.values()]
    to_come = {node: parents.count(node) for node in tree}
    cache = PagedKVCache(1, BLOCKS, 4, 1, 1)
    peak = 0
    for node in order:
        parent, tokens = tree[node]
        if parent is None:
            cache.create(node)
        else:
            cache.fork(parent, node)
            to_come[parent] -= 1
            if not to_come[parent]:
                cache.free(parent)
        cache.reserve(node, tokens)
        cache.lengths[node] += tokens
        peak = max(peak, BLOCKS - cache.allocator.num_free)
        if not to_come[node]:
            cache.free(node)
    return peak


def _expect_an_order(tree: Tree, order: Any) -> None:
    if not isinstance(order, list | tuple):
        raise Rejected(f"The order is a {type(order).__name__}; a list of nodes is wanted.")
    seen: set[Any] = set()
    for node in order:
        if node not in tree:
            raise Rejected(f"{node!r} is no node of the tree.")
        if node in seen:
            raise Rejected(f"Node {node} comes twice.")
        parent = tree[node][0]
        if parent is not None and parent not in seen:
            raise Rejected(f"Node {node} comes before its parent {parent}.")
        seen.add(node)
    if missing := sorted(tree.keys() - seen):
        raise Rejected(f"Node {missing[0]} is missing.")

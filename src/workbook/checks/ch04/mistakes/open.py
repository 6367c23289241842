"""The open task's own answer, and orders that are none."""

from collections.abc import Callable

from workbook.checks.ch04.open import Tree, tree_order


def smallest_need_first(tree: Tree) -> list[int]:
    """Depth first; of a node's children, the one whose subtree needs the fewest blocks."""
    children: dict[int | None, list[int]] = {node: [] for node in (None, *tree)}
    for node, (parent, _) in tree.items():
        children[parent].append(node)

    def need(node: int, start: int) -> int:
        """Blocks beyond those of its first ``start`` tokens, at most."""
        end = start + tree[node][1]
        below = max((need(child, end) for child in children[node]), default=0)
        return -(-end // 4) - start // 4 + below

    def walk(node: int, start: int) -> list[int]:
        end = start + tree[node][1]
        ordered = sorted(children[node], key=lambda child: need(child, end))
        return [node, *(below for child in ordered for below in walk(child, end))]

    return walk(0, 0)


tree_order.solved = smallest_need_first


def rejects(words: str) -> Callable[[Callable[[Tree], object]], object]:
    """Short for the task's own decorator."""
    return tree_order.rejects(words)


@rejects("is missing")
def one_left_out(tree: Tree) -> object:
    return list(tree)[:-1]


@rejects("before its parent")
def leaves_first(tree: Tree) -> object:
    return list(tree)[::-1]


@rejects("comes twice")
def the_root_alone(tree: Tree) -> object:
    return [0] * len(tree)


@rejects("is no node of the tree")
def a_node_more(tree: Tree) -> object:
    return [*tree, 99]


@rejects("a list of nodes is wanted")
def nothing(tree: Tree) -> object:
    return None


@rejects("It ends in KeyError")
def crashes(tree: Tree) -> object:
    return tree[99]

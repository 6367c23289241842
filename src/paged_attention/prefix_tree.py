"""The tree of the prefix cache: an edge is one block's tokens, a node the prefix up to there."""

from typing import NamedTuple

# A block's packed tokens; above them, salt and adapter.
Edge = bytes | tuple[str | None, str | None]


class Node:
    """One whole prefix; ``blocks`` are the copies of its last block, each with the same content.

    ``space`` is the first edge of the way to it: salt and adapter.
    """

    __slots__ = ("blocks", "children", "edge", "parent", "space")

    def __init__(self, parent: "Node | None", edge: Edge, space: Edge) -> None:
        self.parent = parent
        self.edge = edge
        self.space = space
        self.children: dict[Edge, Node] = {}
        self.blocks: tuple[int, ...] = ()

    def link(self, blocks: tuple[int, ...]) -> None:
        """Stand in the tree, with these blocks, and everything on the way here too."""
        self.blocks = blocks
        node = self
        while node.parent is not None and node.edge not in node.parent.children:
            node.parent.children[node.edge] = node
            node = node.parent

    def drop(self, block: int) -> None:
        """Lose ``block``, and with the last one the place in the tree."""
        self.blocks = tuple(other for other in self.blocks if other != block)
        self.prune()

    def prune(self) -> None:
        """Leave the tree with every prefix on the way here that leads nowhere any more."""
        node = self
        while node.parent is not None and not node.blocks and not node.children:
            node.parent.children.pop(node.edge, None)
            node = node.parent


class Row(NamedTuple):
    """A node in a list, its parent by its number there."""

    parent: int | None
    edge: Edge
    space: Edge
    blocks: tuple[int, ...]


def flat(top: Node) -> list[Row]:
    """The tree as a list, parents first: a copy of nested objects goes as deep as they do."""
    nodes = [top]
    for node in nodes:
        nodes += node.children.values()
    numbers: dict[Node | None, int] = {node: number for number, node in enumerate(nodes)}
    return [Row(numbers.get(node.parent), node.edge, node.space, node.blocks) for node in nodes]


def grown(rows: list[Row]) -> tuple[Node, dict[int, Node]]:
    """The tree that ``flat`` was made of: its top, and its nodes by block."""
    nodes: list[Node] = []
    for row in rows:
        parent = None if row.parent is None else nodes[row.parent]
        nodes.append(Node(parent, row.edge, row.space))
        nodes[-1].link(row.blocks)
    return nodes[0], {block: node for node in nodes for block in node.blocks}

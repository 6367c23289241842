"""The naive twin of ``runs``: a tree with a node for each block and a dictionary entry for each.

An edge is one block's tokens, a node the prefix up to there. It is what chapter 5 builds, and the
plain way to say what an index does; ``PrefixCache(cache, index=BlockTree)`` runs on it.
"""

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from paged_attention.errors import InvariantBroken
from paged_attention.journal import Journal
from paged_attention.prefix_index import Known, Space


class Node:
    """One whole prefix; ``blocks`` are the copies of its last block, each with the same content."""

    __slots__ = ("blocks", "children", "edge", "parent", "space")

    def __init__(self, parent: "Node | None", space: Space, edge: bytes) -> None:
        self.parent = parent  # none above the first block
        self.space = space
        self.edge = edge
        self.children: dict[bytes, Node] = {}
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
    space: Space
    edge: bytes
    blocks: tuple[int, ...]


class BlockTree:
    """Finds the blocks of a packed prefix, one look-up a block; see ``prefix_index``."""

    def __init__(self, _num_blocks: int, width: int, journal: Journal) -> None:
        self.width = width
        self.journal = journal
        self._roots: dict[Space, Node] = {}  # one without blocks for each space
        self._nodes: dict[int, Node] = {}  # by block

    def __len__(self) -> int:
        return len(self._nodes)

    def __iter__(self) -> Iterator[Known]:
        for node in self._walk():
            if node.parent is not None:
                before = node.parent.blocks[0] if node.parent.blocks else None
                yield Known(node.space, node.edge, before, node.blocks)

    def __getstate__(self) -> dict[str, Any]:
        """The tree as a list: a copy of nested objects would go as deep as they do."""
        nodes = list(self._walk())
        numbers: dict[Node | None, int] = {node: number for number, node in enumerate(nodes)}
        rows = [Row(numbers.get(n.parent), n.space, n.edge, n.blocks) for n in nodes]
        return self.__dict__ | {"_roots": rows, "_nodes": None}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        nodes: list[Node] = []
        for row in state["_roots"]:
            parent = None if row.parent is None else nodes[row.parent]
            nodes.append(Node(parent, row.space, row.edge))
            nodes[-1].link(row.blocks)
        self._roots = {node.space: node for node in nodes if node.parent is None}
        self._nodes = {block: node for node in nodes for block in node.blocks}

    def find(self, space: Space, packed: bytes) -> list[int]:
        """The blocks that hold the longest known beginning of ``packed``. Changes nothing."""
        blocks: list[int] = []
        node = self._roots.get(space)
        for edge in self._edges(packed):
            node = node.children.get(edge) if node else None
            if node is None or not node.blocks:
                break
            blocks.append(node.blocks[0])
        return blocks

    def name(self, block: int, _number: int) -> tuple[Space, bytes]:
        """What the known ``block`` is known as: its space, and its own tokens."""
        node = self._nodes[block]
        return node.space, node.edge

    def before(self, block: int) -> int | None:
        """The block that serves what comes before ``block``; none for a first one."""
        parent = self._nodes[block].parent
        return parent.blocks[0] if parent and parent.blocks else None

    def publish(self, space: Space, packed: bytes, table: Sequence[int], known: int) -> None:
        """Make the blocks of ``table`` behind the first ``known`` ones known."""
        blocks = table[known:]
        if known:
            node = self._nodes[table[known - 1]]
        else:
            self.journal.keep_key(self._roots, space)
            node = self._roots.setdefault(space, Node(None, space, b""))
        self.journal.note(self._unpublish, blocks)
        for block, edge in zip(blocks, self._edges(packed), strict=True):
            child = node.children.get(edge) or Node(node, space, edge)
            self._nodes[block] = child
            child.blocks += (block,)
            node.children[edge] = child
            node = child

    def forget(self, blocks: Sequence[int]) -> None:
        """Take out ``blocks``, and every prefix that leads nowhere without them."""
        nodes = [self._nodes[block] for block in blocks]
        self.journal.note(self._publish_again, blocks, nodes, [node.blocks for node in nodes])
        self._unpublish(blocks)
        for space in {node.space for node in nodes}:
            if not self._roots[space].children:
                self.journal.keep_key(self._roots, space)
                del self._roots[space]

    def check_invariants(self, indexed: Sequence[int]) -> None:
        """Raise ``InvariantBroken`` naming what is not in its place. Walks the whole tree."""
        in_tree: dict[int, Node] = {}
        for node in self._walk():
            in_tree.update(dict.fromkeys(node.blocks, node))
            for child in node.children.values():
                if child.parent is not node or not (child.blocks or child.children):
                    raise InvariantBroken(f"the index has a dead end after {child.edge!r}")
                if not child.blocks:
                    raise InvariantBroken(f"nothing behind {child.edge!r} can be reached")
        if in_tree != self._nodes:
            raise InvariantBroken(
                f"tree and index name other blocks: {in_tree.keys() ^ self._nodes}"
            )
        for block, known in enumerate(indexed):
            if known != (block in in_tree):
                raise InvariantBroken(f"block {block} is in the index or out of it, not both")

    def _edges(self, packed: bytes) -> Iterator[bytes]:
        """The tokens of each block."""
        return (packed[at : at + self.width] for at in range(0, len(packed), self.width))

    def _walk(self) -> Iterator[Node]:
        """Every node, parents first."""
        nodes = list(self._roots.values())
        for node in nodes:
            nodes += node.children.values()
            yield node

    def _unpublish(self, blocks: Sequence[int]) -> None:
        """Take out ``blocks``, which may not have got as far as the index."""
        for block in blocks:
            if block in self._nodes:
                self._nodes[block].drop(block)
                del self._nodes[block]

    def _publish_again(
        self, blocks: Sequence[int], nodes: Sequence[Node], copies: Sequence[tuple[int, ...]]
    ) -> None:
        """Put back what ``forget`` took out: each node with all the blocks it had."""
        for block, node, same in reversed([*zip(blocks, nodes, copies, strict=True)]):
            node.link(same)
            self._nodes[block] = node

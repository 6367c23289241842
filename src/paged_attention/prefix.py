"""The prefix cache: blocks of earlier prompts, found again by every token up to their end.

Keys and values of a token depend on all tokens before it, so a block is named by its whole prefix.
The index is a tree: an edge is the tuple of one block's tokens, a node the prefix that leads to it.
A lookup compares tokens, not hashes alone, so no prefix is ever taken for another.
"""

from collections.abc import Hashable, Sequence
from numbers import Integral

from paged_attention.cache import PagedKVCache
from paged_attention.errors import InvariantBroken


class Node:
    """One whole prefix; ``blocks`` are the copies of its last block, each with the same content."""

    __slots__ = ("blocks", "children", "edge", "parent")

    def __init__(self, parent: "Node | None", edge: tuple[Hashable, ...]) -> None:
        self.parent = parent
        self.edge = edge
        self.children: dict[tuple[Hashable, ...], Node] = {}
        self.blocks: list[int] = []


class PrefixStats:
    """Tokens asked for and tokens found; a sequence counts at its first ``attach`` only.

    One that was preempted comes back and finds its own blocks. Counted again, preemptions would
    pass for hits. A new request therefore needs a name of its own; ``reset`` forgets counts and
    names.
    """

    def __init__(self) -> None:
        self.reset()

    def reset(self) -> None:
        """Begin to count anew."""
        self.queried_tokens = self.hit_tokens = 0
        self._counted: set[Hashable] = set()

    @property
    def hit_rate(self) -> float:
        """Tokens found as a fraction of those asked for; 0 before any was."""
        return self.hit_tokens / self.queried_tokens if self.queried_tokens else 0.0

    def count(self, seq: Hashable, queried: int, hit: int) -> None:
        """Count one attach, unless ``seq`` was counted before."""
        if seq not in self._counted:
            self._counted.add(seq)
            self.queried_tokens += queried
            self.hit_tokens += hit


class PrefixCache:
    """Keeps blocks of ``cache`` whose content may serve another prompt, and finds them.

    It is one holder of each block in its index. A block that nobody else holds counts as room and
    is evicted when blocks run out. ``salt`` and ``adapter`` belong to the prefix: prompts that
    differ in either never meet.
    """

    def __init__(self, cache: PagedKVCache) -> None:
        self.cache = cache
        self.stats = PrefixStats()
        self._top = Node(None, ())  # its edges are (salt, adapter), all others a block's tokens
        self._nodes: dict[int, Node] = {}  # by block
        cache.allocator.connect_index(self._forget)

    def __len__(self) -> int:
        """Blocks in the index."""
        return len(self._nodes)

    def match(
        self, prompt: Sequence[int], *, salt: str | None = None, adapter: str | None = None
    ) -> list[int]:
        """The blocks that hold the longest known beginning of ``prompt``. Changes nothing.

        At least one token is left over: its logits are the first output, and no cache keeps those.
        """
        size = self.cache.block_size
        tokens = _as_tuple(prompt)
        node = self._top.children.get(_first_edge(salt, adapter))
        blocks: list[int] = []
        for start in range(0, (len(tokens) - 1) // size * size, size):
            node = node.children.get(tokens[start : start + size]) if node else None
            if node is None or not node.blocks:
                break
            blocks.append(node.blocks[0])
        return blocks

    def attach(
        self,
        seq: Hashable,
        prompt: Sequence[int],
        *,
        salt: str | None = None,
        adapter: str | None = None,
    ) -> int:
        """Give the empty ``seq`` every block that ``match`` finds; returns the tokens reused.

        ``seq`` holds them from now on, so a ``reserve`` that follows can't evict what was just
        found.
        """
        blocks = self.match(prompt, salt=salt, adapter=adapter)
        self.cache.adopt(seq, blocks)
        reused = len(blocks) * self.cache.block_size
        self.stats.count(seq, len(prompt), reused)
        return reused

    def remember(
        self,
        seq: Hashable,
        tokens: Sequence[int],
        *,
        salt: str | None = None,
        adapter: str | None = None,
    ) -> None:
        """Publish the full blocks of ``seq``, which holds ``tokens``, as far as their KV exists.

        A block whose content is known already is kept beside the known one: either can serve when
        the other is evicted. Raises, and publishes nothing, if a block is known under other tokens.
        """
        size, table = self.cache.block_size, self.cache.table(seq)
        written = _as_tuple(tokens)[: self.cache.lengths[seq]]
        edges: list[tuple[Hashable, ...]] = [_first_edge(salt, adapter)]
        edges += [written[i : i + size] for i in range(0, len(written) // size * size, size)]
        if len(edges) == 1:
            return
        path = self._walk(edges)
        fresh = [
            (depth, b)
            for depth, b in enumerate(table[: len(edges) - 1], 2)
            if not self._is_at(b, path[depth] if depth < len(path) else None, seq)
        ]
        for edge in edges[len(path) - 1 :]:
            path.append(path[-1].children.setdefault(edge, Node(path[-1], edge)))
        self.cache.allocator.index_many([block for _, block in fresh])
        for depth, block in fresh:
            self._nodes[block] = path[depth]
            path[depth].blocks.append(block)

    def evict(self, n: int) -> int:
        """Free up to ``n`` blocks that nobody else holds; returns how many were freed.

        The least recently used go first, and of one sequence the tail: without it the beginning
        still serves, not the other way round.
        """
        return self.cache.allocator.evict(n)

    def check_invariants(self) -> None:
        """Raise ``InvariantBroken`` if tree, index and pool disagree. Walks all of them."""
        self.cache.check_invariants()
        in_tree: dict[int, Node] = {}
        stack = [self._top]
        while stack:
            node = stack.pop()
            stack += node.children.values()
            in_tree.update(dict.fromkeys(node.blocks, node))
            for child in node.children.values():
                if child.parent is not node or not (child.blocks or child.children):
                    raise InvariantBroken(f"the index has a dead end after {child.edge}")
                if node.parent is not None and not child.blocks:
                    raise InvariantBroken(f"nothing behind {child.edge} can be reached")
        if in_tree != self._nodes:
            raise InvariantBroken(
                f"tree and index name other blocks: {in_tree.keys() ^ self._nodes}"
            )
        for block, indexed in enumerate(self.cache.allocator.indexed):
            if indexed != (block in in_tree):
                raise InvariantBroken(f"block {block} is in the index or out of it, not both")

    def _walk(self, edges: Sequence[tuple[Hashable, ...]]) -> list[Node]:
        """Nodes from the top along ``edges``, as far as they exist."""
        path = [self._top]
        for edge in edges:
            child = path[-1].children.get(edge)
            if child is None:
                break
            path.append(child)
        return path

    def _is_at(self, block: int, node: Node | None, seq: Hashable) -> bool:
        """Whether ``block`` is in the index, and then at ``node``, else an error."""
        known = self._nodes.get(block)
        if known is not None and known is not node:
            raise ValueError(
                f"block {block} of sequence {seq!r} is known under other tokens, another salt or "
                "another adapter; remember a sequence with those it was attached with"
            )
        return known is not None

    def _forget(self, block: int) -> None:
        """Take ``block`` out of the index, and every prefix that leads nowhere without it."""
        node = self._nodes.pop(block)
        node.blocks.remove(block)
        while node.parent is not None and not node.blocks and not node.children:
            del node.parent.children[node.edge]
            node = node.parent


def _first_edge(salt: str | None, adapter: str | None) -> tuple[Hashable, ...]:
    """Salt and adapter, each in its own place: the same word as one or the other differs."""
    for name, value in (("salt", salt), ("adapter", adapter)):
        if value is not None and not isinstance(value, str):
            # 1, 1.0 and True would be one key.
            raise TypeError(f"{name} must be a string or None, got {value!r}")
    return (salt, adapter)


def _as_tuple(tokens: Sequence[int]) -> tuple[int, ...]:
    """The token ids as a tuple of integers: what an edge compares."""
    if len(tokens) and not isinstance(tokens[0], Integral):
        raise TypeError(
            f"tokens must be integers, got {type(tokens[0]).__name__}; "
            "call .tolist() on a tensor, whose elements would never be found again"
        )
    return tuple(tokens)

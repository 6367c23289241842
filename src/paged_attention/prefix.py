"""The prefix cache: blocks of earlier prompts, found again by every token up to their end.

Keys and values of a token depend on all tokens before it, so a block is named by its whole prefix.
The index is a tree: an edge is one block's tokens, a node the prefix that leads to it. A lookup
compares the tokens themselves, not a hash of them, so no prefix is ever taken for another.
"""

from array import array
from bisect import bisect_left
from collections.abc import Hashable, Iterator, Sequence
from struct import iter_unpack

from paged_attention.cache import PagedKVCache
from paged_attention.errors import InvariantBroken

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
        self._top = Node(None, b"", b"")
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
        node = self._top.children.get(_first_edge(salt, adapter))
        blocks: list[int] = []
        if node is None:
            return blocks
        for (edge,) in _edges(prompt, self.cache.block_size, spare=1):
            node = node.children.get(edge)
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
        blocks: Sequence[int] | None = None,
    ) -> int:
        """Give the empty ``seq`` every block that ``match`` finds; returns the tokens reused.

        ``seq`` holds them from now on, so a ``reserve`` that follows can't evict what was just
        found. Who has just called ``match`` for this very prompt may hand its answer on as
        ``blocks``, and nothing is looked up twice.
        """
        if blocks is None:
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
        the other is evicted. What ``seq`` has in the index already is not read again, so calling
        this at every full block costs no more than calling it once; only the last known block is
        compared, and if it is known under other tokens this raises and publishes nothing.
        """
        table, size = self.cache.table(seq), self.cache.block_size
        space = _first_edge(salt, adapter)
        full = min(len(tokens), self.cache.lengths[seq]) // size
        # Known blocks are a beginning of the table: who holds a block holds all before it.
        known = bisect_left(table, True, hi=full, key=lambda block: block not in self._nodes)
        seen = max(0, known - 1)
        edges = [edge for (edge,) in _edges(tokens[seen * size : full * size], size)]
        node = self._nodes[table[seen]] if known else self._top.children.get(space)
        if known and node is not None and (node.space, node.edge) != (space, edges.pop(0)):
            raise self._known_otherwise(seq, tokens, space)
        new = table[known:full]
        self.cache.allocator.index_many(new)
        self.cache.leave_batch(seq)
        if new and node is None:
            node = self._top.children[space] = Node(self._top, space, space)
        for block, edge in zip(new, edges, strict=True):
            assert node is not None
            child = node.children.get(edge)
            if child is None:
                child = node.children[edge] = Node(node, edge, space)
            child.blocks += (block,)
            self._nodes[block] = node = child

    def _known_otherwise(self, seq: Hashable, tokens: Sequence[int], space: Edge) -> ValueError:
        """The error that names the first block of ``seq`` known under something else."""
        pairs = zip(self.cache.table(seq), _edges(tokens, self.cache.block_size), strict=False)
        wrong = next(
            block
            for block, (edge,) in pairs
            if (self._nodes[block].space, self._nodes[block].edge) != (space, edge)
        )
        return ValueError(
            f"block {wrong} of sequence {seq!r} is known under other tokens, another salt "
            "or another adapter; remember a sequence with those it was attached with"
        )

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
                    raise InvariantBroken(f"the index has a dead end after {child.edge!r}")
                if node.parent is not None and not child.blocks:
                    raise InvariantBroken(f"nothing behind {child.edge!r} can be reached")
        if in_tree != self._nodes:
            raise InvariantBroken(
                f"tree and index name other blocks: {in_tree.keys() ^ self._nodes}"
            )
        for block, indexed in enumerate(self.cache.allocator.indexed):
            if indexed != (block in in_tree):
                raise InvariantBroken(f"block {block} is in the index or out of it, not both")

    def _forget(self, block: int) -> None:
        """Take ``block`` out of the index, and every prefix that leads nowhere without it."""
        node = self._nodes.pop(block)
        node.blocks = tuple(other for other in node.blocks if other != block)
        while node.parent is not None and not node.blocks and not node.children:
            del node.parent.children[node.edge]
            node = node.parent


def _first_edge(salt: str | None, adapter: str | None) -> Edge:
    """Salt and adapter, each in its own place: the same word as one or the other differs."""
    for name, value in (("salt", salt), ("adapter", adapter)):
        if value is not None and not isinstance(value, str):
            # 1, 1.0 and True would be one key.
            raise TypeError(f"{name} must be a string or None, got {value!r}")
    return (salt, adapter)


def _edges(tokens: Sequence[int], block_size: int, spare: int = 0) -> Iterator[tuple[bytes]]:
    """The packed tokens of each full block, in a tuple of one; at least ``spare`` tokens are left.

    Packed, a block's tokens lie side by side and are compared in one go. A tuple of integers would
    keep an object alive for each, somewhere else in memory. An ``array("i")`` is packed already;
    a list of 50,000 integers takes as long to pack as to be looked up.
    """
    if isinstance(tokens, (str, bytes)):
        raise TypeError(f"tokens must be token ids, got {type(tokens).__name__}; encode it first")
    try:
        packed = array("i", tokens)
    except (OverflowError, TypeError) as error:
        raise type(error)(f"tokens must be integers below 2**31: {error}") from error
    full = max(0, len(packed) - spare) // block_size
    return iter_unpack(f"{packed.itemsize * block_size}s", packed[: full * block_size].tobytes())

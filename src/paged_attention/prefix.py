"""The prefix cache: blocks of earlier prompts, found again by every token up to their end.

Keys and values of a token depend on all tokens before it, so a block is named by its whole prefix.
The index is a tree: an edge is one block's tokens, a node the prefix that leads to it. A lookup
compares the tokens themselves, not a hash of them, so no prefix is ever taken for another.
"""

from array import array
from bisect import bisect_left
from collections.abc import Hashable, Iterator, Sequence
from copy import deepcopy
from struct import iter_unpack
from typing import TYPE_CHECKING, Any, Self

from paged_attention.errors import InvariantBroken
from paged_attention.journal import Journal, all_or_nothing
from paged_attention.prefix_stats import PrefixStats
from paged_attention.prefix_tree import Edge, Node, flat, grown

if TYPE_CHECKING:  # bookkeeping doesn't load torch
    from paged_attention.cache import PagedKVCache


class PrefixCache:
    """Keeps blocks of ``cache`` whose content may serve another prompt, and finds them.

    It is one holder of each block in its index. A block that nobody else holds counts as room and
    is evicted when blocks run out. ``salt`` and ``adapter`` belong to the prefix: prompts that
    differ in either never meet.

    A copy, shallow, deep or pickled, brings a cache of its own along.
    """

    def __init__(self, cache: "PagedKVCache") -> None:
        self.cache = cache
        self.journal: Journal = getattr(cache, "journal", None) or Journal()
        self.stats = PrefixStats()
        self._top = Node(None, b"", b"")
        self._nodes: dict[int, Node] = {}  # by block
        cache.allocator.connect_index(self._forget)

    def __copy__(self) -> Self:
        return deepcopy(self)

    def __getstate__(self) -> dict[str, Any]:
        return self.__dict__ | {"_top": flat(self._top), "_nodes": None}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self._top, self._nodes = grown(state["_top"])

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

    @all_or_nothing
    def attach(
        self,
        seq: Hashable,
        prompt: Sequence[int],
        *,
        salt: str | None = None,
        adapter: str | None = None,
        blocks: Sequence[int] | None = None,
    ) -> int:
        """Begin ``seq`` with every block that ``match`` finds; returns the tokens reused.

        ``seq`` is new, or this raises ``SequenceExists``. It holds the blocks from now on, so a
        ``reserve`` that follows can't evict what was just found. Who has just called ``match`` for
        this very prompt may hand its answer on as ``blocks``, and nothing is looked up twice.
        """
        if blocks is None:
            blocks = self.match(prompt, salt=salt, adapter=adapter)
        self.cache.create(seq)
        self.cache.adopt(seq, blocks)
        reused = len(blocks) * self.cache.block_size
        self.stats.keep(self.journal, seq)
        self.stats.count(seq, len(prompt), reused)
        return reused

    @all_or_nothing
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
        if not new:
            return
        self.cache.allocator.index_many(new)
        self.cache.leave_batch(seq)
        if node is None:
            node = Node(self._top, space, space)
        self.journal.note(node.prune)
        self.journal.note(self._unpublish, new)
        if node.parent is self._top:
            self._top.children[space] = node
        for block, edge in zip(new, edges, strict=True):
            child = node.children.get(edge) or Node(node, edge, space)
            self._nodes[block] = child
            child.blocks += (block,)
            node.children[edge] = child
            node = child

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

    @all_or_nothing
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

    def _forget(self, blocks: Sequence[int]) -> None:
        """Take ``blocks`` out of the index, and every prefix that leads nowhere without them."""
        nodes = [self._nodes[block] for block in blocks]
        self.journal.note(self._publish_again, blocks, nodes, [node.blocks for node in nodes])
        self._unpublish(blocks)

    def _unpublish(self, blocks: Sequence[int]) -> None:
        """``_forget`` for blocks that may not have got as far as the index."""
        for block in blocks:
            if block in self._nodes:
                self._nodes[block].drop(block)
                del self._nodes[block]

    def _publish_again(
        self, blocks: Sequence[int], nodes: Sequence[Node], copies: Sequence[tuple[int, ...]]
    ) -> None:
        """Put back what ``_forget`` took out: each node with all the blocks it had."""
        for block, node, same in reversed([*zip(blocks, nodes, copies, strict=True)]):
            node.link(same)
            self._nodes[block] = node


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

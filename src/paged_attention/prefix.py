"""The prefix cache: blocks of earlier prompts, found again by every token up to their end.

Keys and values of a token depend on all tokens before it, so a block is named by its whole prefix.
An index (``prefix_index.py``) keeps the names; this file joins it to a cache and its pool.
"""

from array import array
from bisect import bisect_left
from collections.abc import Hashable, Sequence
from copy import deepcopy
from typing import Self

from paged_attention.journal import Journal, all_or_nothing
from paged_attention.paged_sequences import PagedSequences
from paged_attention.prefix_index import PrefixIndex, Space
from paged_attention.prefix_stats import PrefixStats
from paged_attention.runs import RunTree


class PrefixCache:
    """Keeps blocks of ``cache`` whose content may serve another prompt, and finds them.

    It is one holder of each block in its index. A block that nobody else holds counts as room and
    is evicted when blocks run out. ``salt`` and ``adapter`` belong to the prefix: prompts that
    differ in either never meet. ``index`` is the class that finds them: ``RunTree``, or its naive
    twin ``BlockTree``.

    A copy, shallow, deep or pickled, brings a cache of its own along.
    """

    def __init__(self, cache: PagedSequences, *, index: type[PrefixIndex] = RunTree) -> None:
        self.cache = cache
        self.journal: Journal = getattr(cache, "journal", None) or Journal()
        self.stats = PrefixStats()
        width = cache.block_size * array("i").itemsize
        self._index = index(cache.allocator.num_blocks, width, self.journal)
        cache.allocator.connect_index(self._index.forget)

    def __copy__(self) -> Self:
        return deepcopy(self)

    def __len__(self) -> int:
        """Blocks in the index."""
        return len(self._index)

    def match(
        self, prompt: Sequence[int], *, salt: str | None = None, adapter: str | None = None
    ) -> list[int]:
        """The blocks that hold the longest known beginning of ``prompt``. Changes nothing.

        At least one token is left over: its logits are the first output, and no cache keeps those.
        """
        size = self.cache.block_size
        full = max(0, len(prompt) - 1) // size * size
        return self._index.find(_space(salt, adapter), _packed(_ids(prompt), 0, full))

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
        just_found = blocks is None
        if blocks is None:
            blocks = self.match(prompt, salt=salt, adapter=adapter)
        self.cache.create(seq)
        self.cache.adopt(seq, blocks, just_found=just_found)
        reused = len(blocks) * self.cache.block_size
        self.stats.keep(self.journal, seq)
        findable = max(0, len(prompt) - 1) // self.cache.block_size * self.cache.block_size
        self.stats.count(seq, len(prompt), reused, findable)
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
        indexed, space = self.cache.allocator.indexed, _space(salt, adapter)
        full = min(len(tokens), self.cache.lengths[seq]) // size
        # Known blocks are a beginning of the table: who holds a block holds all before it.
        known = bisect_left(table, True, hi=full, key=lambda block: not indexed[block])
        seen = max(0, known - 1)
        packed = _packed(tokens, seen * size, full * size)
        if known:
            own = self._index.name(table[seen], seen)[1]
            if self._index.name(table[seen], seen) != (space, packed[: len(own)]):
                raise self._known_otherwise(seq, tokens, space)
            packed = packed[len(own) :]
        new = table[known:full]
        if not new:
            return
        self.cache.allocator.index_many(new)
        self.cache.leave_batch(seq)
        self._index.publish(space, packed, table[:full], known)

    def _known_otherwise(self, seq: Hashable, tokens: Sequence[int], space: Space) -> ValueError:
        """The error that names the first block of ``seq`` known under something else."""
        size = self.cache.block_size
        wrong = next(
            block
            for i, block in enumerate(self.cache.table(seq))
            if self._index.name(block, i) != (space, _packed(tokens, i * size, (i + 1) * size))
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
        """Raise ``InvariantBroken`` if index and pool disagree. Walks both."""
        self.cache.check_invariants()
        self._index.check_invariants(self.cache.allocator.indexed)


def _packed(tokens: Sequence[int], start: int, end: int) -> bytes:
    """The tokens from ``start`` to ``end``, side by side: so a thousand blocks are compared in one
    go. A tuple of integers would keep an object alive for each, somewhere else in memory.
    """
    if isinstance(tokens, array) and tokens.typecode == "i":
        return memoryview(tokens)[start:end].tobytes()
    return _ids(tokens[start:end]).tobytes()


def _ids(tokens: Sequence[int]) -> "array[int]":
    """The tokens as an ``array("i")``, which is packed already; for a list of 50,000 integers this
    takes longer than all the rest of ``attach``.
    """
    if isinstance(tokens, array) and tokens.typecode == "i":
        return tokens
    if isinstance(tokens, (str, bytes)):
        raise TypeError(f"tokens must be token ids, got {type(tokens).__name__}; encode it first")
    try:
        return array("i", tokens)
    except (OverflowError, TypeError) as error:
        raise type(error)(f"tokens must be integers below 2**31: {error}") from error


def _space(salt: str | None, adapter: str | None) -> Space:
    """Salt and adapter, each in its own place: the same word as one or the other differs."""
    for name, value in (("salt", salt), ("adapter", adapter)):
        if value is not None and not isinstance(value, str):
            # 1, 1.0 and True would be one key.
            raise TypeError(f"{name} must be a string or None, got {value!r}")
    return (salt, adapter)

"""Blocks when they are needed: the paged cache, its prefix index and host memory in one."""

from collections.abc import Hashable
from typing import TYPE_CHECKING

from paged_attention.journal import all_or_nothing
from paged_attention.serving.request import Request

if TYPE_CHECKING:
    from paged_attention.cache import PagedKVCache
    from paged_attention.prefix import PrefixCache
    from paged_attention.serving.swap import HostStore


class PagedMemory:
    """``prefix`` and ``host`` may be missing: then nothing is reused, and whoever is preempted is
    computed again.
    """

    def __init__(
        self,
        cache: "PagedKVCache",
        prefix: "PrefixCache | None" = None,
        host: "HostStore | None" = None,
    ) -> None:
        self.cache, self.prefix, self.host = cache, prefix, host
        self.num_blocks = cache.allocator.num_blocks
        self.journal = cache.journal

    def blocks(self, tokens: int) -> int:
        """Blocks that hold ``tokens`` tokens."""
        return self.cache.blocks_needed(tokens)

    def room(self) -> int:
        """Blocks that could be taken now: free ones and cached ones."""
        return self.cache.allocator.num_free + self.cache.allocator.num_cached

    def length(self, name: Hashable) -> int:
        """Tokens of a running request whose keys and values are in the pool."""
        return self.cache.lengths[name]

    def holds(self, name: Hashable) -> bool:
        """Whether ``name`` has a table, be it an empty one."""
        return name in self.cache.tables

    def missing(self, name: Hashable, tokens: int) -> int:
        """Blocks that a running request still has to take to hold ``tokens`` tokens."""
        return max(0, self.blocks(tokens) - len(self.cache.tables[name]))

    def can_begin(self, request: Request, keep: int) -> bool:
        """Whether all tokens known of ``request`` fit, ``keep`` blocks left over."""
        return sum(self.needs(request)) <= self.room() - keep

    def needs(self, request: Request) -> tuple[int, int]:
        """Blocks of room that all tokens known of ``request`` would use up: new ones, and hits that
        only the index holds. Those are room now, and won't be once the request holds them.
        """
        hits = self._match(request)
        idle = sum(self.cache.allocator.refs[block] == 1 for block in hits)
        return self.blocks(len(request.tokens)) - len(hits), idle

    @all_or_nothing
    def begin(self, request: Request) -> int:
        """Let ``request`` run with what the index and host memory know; returns tokens found."""
        name = request.name
        if self.prefix is None:
            self.cache.create(name)
        else:
            self.prefix.attach(name, request.tokens, salt=request.salt, adapter=request.adapter)
        if self.host is not None and name in self.host:
            self.host.swap_in(self.cache, name)
        return self.cache.lengths[name]

    def can_reserve(self, name: Hashable, new_tokens: int, keep: int) -> bool:
        """Whether ``reserve`` succeeds and leaves ``keep`` blocks; always if it takes none."""
        need = self.cache.blocks_to_reserve({name: new_tokens})
        return need == 0 or need <= self.room() - keep

    def reserve(self, name: Hashable, new_tokens: int) -> None:
        """Take the blocks for ``new_tokens`` more, or raise and take none."""
        self.cache.reserve(name, new_tokens)

    def publish(self, request: Request) -> None:
        """Let other requests find the full blocks of this one, as far as they are written."""
        if self.prefix is not None:
            self.prefix.remember(
                request.name, request.tokens, salt=request.salt, adapter=request.adapter
            )

    def fork(self, parent: Hashable, child: Hashable) -> None:
        """Begin ``child`` with the tokens of ``parent``; takes no block."""
        self.cache.fork(parent, child)

    @all_or_nothing
    def preempt(self, request: Request) -> bool:
        """Take all blocks of ``request``; returns whether a copy was kept in host memory."""
        kept = self.host is not None and self.host.swap_out(self.cache, request.name)
        self.cache.free(request.name)
        return kept

    @all_or_nothing
    def free(self, request: Request) -> None:
        """Give up whatever ``request`` has, here and in host memory."""
        if self.host is not None:
            self.host.drop(request.name)
        if self.holds(request.name):
            self.cache.free(request.name)

    def _match(self, request: Request) -> list[int]:
        if self.prefix is None:
            return []
        return self.prefix.match(request.tokens, salt=request.salt, adapter=request.adapter)

"""What the scheduler asks of memory.

Every question (``can_…``, ``missing``, ``room``) changes nothing and tells the truth: the call that
it speaks of then succeeds. Bookkeeping only; tensors stay behind the cache.
"""

from collections.abc import Hashable
from typing import Protocol

from paged_attention.journal import Journal
from paged_attention.serving.request import Request


class Memory(Protocol):
    """Blocks for requests. ``keep``: blocks that must still be there afterwards, for others.

    Each verb notes in ``journal`` what it changes, so that a call around several can take it back.
    """

    num_blocks: int
    journal: Journal

    def blocks(self, tokens: int) -> int:
        """Blocks that hold ``tokens`` tokens."""
        ...

    def room(self) -> int:
        """Blocks that could be taken now."""
        ...

    def length(self, name: Hashable) -> int:
        """Tokens of a running request whose keys and values are there."""
        ...

    def holds(self, name: Hashable) -> bool:
        """Whether ``name`` has begun and not been ended or preempted: whether it runs."""
        ...

    def missing(self, name: Hashable, tokens: int) -> int:
        """Blocks that a running request still has to take to hold ``tokens`` tokens."""
        ...

    def can_begin(self, request: Request, keep: int) -> bool:
        """Whether all tokens known of ``request`` fit, ``keep`` blocks left over."""
        ...

    def begin(self, request: Request) -> int:
        """Let ``request`` run, with what is known of it; returns tokens that need not be run."""
        ...

    def can_reserve(self, name: Hashable, new_tokens: int, keep: int) -> bool:
        """Whether ``reserve`` succeeds and leaves ``keep`` blocks; always if it takes none."""
        ...

    def reserve(self, name: Hashable, new_tokens: int) -> None:
        """Take the blocks for ``new_tokens`` more, or raise and take none."""
        ...

    def publish(self, request: Request) -> None:
        """Let other requests find the full blocks of this one, as far as they are written."""
        ...

    def fork(self, parent: Hashable, child: Hashable) -> None:
        """Begin ``child`` with the tokens of ``parent``; takes no block."""
        ...

    def preempt(self, request: Request) -> bool:
        """Take all blocks of ``request``; returns whether a copy was kept elsewhere."""
        ...

    def free(self, request: Request) -> None:
        """Give up whatever ``request`` has, if it has anything."""
        ...

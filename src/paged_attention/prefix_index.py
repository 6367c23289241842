"""What a prefix cache asks of its index: which blocks hold a prefix, and what a block holds.

Two answer. ``RunTree`` (``runs.py``) is the engine's; ``BlockTree`` (``prefix_tree.py``) is its
naive twin, one dictionary entry a block, against which it is tested and timed. Both compare the
tokens themselves, not a hash of them, so no prefix is ever taken for another.
"""

from collections.abc import Iterator, Sequence
from typing import NamedTuple, Protocol

from paged_attention.journal import Journal

Space = tuple[str | None, str | None]  # salt and adapter


class Known(NamedTuple):
    """One known prefix: ``copies`` of its last block, whose packed tokens are ``tokens``.

    The first copy serves; ``before`` serves the prefix without that block.
    """

    space: Space
    tokens: bytes
    before: int | None
    copies: tuple[int, ...]


class PrefixIndex(Protocol):
    """Known blocks by the prefixes that lead to them; ``width`` is the bytes of a block's tokens.

    Tokens come packed, whole blocks of them. What changes is noted in the cache's journal.
    """

    def __init__(self, num_blocks: int, width: int, journal: Journal, /) -> None: ...

    def __len__(self) -> int:
        """Known blocks."""

    def __iter__(self) -> Iterator[Known]:
        """All known prefixes, each after those it begins with."""

    def find(self, space: Space, packed: bytes) -> list[int]:
        """The blocks that hold the longest known beginning of ``packed``. Changes nothing."""

    def name(self, block: int, number: int) -> tuple[Space, bytes]:
        """What the known ``block`` is known as: its space, and its own tokens.

        ``number``: how many blocks come before it in the table that it stands in.
        """

    def before(self, block: int) -> int | None:
        """The block that serves what comes before ``block``; none for a first one."""

    def publish(self, space: Space, packed: bytes, table: Sequence[int], known: int) -> None:
        """Make known what comes behind the first ``known`` blocks of ``table``: ``packed``."""

    def forget(self, blocks: Sequence[int]) -> None:
        """Lose these known blocks. One without a copy must have nothing behind it any more."""

    def check_invariants(self, indexed: Sequence[int]) -> None:
        """Raise ``InvariantBroken`` unless all is in its place and ``indexed[b]`` says what is
        known.
        """

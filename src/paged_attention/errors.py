"""Every error the engine raises on purpose.

Each one is also the built-in error a caller would expect (a full pool is a ``MemoryError``), so
code that knows nothing of this package still catches it. An operation that raises one of these has
changed nothing.
"""


class PagedAttentionError(Exception):
    """Base of all errors raised on purpose by this package."""


class BlockPoolExhausted(PagedAttentionError, MemoryError):
    """More blocks were asked for than are free."""


class SlotsExhausted(PagedAttentionError, MemoryError):
    """No run of free slots is long enough, or a sequence reached the end of its reservation."""


class BlockNotHeld(PagedAttentionError, RuntimeError):
    """A block nobody holds was released or shared."""


class SlotNotHeld(PagedAttentionError, RuntimeError):
    """A reservation that does not exist was released."""


class BlockShared(PagedAttentionError, RuntimeError):
    """A token that other holders of its block still read would have been overwritten."""


class UnknownBlock(PagedAttentionError, IndexError):
    """A block id lies outside the pool."""


class UnknownSequence(PagedAttentionError, KeyError):
    """No sequence of this name lives in the cache."""

    def __str__(self) -> str:
        # KeyError prints the repr of its argument, which would put the message in quotes.
        return str(self.args[0]) if self.args else ""


class SequenceExists(PagedAttentionError, ValueError):
    """A sequence of this name lives in the cache already."""


class PositionNotReserved(PagedAttentionError, IndexError):
    """A token position has no slot, or would leave a hole of unwritten slots before it."""


class BadBatch(PagedAttentionError, ValueError):
    """The batch is empty, names a sequence twice, or is out of date."""


class BadTensor(PagedAttentionError, ValueError):
    """A tensor has the wrong shape, dtype or device for this cache."""


class WrongThread(PagedAttentionError, RuntimeError):
    """A second thread uses a cache, an allocator or an index that belongs to one."""


class KernelNotBuilt(PagedAttentionError, RuntimeError):
    """The CPU kernel could not be compiled here; attention by gather works without it."""


class InvariantBroken(PagedAttentionError, AssertionError):
    """The engine's own bookkeeping contradicts itself; the message names the block or sequence."""


class RequestTooLarge(PagedAttentionError, ValueError):
    """A request could not be finished even if it had the whole pool, or the model, to itself."""


class RequestExists(PagedAttentionError, ValueError):
    """A request of this name is alive already."""


class NoProgress(PagedAttentionError, RuntimeError):
    """Nothing can run, somebody waits, and no step can change that."""

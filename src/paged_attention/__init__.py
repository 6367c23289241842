"""The finished engine of *Paged Attention, Cell by Cell*.

The names below are loaded when first used, so that the bookkeeping (allocator, tables, slots) can
be imported without waiting for torch.
"""

from typing import TYPE_CHECKING

from paged_attention.lazy import lazy_names

if TYPE_CHECKING:
    from paged_attention.allocator import BlockAllocator as BlockAllocator
    from paged_attention.cache import PagedKVCache as PagedKVCache
    from paged_attention.contiguous import ContiguousKVCache as ContiguousKVCache
    from paged_attention.errors import BlockPoolExhausted as BlockPoolExhausted
    from paged_attention.paged_sequences import PagedSequences as PagedSequences
    from paged_attention.prefix import PrefixCache as PrefixCache
    from paged_attention.slots import SlotPool as SlotPool
    from paged_attention.tables import blocks_needed as blocks_needed
    from paged_attention.tables import physical_slot as physical_slot

_HOME = {
    "BlockAllocator": "allocator",
    "BlockPoolExhausted": "errors",
    "ContiguousKVCache": "contiguous",
    "PagedKVCache": "cache",
    "PagedSequences": "paged_sequences",
    "PrefixCache": "prefix",
    "SlotPool": "slots",
    "blocks_needed": "tables",
    "physical_slot": "tables",
}
__all__ = [
    "BlockAllocator",
    "BlockPoolExhausted",
    "ContiguousKVCache",
    "PagedKVCache",
    "PagedSequences",
    "PrefixCache",
    "SlotPool",
    "blocks_needed",
    "physical_slot",
]


__getattr__, __dir__ = lazy_names(__name__, _HOME)

"""A model and a pool of blocks become an engine."""

from typing import Unpack

from paged_attention.cache import PagedKVCache
from paged_attention.model import Model
from paged_attention.prefix import PrefixCache
from paged_attention.serving.engine import Engine
from paged_attention.serving.paged_memory import PagedMemory
from paged_attention.serving.scheduler import Scheduling
from paged_attention.serving.swap import HostStore


def build_engine(
    model: Model,
    *,
    num_blocks: int = 512,
    block_size: int = 16,
    host_blocks: int = 0,
    prefix_cache: bool = True,
    **scheduling: Unpack[Scheduling],
) -> Engine:
    """An engine for ``model``, on its device and in its number type, with all parts of the book.

    ``host_blocks``: blocks of host memory for those who are preempted; 0 computes them again.
    """
    config, weights = model.config, next(model.decoder.parameters())
    cache = PagedKVCache(
        config.layers,
        num_blocks,
        block_size,
        config.kv_heads,
        config.head_dim,
        weights.device,
        weights.dtype,
    )
    memory = PagedMemory(
        cache,
        PrefixCache(cache) if prefix_cache else None,
        HostStore(cache, host_blocks) if host_blocks else None,
    )
    return Engine(model.decoder, memory, eos_ids=model.tokenizer.eos_ids, **scheduling)

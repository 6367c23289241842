"""A paged cache that records: the engine's own, tensors and all."""

from collections.abc import Hashable

import torch

from paged_attention.cache import PagedKVCache
from workbook.trace.sequences import RecordingSequences


class RecordingPagedKVCache(RecordingSequences, PagedKVCache):
    """The engine's cache with a ``trace``. A call that raises leaves no step, a full pool's refusal
    does.
    """

    def __init__(
        self,
        layers: int,
        num_blocks: int,
        block_size: int,
        kv_heads: int,
        head_dim: int,
        device: torch.device | str = "cpu",
        dtype: torch.dtype = torch.float32,
    ) -> None:
        PagedKVCache.__init__(
            self, layers, num_blocks, block_size, kv_heads, head_dim, device, dtype
        )
        self._record()

    def write_zeros(self, seq: Hashable, tokens: int) -> None:
        """Write ``tokens`` reserved tokens of ``seq``: zeros, in every layer."""
        self.set_batch([seq])
        kv = torch.zeros(1, self.kv_heads, tokens, self.head_dim, dtype=self.dtype)
        start = self.lengths[seq]
        for layer in range(self.layers):
            self.update(layer, kv, kv, torch.arange(start, start + tokens))

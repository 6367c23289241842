"""The paged cache: keys and values in blocks of one pool, found through a table for each sequence.

Who has which blocks is ``PagedSequences``' business; here are the tensors behind them.
"""

from collections.abc import Callable, Hashable, Sequence

import torch
from torch import Tensor

from paged_attention.batch_tables import BatchTables
from paged_attention.batched_cache import BatchedCache
from paged_attention.cache_step import Step
from paged_attention.fp8 import check_stored_type, is_fp8
from paged_attention.journal import all_or_nothing
from paged_attention.kernels import paged_decode_attention, paged_prefill_attention
from paged_attention.kernels.inputs import QUERY_TYPES
from paged_attention.paged_sequences import PagedSequences

# As paged_decode_attention (q [B, Hq, D]) and paged_prefill_attention (q [N, Hq, D]) are called.
Kernel = Callable[..., Tensor]


class PagedKVCache(PagedSequences, BatchedCache):
    """``num_blocks`` blocks of ``block_size`` tokens, shared by all sequences.

    ``k_pool[layer]``, ``v_pool[layer]``: [num_blocks, kv_heads, block_size, head_dim].
    ``tables[seq]``: its block ids in logical order. ``lengths[seq]``: tokens whose keys and values
    are written in every layer. ``decode`` reads the pools in place for steps of one token a
    sequence, ``prefill`` for those of several; ``None`` gathers the history, as chapter 3 does, and
    so do new tokens that don't follow one another.

    In fp8, ``dtype=torch.float8_e4m3fn`` or ``…_e5m2``, a number takes one byte: keys and values of
    any type are rounded when they are written, to ``k_scale`` and ``v_scale`` times an fp8 number.
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
        decode: Kernel | None = paged_decode_attention,
        prefill: Kernel | None = paged_prefill_attention,
        *,
        k_scale: float = 1.0,
        v_scale: float = 1.0,
    ) -> None:
        self._set_shape(layers, kv_heads, head_dim, device, dtype)
        check_stored_type(dtype, k_scale, v_scale)
        self.k_scale, self.v_scale = k_scale, v_scale
        super().__init__(num_blocks, block_size)
        shape = (layers, num_blocks, kv_heads, block_size, head_dim)
        self.k_pool = torch.zeros(shape, device=device, dtype=dtype)
        self.v_pool = torch.zeros(shape, device=device, dtype=dtype)
        self._batch_tables = BatchTables(self.device)
        self.decode, self.prefill = decode, prefill

    @all_or_nothing
    def set_batch(self, seqs: Sequence[Hashable]) -> None:
        """Choose the sequences of the next updates; row ``i`` of every tensor belongs to
        ``seqs[i]``.
        """
        batch = self._choose_batch(seqs)
        self.journal.keep_attributes(self, "_batch", "_step")
        if self._batch is not None:
            self.journal.note(self._batch_tables.set, self._batch, self.tables)
        self._batch_tables.set(batch, self.tables)
        self._batch, self._step = batch, None

    @torch.no_grad()
    def update(
        self, layer: int, k: Tensor, v: Tensor, positions: Tensor
    ) -> tuple[Tensor, Tensor, Tensor]:
        """Write ``k``, ``v`` [B, Hkv, T, D] at ``positions`` [T] or [B, T]; gather each history.

        Returns keys, values [B, Hkv, S, D], zeros past a row's end, and their positions [S].
        """
        step = self._begin(layer, k, v, positions)
        pools = self._write(layer, k, v, step)
        keys, values = (
            self._batch_tables.gather(pool, len(step.key_positions), step.past_end, scale, k.dtype)
            for pool, scale in zip(pools, (self.k_scale, self.v_scale), strict=True)
        )
        self._commit(layer, step)
        return keys, values, step.key_positions

    @torch.no_grad()
    def attend(self, layer: int, q: Tensor, k: Tensor, v: Tensor, positions: Tensor) -> Tensor:
        """Write ``k``, ``v``; attend with ``q`` [B, Hq, T, D] over the history and them."""
        kernel = self.decode if q.shape[2] == 1 else self.prefill
        step = self._begin(layer, k, v, positions)
        seen = step.seen
        if kernel is None or seen is None:
            return super().attend(layer, q, k, v, positions)
        pools = self._write(layer, k, v, step)
        used = self._batch_tables.tensor[:, : self.blocks_needed(len(step.key_positions))]  # [B, n]
        rows = seen.queries(q.transpose(1, 2).flatten(0, 1))  # [N, Hq, D]
        out = kernel(rows, *pools, used, *seen.numbers, self.block_size, **self.scales)
        self._commit(layer, step)
        out = seen.spread(out)  # [B * T, Hq, D]
        return out.view(*step.positions.shape, *out.shape[1:]).transpose(1, 2)

    def _copy_tail(self, seq: Hashable, copy: int) -> None:
        """Put ``copy``, with the tokens written so far, in place of the block ``seq`` ends in."""
        index, used = divmod(self.lengths[seq], self.block_size)
        block = self.tables[seq][index]
        self.journal.keep_blocks((self.k_pool, self.v_pool), [copy])
        for pool in (self.k_pool, self.v_pool):
            pool[:, copy, :, :used] = pool[:, block, :, :used]  # in every layer
        super()._copy_tail(seq, copy)

    def _write(self, layer: int, k: Tensor, v: Tensor, step: Step) -> tuple[Tensor, Tensor]:
        """Write ``k``, ``v`` [B, Hkv, T, D] through the tables; the two pools of ``layer``."""
        pools = self.k_pool[layer], self.v_pool[layer]
        for pool, new, scale in zip(pools, (k, v), (self.k_scale, self.v_scale), strict=True):
            self._batch_tables.scatter(pool, new, step.positions, scale)
        return pools

    @property
    def scales(self) -> dict[str, float]:
        """What a kernel is told of the pools, besides their numbers."""
        scales = {"k_scale": self.k_scale, "v_scale": self.v_scale}
        return scales if is_fp8(self.dtype) else {}

    def _takes(self, dtype: torch.dtype) -> bool:
        """Fp8 pools take what a model computes, and round it."""
        return dtype in QUERY_TYPES if is_fp8(self.dtype) else super()._takes(dtype)

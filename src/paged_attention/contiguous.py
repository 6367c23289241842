"""The baseline: every sequence in one run of slots, reserved at its longest."""

from collections.abc import Hashable, Mapping, Sequence
from itertools import pairwise

import torch
from torch import Tensor

from paged_attention.batched_cache import BatchedCache
from paged_attention.cache_step import Step
from paged_attention.errors import SlotsExhausted
from paged_attention.fp8 import is_fp8
from paged_attention.journal import all_or_nothing
from paged_attention.slots import SlotPool


class ContiguousKVCache(BatchedCache):
    """Keys and values in ``num_slots`` slots; ``create`` reserves a sequence's whole future.

    ``k_pool``, ``v_pool``: [layers, num_slots, kv_heads, head_dim]. Sequences whose reservations
    lie evenly spaced, as equal neighbours do, are read in place; others are copied together for
    each read.
    """

    def __init__(
        self,
        layers: int,
        num_slots: int,
        kv_heads: int,
        head_dim: int,
        device: torch.device | str = "cpu",
        dtype: torch.dtype = torch.float32,
    ) -> None:
        super().__init__()
        self._set_shape(layers, kv_heads, head_dim, device, dtype)
        if is_fp8(dtype):
            raise ValueError(
                f"a contiguous cache can't keep {dtype}: it has no scales; use PagedKVCache"
            )
        self.slots = SlotPool(num_slots, self.journal)
        self.starts: dict[Hashable, int] = {}
        shape = (layers, num_slots, kv_heads, head_dim)
        self.k_pool = torch.zeros(shape, device=device, dtype=dtype)
        self.v_pool = torch.zeros(shape, device=device, dtype=dtype)

    def capacity(self, seq: Hashable) -> int:
        """Tokens reserved for ``seq``."""
        self._check_known(seq)
        return self.slots.held[self.starts[seq]]

    @all_or_nothing
    def create(self, seq: Hashable, max_tokens: int) -> None:
        """Reserve ``max_tokens`` slots in one run for a new sequence, or raise."""
        self._check_new(seq)
        self._keep(seq)
        start = self.slots.reserve(max_tokens)
        self.starts[seq] = start
        self.lengths[seq] = 0
        # Reads in place see the unwritten end of a run. Its weight is 0, but 0 × NaN would be NaN.
        self.k_pool[:, start : start + max_tokens] = 0
        self.v_pool[:, start : start + max_tokens] = 0

    def reserve(self, seq: Hashable, new_tokens: int) -> None:
        """Raise unless ``new_tokens`` more fit what ``create`` reserved. Changes nothing."""
        self._check_known(seq)
        if new_tokens < 0:
            raise ValueError(f"cannot reserve {new_tokens} tokens for sequence {seq!r}")
        if self.lengths[seq] + new_tokens > self.capacity(seq):
            raise SlotsExhausted(
                f"sequence {seq!r} holds {self.lengths[seq]} of its {self.capacity(seq)} reserved "
                f"slots and can't take {new_tokens} more: a reservation doesn't grow; "
                "create it longer"
            )

    def reserve_many(self, new_tokens: Mapping[Hashable, int]) -> None:
        """``reserve`` for a whole step, ``{seq: new tokens}``. Changes nothing."""
        for seq, tokens in new_tokens.items():
            self.reserve(seq, tokens)

    @all_or_nothing
    def free(self, seq: Hashable) -> None:
        """Forget ``seq`` and give back its run."""
        self._check_known(seq)
        self._keep(seq)
        self.slots.release(self.starts[seq])
        del self.starts[seq], self.lengths[seq]
        self.leave_batch(seq)

    @all_or_nothing
    def set_batch(self, seqs: Sequence[Hashable]) -> None:
        """Choose the sequences of the next updates; row ``i`` of every tensor belongs to
        ``seqs[i]``.
        """
        self._batch, self._step = self._choose_batch(seqs), None

    @torch.no_grad()
    def update(
        self, layer: int, k: Tensor, v: Tensor, positions: Tensor
    ) -> tuple[Tensor, Tensor, Tensor]:
        """Write ``k``, ``v`` [B, Hkv, T, D] at ``positions`` [T] or [B, T].

        Returns keys, values [B, Hkv, S, D], zeros past a row's end, and their positions [S].
        """
        step = self._begin(layer, k, v, positions)
        assert self._batch is not None
        starts = [self.starts[seq] for seq in self._batch]
        slots = step.positions + torch.tensor(starts, device=self.device)[:, None]  # [B, T]
        self.k_pool[layer][slots] = k.transpose(1, 2)  # [B, T, Hkv, D]
        self.v_pool[layer][slots] = v.transpose(1, 2)
        keys = self._read(self.k_pool[layer], starts, step)
        values = self._read(self.v_pool[layer], starts, step)
        self._commit(layer, step)
        return keys, values, step.key_positions

    def _keep(self, seq: Hashable) -> None:
        """Keep what there is of ``seq``, which may be nothing."""
        self.journal.keep_key(self.starts, seq)
        self.journal.keep_key(self.lengths, seq)

    def _read(self, pool: Tensor, starts: list[int], step: Step) -> Tensor:
        """Histories [B, Hkv, S, D] of the runs that begin at ``starts`` in ``pool`` [slots, Hkv,
        D].
        """
        length = len(step.key_positions)
        gaps = {after - before for before, after in pairwise(starts)} or {0}
        inside = all(self.slots.held[start] >= length for start in starts)
        if inside and len(gaps) == 1 and min(gaps) >= 0:
            row = self.kv_heads * self.head_dim
            rows = pool.as_strided(
                (len(starts), length, self.kv_heads, self.head_dim),
                (min(gaps) * row, row, self.head_dim, 1),
                starts[0] * row + pool.storage_offset(),
            )
        else:
            rows = pool.new_zeros(len(starts), length, self.kv_heads, self.head_dim)
            for row_out, start, end in zip(rows, starts, step.ends, strict=True):
                row_out[:end] = pool[start : start + end]
        return rows.transpose(1, 2)

"""What the contiguous and the paged cache share: the batch of a step, and the checks of an update.

A step always runs in the same order: ``reserve`` for each sequence, ``set_batch``, then ``update``
(or ``attend``) once a layer. The last layer's update makes the new tokens part of each sequence's
length.
"""

from collections.abc import Hashable

import torch
from torch import Tensor

from paged_attention.attention import AttendByUpdate
from paged_attention.cache_step import Step
from paged_attention.cached_sequences import CachedSequences
from paged_attention.errors import BadBatch, BadTensor, PositionNotReserved


class BatchedCache(AttendByUpdate, CachedSequences):
    """The shape of a cache's keys and values, and the checks made before a write."""

    layers: int
    kv_heads: int
    head_dim: int
    device: torch.device
    dtype: torch.dtype

    def _set_shape(
        self,
        layers: int,
        kv_heads: int,
        head_dim: int,
        device: torch.device | str,
        dtype: torch.dtype,
    ) -> None:
        for name, value in (("layers", layers), ("kv_heads", kv_heads), ("head_dim", head_dim)):
            if value < 1:
                raise ValueError(f"{name} must be at least 1, got {value}")
        self.layers = layers
        self.kv_heads = kv_heads
        self.head_dim = head_dim
        self.device = torch.device(device)
        self.dtype = dtype

    def _begin(self, layer: int, k: Tensor, v: Tensor, positions: Tensor) -> Step:
        """Check everything an update was given, before anything is written: in a step's first
        layer, and again when another one brings something else.
        """
        self.journal.check_thread()
        if self._batch is None:
            raise BadBatch(
                "no batch is set, or the memory of one of its sequences changed; "
                "call set_batch after the last reserve and before update"
            )
        if not 0 <= layer < self.layers:
            raise IndexError(
                f"there is no layer {layer}: this cache has layers 0 to {self.layers - 1}"
            )
        if self._step is None or not self._step.takes(k, v, positions):
            self._check_update(k, v, positions)
            self._step = self._plan(self._batch, k, positions)
        return self._step

    def _check_update(self, k: Tensor, v: Tensor, positions: Tensor) -> None:
        self._check_tensor("k", k)
        self._check_tensor("v", v)
        if k.shape != v.shape:
            raise BadTensor(f"k is {list(k.shape)} and v is {list(v.shape)}; they must be alike")
        wanted = (k.shape[0], k.shape[2])
        if positions.is_floating_point() or positions.dtype == torch.bool:
            raise BadTensor(f"positions are {positions.dtype}; they must be integers")
        if tuple(positions.shape) not in (wanted, wanted[1:]):
            raise BadTensor(
                f"positions are {list(positions.shape)}; for k of {list(k.shape)} they must be "
                f"{list(wanted[1:])} or {list(wanted)}"
            )

    def _check_tensor(self, name: str, x: Tensor) -> None:
        assert self._batch is not None
        shape = [len(self._batch), self.kv_heads, x.shape[2] if x.dim() == 4 else 0, self.head_dim]
        if list(x.shape) != shape or not shape[2]:
            raise BadTensor(
                f"{name} is {list(x.shape)}; this batch needs [{shape[0]} sequences, {shape[1]} KV "
                f"heads, at least 1 token, head size {shape[3]}]"
            )
        if not self._takes(x.dtype):
            raise BadTensor(
                f"{name} is {x.dtype}, the cache holds {self.dtype}; convert {name} first"
            )
        if x.device.type != self.device.type:
            raise BadTensor(
                f"{name} is on {x.device}, the cache on {self.device}; move {name} first"
            )

    def _takes(self, dtype: torch.dtype) -> bool:
        """Whether keys and values of ``dtype`` can be written."""
        return dtype == self.dtype

    def _plan(self, batch: list[Hashable], k: Tensor, positions: Tensor) -> Step:
        """Place the new tokens: rows that may write them, no position left out, none twice.

        Only a row's last one may come again, with the same token: so a short row is filled up.
        """
        asked = positions.clone()  # a caller may count on in its own tensor
        positions = asked.to(self.device, torch.int64).expand(k.shape[0], k.shape[2])
        ordered = positions.sort(dim=1).values
        steps = ordered.diff(dim=1)  # [B, T - 1]
        if bool(((steps == 0) & (ordered[:, 1:] < ordered[:, -1:])).any()):
            raise BadTensor(
                "a row has one position twice, and only one of the tokens there would stay; a row "
                "that is too short may repeat its last token at its last position"
            )
        holes = (steps > 1).any(dim=1).tolist()
        ends: list[int] = []
        for seq, low, high, hole in zip(
            batch, ordered[:, 0].tolist(), ordered[:, -1].tolist(), holes, strict=True
        ):
            self.check_writable(seq, low, high + 1)
            if hole:
                raise PositionNotReserved(
                    f"sequence {seq!r} would write some of the positions {low} to {high} and not "
                    "others: attention would read the slots between"
                )
            ends.append(max(self.lengths[seq], high + 1))
        key_positions = torch.arange(max(ends), device=self.device)
        past_end = key_positions >= torch.tensor(ends, device=self.device)[:, None]
        ragged = min(ends) < max(ends)
        return Step(
            asked, k.shape, k.dtype, positions, ends, key_positions, past_end if ragged else None
        )

    def _commit(self, layer: int, step: Step) -> None:
        """After the last layer the new tokens belong to their sequences."""
        if layer == self.layers - 1:
            assert self._batch is not None
            self.advance(dict(zip(self._batch, step.ends, strict=True)))

"""What a step of a cache writes and reads: found in its first layer, and alike in the others."""

from dataclasses import dataclass
from functools import cached_property

import torch
from torch import Tensor

from paged_attention.seen import Seen, seen_by


@dataclass(frozen=True)
class Step:
    """One step's writes, alike in every layer; a row ends after its highest new position."""

    asked: Tensor  # the positions as they were given, [T] or [B, T]
    shape: torch.Size  # of the keys, [B, Hkv, T, D], and of the values
    dtype: torch.dtype  # of both
    positions: Tensor  # int64 [B, T], where the new tokens stand in their sequences
    ends: list[int]  # [B], each row's length once this step is done
    key_positions: Tensor  # int64 [S], S = max(ends)
    past_end: Tensor | None  # bool [B, S], slots beyond a row's end; None when no row has any

    def takes(self, k: Tensor, v: Tensor, positions: Tensor) -> bool:
        """Whether a layer brings what was checked before. The numbers in ``k`` and ``v`` may
        differ, those in ``positions`` may not.
        """
        asked, device = self.asked, self.positions.device
        return (
            k.shape == v.shape == self.shape
            and k.dtype == v.dtype == self.dtype
            and k.device == v.device == device
            and positions.dtype == asked.dtype
            and positions.device == asked.device
            and torch.equal(positions, asked)
        )

    @cached_property
    def seen(self) -> Seen | None:
        """What a kernel is told of this step; ``None`` when one can't take it."""
        return seen_by(self.positions)

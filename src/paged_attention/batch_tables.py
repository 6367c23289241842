"""The block tables of one batch as one tensor, kept up to date instead of rebuilt, and the two ways
through it: scatter writes new tokens into a pool, gather reads histories out of it.
"""

from collections.abc import Hashable, Mapping, Sequence

import torch
from torch import Tensor

from paged_attention.fp8 import is_fp8, restored, stored
from paged_attention.kernels.write import write
from paged_attention.tables import blocks_needed


class BatchTables:
    """The block tables of one batch as a tensor ``tensor`` [B, width] of int64, padded with 0.

    It is kept from step to step: a row is compared with its table, and only what differs is
    written. A ``pool`` is one layer's keys or values: [num_blocks, Hkv, block_size, D].
    """

    def __init__(self, device: torch.device) -> None:
        self.tensor = torch.zeros((0, 0), dtype=torch.int64, device=device)
        self._written: list[list[int]] = []
        self._placed: tuple[Tensor, Tensor, Tensor] | None = None  # positions, blocks, slots

    def set(self, batch: Sequence[Hashable], tables: Mapping[Hashable, list[int]]) -> None:
        """Bring the tensor in line with the tables of ``batch``, row by row."""
        self._placed = None
        rows = [tables[seq] for seq in batch]
        width = max(1, *(len(row) for row in rows))
        if len(rows) != len(self._written) or width > self.tensor.shape[1]:
            # Twice the width: a growing sequence does not reallocate at every new block.
            fresh = self.tensor.new_zeros(len(rows), 2 * width)
            self.tensor, self._written = fresh, [[] for _ in rows]
        for row, (table, written) in enumerate(zip(rows, self._written, strict=True)):
            if table == written:
                continue
            same = len(written) if table[: len(written)] == written else 0
            self._written[row] = table[:same]  # true even if what follows is cut short
            self.tensor[row, same : len(table)] = self.tensor.new_tensor(table[same:])
            self.tensor[row, len(table) : len(written)] = 0
            self._written[row] = table.copy()

    def scatter(self, pool: Tensor, new: Tensor, positions: Tensor, scale: float = 1.0) -> None:
        """Write ``new`` [B, Hkv, T, D] to the slots of ``positions`` [B, T], as the pool keeps
        numbers: in fp8, divided by ``scale``.
        """
        blocks, slots = self._places(positions, pool.shape[2])  # [B, T] each
        write(pool, stored(new, scale, pool.dtype), blocks, slots)

    def gather(
        self,
        pool: Tensor,
        length: int,
        past_end: Tensor | None,
        scale: float = 1.0,
        dtype: torch.dtype | None = None,
    ) -> Tensor:
        """Copy each row's first ``length`` tokens, in logical order: [B, Hkv, length, D].

        As the pool keeps them; out of fp8 as ``dtype``, times ``scale``. Zeros where ``past_end``
        [B, length] says that a row has no token.
        """
        blocks = self.tensor[:, : blocks_needed(length, pool.shape[2])]  # [B, n]
        history = pool[blocks].transpose(1, 2).flatten(2, 3)[:, :, :length]  # [B, Hkv, length, D]
        if past_end is not None:
            # Padding entries name somebody's block; unwritten slots hold anything, even NaN.
            # In bytes, for PyTorch fills no fp8 tensor; the byte 0 is the number 0.
            bits = history.view(torch.uint8) if is_fp8(pool.dtype) else history
            bits.masked_fill_(past_end[:, None, :, None], 0)
        return history if dtype is None else restored(history, scale, dtype)

    def _places(self, positions: Tensor, block_size: int) -> tuple[Tensor, Tensor]:
        """The block and the slot of each of ``positions`` [B, T]: every layer asks, once is
        enough.
        """
        if self._placed is None or self._placed[0] is not positions:
            blocks = self.tensor.gather(1, positions // block_size)  # [B, T]
            self._placed = positions, blocks, positions % block_size
        return self._placed[1:]

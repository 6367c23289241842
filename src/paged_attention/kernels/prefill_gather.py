"""Prefill without a kernel: copy each history together, then PyTorch's attention with a mask.

Needs nothing but PyTorch. A prompt of L tokens that comes in chunks of c copies about L² / 2c
tokens in each layer, where the kernels copy none.
"""

import torch
from torch import Tensor
from torch.nn.functional import scaled_dot_product_attention

from paged_attention.kernels.prefill_inputs import Prefill, check_prefill
from paged_attention.tables import blocks_needed


def prefill(step: Prefill) -> Tensor:
    """Attention of each new token over a copy of its history: [N, Hq, D]. Raises what
    ``check_prefill`` does.
    """
    check_prefill(step)
    exact = torch.float64 in (step.q.dtype, step.k_pool.dtype)
    wide = torch.float64 if exact else torch.float32
    out = torch.empty(step.q.shape, dtype=wide, device=step.q.device)
    starts = step.query_starts.tolist()
    for row, length in enumerate(step.lengths.tolist()):
        mine = slice(starts[row], starts[row + 1])
        count = mine.stop - mine.start
        if count:
            positions = torch.arange(length, device=step.q.device)  # [S]
            own = positions[length - count :]  # [T], positions of the new tokens
            out[mine] = scaled_dot_product_attention(
                step.q[mine].to(wide).transpose(0, 1)[None],  # [1, Hq, T, D]
                _history(step, step.k_pool, row, length).to(wide)[None],  # [1, Hkv, S, D]
                _history(step, step.v_pool, row, length).to(wide)[None],
                attn_mask=positions <= own[:, None],  # [T, S]
                scale=step.scale * step.k_scale,
                enable_gqa=step.q.shape[1] != step.k_pool.shape[1],
            )[0].transpose(0, 1)
    return (out * step.v_scale).to(step.q.dtype)


def _history(step: Prefill, pool: Tensor, row: int, length: int) -> Tensor:
    """Keys or values of one sequence in logical order: [Hkv, S, D]."""
    blocks = step.block_tables[row, : blocks_needed(length, pool.shape[2])].long()
    return pool[blocks].transpose(0, 1).flatten(1, 2)[:, :length]

"""Decode without a kernel: copy each history together, then PyTorch's attention over the copy.

Needs nothing but PyTorch, so it runs wherever no kernel can. It reads every byte once, writes it
once and reads it again, in float32: a stored number times its scale, or a score, may lie beyond
what the queries' type can hold. Float64 stays float64.
"""

import torch
from torch import Tensor
from torch.nn.functional import scaled_dot_product_attention

from paged_attention.kernels.inputs import Decode, check_tables
from paged_attention.tables import blocks_needed


def decode(step: Decode) -> Tensor:
    """Attention of each row over a copy of its history: [B, Hq, D]. Raises what ``check_tables``
    does.
    """
    if step.rows == 0:
        return torch.empty_like(step.q)
    longest = int(step.lengths.max())
    if longest > step.room or int(step.lengths.min()) < 0:
        check_tables(step)  # which says what is wrong
    if longest == 0:
        return torch.zeros_like(step.q)
    positions = torch.arange(longest, device=step.q.device)  # [S]
    past_end = positions >= step.lengths[:, None]  # [B, S]
    exact = torch.float64 in (step.q.dtype, step.k_pool.dtype)
    wide = torch.float64 if exact else torch.float32
    out = scaled_dot_product_attention(
        step.q[:, :, None].to(wide),  # [B, Hq, 1, D]
        _gather(step, step.k_pool, past_end, wide),  # [B, Hkv, S, D]
        _gather(step, step.v_pool, past_end, wide),
        attn_mask=~past_end[:, None, None],  # [B, 1, 1, S]
        scale=step.scale * step.k_scale,
        enable_gqa=step.group > 1,
    )[:, :, 0]
    # A row that may see nothing has no weights to speak of: it gets zeros.
    out = out.masked_fill((step.lengths == 0)[:, None, None], 0)
    return (out * step.v_scale).to(step.q.dtype)


def _gather(step: Decode, pool: Tensor, past_end: Tensor, dtype: torch.dtype) -> Tensor:
    """Histories [B, Hkv, S, D] as ``dtype``, zeros past each row's end."""
    width, length = blocks_needed(past_end.shape[1], step.block_size), past_end.shape[1]
    # Table entries past a row's end may point nowhere: block 0 is read for them and thrown away.
    unused = past_end[:, :: step.block_size]  # [B, width]
    blocks = step.block_tables[:, :width].long().masked_fill(unused, 0)
    if int(blocks.min()) < 0 or int(blocks.max()) >= pool.shape[0]:
        check_tables(step)
    # Head by head, so that blocks come to lie end to end: to gather whole blocks and then turn them
    # would copy twice.
    kv_heads = torch.arange(step.kv_heads, device=pool.device)[:, None]  # [Hkv, 1]
    history = pool[blocks[:, None], kv_heads].flatten(2, 3)[:, :, :length]  # [B, Hkv, S, D]
    return history.to(dtype).masked_fill(past_end[:, None, :, None], 0)

"""What every kernel is held to: plain attention in float64, one sequence after another."""

import torch
from torch import Tensor

from paged_attention.kernels.inputs import Decode, check_tables
from paged_attention.kernels.prefill_inputs import Prefill, check_prefill
from paged_attention.tables import blocks_needed


def decode(step: Decode) -> Tensor:
    """Attention of each row over its history, float64 [B, Hq, D].

    Zeros for a history of length 0, and for a query that scores -inf everywhere: nothing to weigh.
    """
    check_tables(step)
    out = torch.zeros(step.q.shape, dtype=torch.float64, device=step.q.device)
    for row, length in enumerate(step.lengths.tolist()):
        if length:
            blocks = step.block_tables[row, : blocks_needed(length, step.block_size)].long()
            keys = _history(step.k_pool, blocks, length) * step.k_scale  # [Hkv, S, D]
            values = _history(step.v_pool, blocks, length) * step.v_scale  # [Hkv, S, D]
            query = step.q[row].double().view(step.kv_heads, step.group, -1)  # [Hkv, group, D]
            scores = query @ keys.transpose(1, 2) * step.scale  # [Hkv, group, S]
            nothing = (scores == -torch.inf).all(dim=-1, keepdim=True)  # [Hkv, group, 1]
            weights = scores.softmax(dim=-1).masked_fill(nothing, 0)  # [Hkv, group, S]
            out[row] = (weights @ values).view(step.heads, -1)
    return out


def _history(pool: Tensor, blocks: Tensor, length: int) -> Tensor:
    """One sequence's keys or values in logical order: [Hkv, S, D]."""
    return pool[blocks].double().transpose(0, 1).flatten(1, 2)[:, :length]


def prefill(step: Prefill) -> Tensor:
    """Attention of each new token over its history and itself, float64 [N, Hq, D]: decode for one
    token after another, as if those after it weren't there.
    """
    check_prefill(step)
    starts = step.query_starts.long()
    counts = starts.diff()  # [B]
    rows = torch.arange(step.rows, device=starts.device).repeat_interleave(counts)  # [N]
    later = starts[rows + 1] - 1 - torch.arange(step.new_tokens, device=starts.device)  # [N]
    seen = step.lengths.long()[rows] - later  # [N]
    return decode(step.history._replace(block_tables=step.block_tables[rows], lengths=seen))

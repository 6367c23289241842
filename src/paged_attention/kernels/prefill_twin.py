"""The prefill kernel's walk in NumPy, to read beside it and to run where Triton can't be installed.

``tile`` is what one program of ``prefill`` does: decode's walk with a row for each query of several
neighbouring tokens. Slow: it is here to be understood.
"""
# ruff: noqa: E741

from collections.abc import Sequence

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from paged_attention.kernels.prefill_inputs import Prefill, check_prefill, tile_map
from paged_attention.kernels.twin import Floats, as_array


def tile(
    queries: Floats,
    positions: NDArray[np.int64],
    k_pool: Floats,
    v_pool: Floats,
    table: Sequence[int],
) -> Floats:
    """The answers [rows, D] of ``queries`` [rows, D], scaled, whose tokens stand at ``positions``
    [rows].

    ``k_pool``, ``v_pool`` [num_blocks, block_size, D] of one KV head. Read block by block through
    the table, up to the last position and no further: what lies there may be anything.
    """
    rows, head_dim = queries.shape
    block_size = k_pool.shape[1]
    m: Floats = np.full(rows, -np.inf, np.float32)  # the highest score so far
    l: Floats = np.zeros(rows, np.float32)  # the sum of all weights so far, each e ** (score - m)
    acc: Floats = np.zeros((rows, head_dim), np.float32)  # the sum of all weighted values so far
    last = int(positions.max()) + 1
    for start in range(0, last, block_size):
        n = min(block_size, last - start)  # this block's tokens
        keys = k_pool[table[start // block_size], :n]  # [n, D]
        values = v_pool[table[start // block_size], :n]  # [n, D]
        score = queries @ keys.T  # [rows, n]
        seen = start + np.arange(n) <= positions[:, None]  # [rows, n]
        score[~seen] = -np.inf
        higher: Floats = np.maximum(m, score.max(axis=1))  # [rows]
        top = np.where(higher == -np.inf, np.float32(0), higher)  # -inf - -inf would be NaN
        p = np.exp(score - top[:, None])  # [rows, n], this block's weights
        shrink = np.exp(m - top)  # [rows], what all earlier weights are worth now
        acc = acc * shrink[:, None] + p @ values  # [rows, D]
        l = l * shrink + p.sum(axis=1)  # [rows]
        m = higher
    l[l == 0] = 1  # nothing to weigh: zeros, not 0 / 0
    return acc / l[:, None]


def prefill(step: Prefill, tokens: int = 4) -> Tensor:
    """Attention of each new token over its history and itself, in tiles of ``tokens``:
    [N, Hq, D].
    """
    check_prefill(step)
    with np.errstate(all="ignore"):  # a kernel says nothing when a number overflows
        return _prefill(step, tokens)


def _prefill(step: Prefill, tokens: int) -> Tensor:
    out = torch.empty_like(step.q)
    group, head_dim = step.history.group, step.history.head_dim
    queries = as_array(step.q) * np.float32(step.scale * step.k_scale)
    k_pool, v_pool = as_array(step.k_pool), as_array(step.v_pool)
    starts, lengths = step.query_starts.tolist(), step.lengths.tolist()
    for row, first in tile_map(starts, lengths, tokens):
        begin, end = starts[row] + first, min(starts[row] + first + tokens, starts[row + 1])
        # The last new token stands at length - 1, the others before it.
        positions = lengths[row] - starts[row + 1] + np.arange(begin, end)
        table = step.block_tables[row].tolist()
        for kv_head in range(step.history.kv_heads):
            heads = slice(kv_head * group, (kv_head + 1) * group)
            rows = queries[begin:end, heads].reshape(-1, head_dim)  # a token's heads side by side
            answer = tile(
                rows, positions.repeat(group), k_pool[:, kv_head], v_pool[:, kv_head], table
            )
            scaled = answer.reshape(-1, group, head_dim) * np.float32(step.v_scale)
            out[begin:end, heads] = torch.from_numpy(scaled).to(out)
    return out

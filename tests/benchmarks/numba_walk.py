"""The walk of ``twin.py`` for Numba: what the C++ kernel was chosen over.

Head size and group are constants, as in C++: without that it is slower by a fifth.
"""
# ruff: noqa: C901, E741

from functools import cache
from typing import Any

import numba
import numpy as np
import torch
from torch import Tensor

from paged_attention.kernels.inputs import Decode

FAST = {"nsz", "arcp", "contract", "afn", "reassoc"}  # sums in any order; NaN and inf stay


@cache
def kernel(D: int, G: int) -> Any:
    """Compile for one head size and group: about three seconds."""
    lowest = np.float32(-np.inf)

    @numba.njit(fastmath=FAST, error_model="numpy")
    def walk(query, k_pool, v_pool, table, length, kv_head, out):
        block_size = k_pool.shape[2]
        m = np.full(G, lowest, np.float32)
        l = np.zeros(G, np.float32)
        acc = np.zeros((G, D), np.float32)
        p = np.empty((G, block_size), np.float32)
        for index in range((length + block_size - 1) // block_size):
            k, v = k_pool[table[index], kv_head], v_pool[table[index], kv_head]
            n = min(block_size, length - index * block_size)
            for t in range(n):
                for g in range(G):
                    score = np.float32(0)
                    for d in range(D):
                        score += query[g, d] * k[t, d]
                    p[g, t] = score
            for g in range(G):
                higher = m[g]
                for t in range(n):
                    higher = max(higher, p[g, t])
                shrink = np.exp2(m[g] - higher)
                total = np.float32(0)
                for t in range(n):
                    p[g, t] = np.exp2(p[g, t] - higher)
                    total += p[g, t]
                l[g] = l[g] * shrink + total
                m[g] = higher
                for d in range(D):
                    acc[g, d] *= shrink
                for t in range(n):
                    for d in range(D):
                        acc[g, d] += p[g, t] * v[t, d]
        for g in range(G):
            for d in range(D):
                out[g, d] = acc[g, d] / l[g] if l[g] != 0 else np.float32(0)

    @numba.njit(fastmath=FAST, error_model="numpy", parallel=True)
    def every_row(q, k_pool, v_pool, tables, lengths, out):
        kv_heads = k_pool.shape[1]
        for i in numba.prange(q.shape[0] * kv_heads):
            row, kv_head = i // kv_heads, i % kv_heads
            group = slice(kv_head * G, (kv_head + 1) * G)
            walk(
                q[row, group],
                k_pool,
                v_pool,
                tables[row],
                lengths[row],
                kv_head,
                out[row, group],
            )

    return every_row


def decode(step: Decode) -> Tensor:
    """Attention of each row over its history, read in place; float32, no checks."""
    numba.set_num_threads(min(torch.get_num_threads(), numba.config.NUMBA_NUM_THREADS))
    q = step.q * np.float32(step.scale * np.log2(np.e))
    out = torch.empty_like(q)
    tensors = (q, step.k_pool, step.v_pool, step.block_tables, step.lengths, out)
    kernel(step.head_dim, step.group)(*(x.numpy() for x in tensors))
    return out

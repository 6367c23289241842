"""Paged prefill on a CPU: ``prefill.cpp``, built and kept as ``cpu`` does it for decode.

Measured side by side (``tests/benchmarks/results``), it takes no longer than PyTorch's attention
takes over contiguous memory with a mask, though it reads through the tables: PyTorch computes what
the mask hides, too.
"""

import ctypes
from functools import cache
from pathlib import Path

import torch
from torch import Tensor

from paged_attention.exp2 import LOG2_E
from paged_attention.kernels import cpu
from paged_attention.kernels.prefill_inputs import Prefill, check_prefill

SOURCE = Path(__file__).with_name("prefill.cpp")
_NUMBERS = [*[ctypes.c_int64] * 12, ctypes.c_float, ctypes.c_float, ctypes.c_int64]


def prefill(step: Prefill) -> Tensor:
    """Attention of each new token over its history and itself, read in place: [N, Hq, D].

    Raises ``KernelNotBuilt`` where there is no compiler, and what ``check_prefill`` raises.
    """
    q, k_pool = step.q.to(torch.float32), step.k_pool
    q = q if q.stride(2) == 1 else q.contiguous()
    tables, lengths = step.block_tables.long(), step.lengths.long()
    starts = step.query_starts.long()
    out = torch.empty(q.shape)
    _, heads, head_dim = q.shape
    num_blocks, kv_heads, block_size, _ = k_pool.shape
    failed = library(head_dim, heads // kv_heads, k_pool.dtype)(
        *(x.data_ptr() for x in (q, k_pool, step.v_pool, tables, lengths, starts, out)),
        step.new_tokens,
        step.rows,
        kv_heads,
        tables.shape[1],
        tables.stride(0),
        num_blocks,
        block_size,
        *k_pool.stride()[:3],
        *q.stride()[:2],
        step.scale * step.k_scale * LOG2_E,
        step.v_scale,
        torch.get_num_threads(),
    )
    if failed:
        check_prefill(step)
    return out.to(step.q.dtype)


@cache
def library(head_dim: int, group: int, dtype: torch.dtype) -> cpu.Library:
    """The compiled kernel for these constants; built now unless an earlier run has left it."""
    path = cpu.build(head_dim, group, dtype, SOURCE)
    return cpu.load(path, "paged_prefill", [*[ctypes.c_void_p] * 7, *_NUMBERS])

"""Attention for decode that reads the pool through the block tables: nothing is gathered.

``paged_decode_attention`` is the finished function; it picks the kernel for the tensors' device.
The modules beside it are the way there: ``reference`` (float64), ``twin`` (the walk in NumPy),
``naive``, ``grouped`` and ``split`` (Triton), ``cpu`` (C++), and ``gather``, which needs no kernel.
"""

from functools import cache

import torch
from torch import Tensor

from paged_attention.errors import KernelNotBuilt
from paged_attention.kernels import cpu, gather
from paged_attention.kernels.inputs import Decode, checked

__all__ = ["paged_decode_attention", "triton_is_here", "which_kernel"]


def paged_decode_attention(
    q: Tensor,
    k_pool: Tensor,
    v_pool: Tensor,
    block_tables: Tensor,
    lengths: Tensor,
    block_size: int,
    *,
    scale: float | None = None,
    k_scale: float = 1.0,
    v_scale: float = 1.0,
) -> Tensor:
    """One query for each sequence over its whole history: [B, Hq, D], in the type of ``q``.

    ``q`` [B, Hq, D]; ``k_pool``, ``v_pool`` [num_blocks, Hkv, block_size, D], of any of
    ``POOL_TYPES``; ``block_tables`` int [B, max_blocks]; ``lengths`` int [B]. Row ``i`` sees
    positions 0 to ``lengths[i] - 1``, none gives zeros. Slots and table entries past a row's end
    may hold anything. ``scale`` is 1 / sqrt(D) unless given; a stored key counts ``k_scale`` times,
    a value ``v_scale`` times. Types may be mixed: nothing is rounded to the queries' type before
    the end. A query that scores -inf everywhere gets zeros, too.

    Raises ``BadTensor``; on a CPU also ``PositionNotReserved`` and ``UnknownBlock``, which a GPU
    would have to be waited for. Changes nothing.
    """
    step = checked(
        q,
        k_pool,
        v_pool,
        block_tables,
        lengths,
        block_size,
        scale=scale,
        k_scale=k_scale,
        v_scale=v_scale,
    )
    if step.rows == 0:
        return torch.empty_like(q)
    if _in_float64(step):
        return gather.decode(step)
    if q.is_cuda and triton_is_here():
        from paged_attention.kernels import gpu

        return gpu.decode(step)
    if q.device.type == "cpu" and _builds(step.head_dim, step.group, k_pool.dtype) is None:
        return cpu.decode(step)
    return gather.decode(step)


def which_kernel(step: Decode) -> str:
    """In one line: the kernel that ``paged_decode_attention`` uses for this step, and why."""
    if _in_float64(step):
        return "gather, then PyTorch's attention: the kernels would round float64 to float32"
    if step.q.is_cuda:
        if triton_is_here():
            return "Triton through the block tables"
        return "gather, then PyTorch's attention: Triton is not installed"
    if step.q.device.type != "cpu":
        return f"gather, then PyTorch's attention: there is no kernel for {step.q.device.type}"
    why_not = _builds(step.head_dim, step.group, step.k_pool.dtype)
    if why_not is None:
        return f"C++ through the block tables, {torch.get_num_threads()} threads"
    return f"gather, then PyTorch's attention: {why_not}"


def _in_float64(step: Decode) -> bool:
    return torch.float64 in (step.q.dtype, step.k_pool.dtype)


@cache
def triton_is_here() -> bool:
    """Whether Triton can be imported. It has no wheels for macOS and Windows."""
    try:
        import triton  # noqa: F401
    except ImportError:
        return False
    return True


@cache
def _builds(head_dim: int, group: int, dtype: torch.dtype) -> str | None:
    """``None`` when the C++ kernel for these constants is there, else why it is not."""
    try:
        cpu.library(head_dim, group, dtype)
    except KernelNotBuilt as error:
        return str(error)
    return None

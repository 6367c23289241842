"""Attention that reads the pool through the block tables: nothing is gathered.

``paged_decode_attention`` and ``paged_prefill_attention`` are the finished functions; they pick the
kernel for the tensors' device. The modules beside them are the way there. For decode: ``reference``
(float64), ``twin`` (the walk in NumPy), ``naive``, ``grouped`` and ``split`` (Triton), ``cpu``
(C++), and ``gather``, which needs no kernel. For prefill: ``reference`` again, ``prefill_twin``,
``prefill`` (Triton), ``prefill_cpu`` and ``prefill_gather``. ``write`` puts new keys and values
into their slots; ``linear`` and ``between`` are the rest of a decoder, for a few tokens.
"""

from collections.abc import Callable
from functools import cache

import torch
from torch import Tensor

from paged_attention.errors import KernelNotBuilt
from paged_attention.kernels import cpu, gather, prefill_cpu, prefill_gather
from paged_attention.kernels.inputs import Decode, checked
from paged_attention.kernels.prefill_inputs import Prefill, checked_prefill

__all__ = [
    "paged_decode_attention",
    "paged_prefill_attention",
    "triton_is_here",
    "which_kernel",
]


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
    if _why_not(step):
        return gather.decode(step)
    if q.is_cuda:
        from paged_attention.kernels import gpu

        return gpu.decode(step)
    return cpu.decode(step)


def paged_prefill_attention(
    q: Tensor,
    k_pool: Tensor,
    v_pool: Tensor,
    block_tables: Tensor,
    lengths: Tensor,
    query_starts: Tensor,
    block_size: int,
    *,
    scale: float | None = None,
    k_scale: float = 1.0,
    v_scale: float = 1.0,
) -> Tensor:
    """The new tokens of several sequences over their histories: [N, Hq, D], in the type of ``q``.

    ``q`` [N, Hq, D], one sequence's new tokens after another's; ``query_starts`` int [B + 1], where
    each begins, and N. They are the last of the ``lengths`` [B] tokens of their sequence, and their
    keys and values are in the pools already. Each sees its history and itself, none behind it: a
    first prompt, a chunk, what follows a cached prefix and a single token are one call. The rest is
    as in ``paged_decode_attention``, which is faster where each sequence brings one token.

    Raises ``BadTensor``; on a CPU also ``PositionNotReserved`` and ``UnknownBlock``. Changes
    nothing. Waits for a GPU, to cut the step into tiles.
    """
    step = checked_prefill(
        q,
        k_pool,
        v_pool,
        block_tables,
        lengths,
        query_starts,
        block_size,
        scale=scale,
        k_scale=k_scale,
        v_scale=v_scale,
    )
    if step.new_tokens == 0:
        return torch.empty_like(q)
    if _why_not(step):
        return prefill_gather.prefill(step)
    if q.is_cuda:
        from paged_attention.kernels import gpu

        return gpu.prefill(step)
    return prefill_cpu.prefill(step)


def which_kernel(step: Decode | Prefill) -> str:
    """In one line: the kernel that is used for this step, and why."""
    why_not = _why_not(step)
    if why_not:
        return f"gather, then PyTorch's attention: {why_not}"
    if step.q.is_cuda:
        return "Triton through the block tables"
    return f"C++ through the block tables, {torch.get_num_threads()} threads"


def _why_not(step: Decode | Prefill) -> str | None:
    """Why no kernel takes this step; ``None`` when one does."""
    library = cpu.library
    if isinstance(step, Prefill):
        step, library = step.history, prefill_cpu.library
    if torch.float64 in (step.q.dtype, step.k_pool.dtype):
        return "the kernels would round float64 to float32"
    if step.q.is_cuda:
        return None if triton_is_here() else "Triton is not installed"
    if step.q.device.type != "cpu":
        return f"there is no kernel for {step.q.device.type}"
    return _builds(library, step.head_dim, step.group, step.k_pool.dtype)


@cache
def triton_is_here() -> bool:
    """Whether Triton can be imported. It has no wheels for macOS and Windows."""
    try:
        import triton  # noqa: F401
    except ImportError:
        return False
    return True


@cache
def _builds(
    library: Callable[[int, int, torch.dtype], cpu.Library],
    head_dim: int,
    group: int,
    dtype: torch.dtype,
) -> str | None:
    """``None`` when the C++ kernel for these constants is there, else why it is not."""
    try:
        library(head_dim, group, dtype)
    except KernelNotBuilt as error:
        return str(error)
    return None

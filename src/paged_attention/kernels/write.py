"""New keys or values to their slots in a pool: ``write.cpp`` on a CPU, an index elsewhere."""

import ctypes
from functools import cache
from pathlib import Path

from torch import Tensor

from paged_attention.errors import KernelNotBuilt
from paged_attention.kernels import cpu

SOURCE = Path(__file__).with_name("write.cpp")
_ARGUMENTS = [*[ctypes.c_void_p] * 4, *[ctypes.c_int64] * 12]


def write(pool: Tensor, new: Tensor, blocks: Tensor, slots: Tensor) -> None:
    """Put ``new`` [B, Hkv, T, D] into the ``slots`` of ``blocks``, int64 [B, T] each, of ``pool``
    [num_blocks, Hkv, block_size, D], which has its type.

    Of tokens for one slot the last one stays, on a CPU. A block or a slot that the pool doesn't
    have raises ``IndexError``; then the compiled loop has written nothing.
    """
    plain = pool.is_cpu and new.is_cpu and new.dtype == pool.dtype
    run = library() if plain and new.stride(3) == pool.stride(3) == 1 else None
    if run is None:
        pool[blocks, :, slots] = new.transpose(1, 2)  # [B, T, Hkv, D]
        return
    blocks, slots = blocks.contiguous(), slots.contiguous()
    rows, heads, tokens, head_dim = new.shape
    size = new.element_size()
    x_row, x_head, x_token, _ = new.stride()
    block, head, slot, _ = pool.stride()
    failed = run(
        new.data_ptr(),
        pool.data_ptr(),
        blocks.data_ptr(),
        slots.data_ptr(),
        rows,
        heads,
        tokens,
        head_dim * size,
        pool.shape[0],
        pool.shape[2],
        x_row * size,
        x_head * size,
        x_token * size,
        block * size,
        head * size,
        slot * size,
    )
    if failed:
        raise IndexError(
            f"a token's place is not in the pool, which has blocks 0 to {pool.shape[0] - 1} of "
            f"{pool.shape[2]} slots: a table was changed by hand? Nothing was written"
        )


@cache
def library() -> cpu.Library | None:
    """The compiled loop, or ``None`` where it can't be built."""
    try:
        return cpu.load(cpu.build_source(SOURCE, []), "paged_write", _ARGUMENTS)
    except KernelNotBuilt:
        return None

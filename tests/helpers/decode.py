"""Decode steps for tests of kernels: scrambled tables, NaN wherever nobody wrote, mad padding."""

import random
from collections.abc import Callable, Sequence

import pytest
import torch
from torch import Tensor

from paged_attention.kernels import cpu, gather, twin
from paged_attention.kernels.inputs import FP8_TYPES, Decode, checked
from paged_attention.tables import blocks_needed

Kernel = Callable[[Decode], Tensor]
NOWHERE = 2**30  # a block id that no pool has
WITHOUT_TRITON: dict[str, Kernel] = {
    "cpu": cpu.decode,
    "gather": gather.decode,
    "twin": twin.decode,
    "twin in 3 parts": lambda step: twin.decode(step, 3),
}
# Digits that survive rounding the weights and the answer to the query's type.
TOLERANCE = {
    torch.float64: 2e-5,  # kernels compute in float32
    torch.float32: 2e-5,
    torch.float16: 4e-3,
    torch.bfloat16: 3e-2,
}


def decode_step(
    lengths: Sequence[int],
    *,
    heads: int = 6,
    kv_heads: int = 2,
    head_dim: int = 16,
    block_size: int = 4,
    dtype: torch.dtype = torch.float32,
    table_dtype: torch.dtype = torch.int64,
    seed: int = 0,
) -> Decode:
    """One query a row. Blocks lie in random order; entries past a row's end point nowhere."""
    random_numbers = torch.Generator().manual_seed(seed)
    counts = [blocks_needed(length, block_size) for length in lengths]
    num_blocks, width = sum(counts) + 3, max(counts) + 2
    ids = random.Random(seed).sample(range(num_blocks), sum(counts))
    tables = torch.full((len(lengths), width), NOWHERE, dtype=table_dtype)
    tables[::2, -1] = -1
    pools = [torch.full((num_blocks, kv_heads, block_size, head_dim), torch.nan) for _ in "kv"]
    for row, (length, count) in enumerate(zip(lengths, counts, strict=True)):
        mine, ids = ids[:count], ids[count:]
        tables[row, :count] = torch.tensor(mine, dtype=table_dtype)
        for pool in pools:
            history = torch.full((kv_heads, count * block_size, head_dim), torch.nan)
            history[:, :length] = torch.randn(kv_heads, length, head_dim, generator=random_numbers)
            pool[mine] = history.view(kv_heads, count, block_size, head_dim).transpose(0, 1)
    q = torch.randn(len(lengths), heads, head_dim, generator=random_numbers)
    fp8 = dtype in FP8_TYPES
    return checked(
        q.to(torch.bfloat16 if fp8 else dtype),
        pools[0].to(dtype),
        pools[1].to(dtype),
        tables,
        torch.tensor(lengths, dtype=table_dtype),
        block_size,
        k_scale=0.5 if fp8 else 1.0,
        v_scale=2.0 if fp8 else 1.0,
    )


def far_pool() -> tuple[Tensor, list[int]]:
    """A pool of float16 [blocks, 1, 16, 64], and its last two blocks, beyond 2 ** 31 elements.

    It is 4 GiB of addresses; only pages that are touched take memory. Skips where they are refused.
    """
    num_blocks = 2**31 // (16 * 64) + 3
    try:
        pool = torch.empty(num_blocks, 1, 16, 64, dtype=torch.float16)
    except RuntimeError:
        pytest.skip("this machine does not hand out 4 GiB of addresses")
    return pool, [num_blocks - 1, num_blocks - 2]


def with_triton() -> dict[str, Kernel]:
    """The Triton kernels, interpreted; needs Triton."""
    from paged_attention.kernels import launch
    from paged_attention.kernels.interpreter import interpret

    return {
        "naive": lambda step: launch.naive(step).run(interpret),
        "grouped": lambda step: launch.grouped(step).run(interpret),
        "grouped, tiles of 16": lambda step: launch.grouped(step, tile=16).run(interpret),
        "split in 3": lambda step: launch.split(step, 3, tile=16).run(interpret),
        "split in 16": lambda step: launch.split(step, 16).run(interpret),
    }

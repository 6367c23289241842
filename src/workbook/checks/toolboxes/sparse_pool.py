"""Pools whose last block lies past 2 ** 31 numbers, in a few KiB of memory."""

import math
import mmap
import random
import sys
from collections.abc import Sequence
from typing import Any

from workbook.checks.framework import Skipped
from workbook.checks.toolboxes.decode_steps import DecodeStep

# Times 4 slots the first leaves int32, the second only when times 8 numbers, the third never.
FAR = (536_870_920, 67_108_900, 5)
_NORESERVE = 0x4000  # Linux; Python names it from 3.12 on


def sparse_pool(shape: Sequence[int]) -> Any:
    """A float32 tensor of zeros that takes memory only where it is written.

    Raises ``Skipped`` where the machine doesn't lend addresses without memory behind them.
    """
    import numpy as np
    import torch

    if not sys.platform.startswith("linux"):
        raise Skipped("A pool this large, with almost nothing in it, is made on Linux only.")
    flags = mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS | _NORESERVE
    try:
        memory = mmap.mmap(-1, math.prod(shape) * 4, flags=flags)
    except (OSError, OverflowError, ValueError) as error:
        raise Skipped(
            f"This machine doesn't lend the addresses of a large pool: {error}."
        ) from None
    return torch.from_numpy(np.frombuffer(memory, dtype=np.float32)).reshape(shape)


def far_step(heads: int = 1, *, length: int = 11, seed: int = 7) -> DecodeStep:
    """A step of one row over the blocks ``FAR``, of 4 slots, one KV head and 8 numbers a key.

    Whoever multiplies a block's id before it is an int64 gets an address outside the pool.
    """
    import torch

    draw = torch.Generator().manual_seed(seed)
    shape = (max(FAR) + 4, 1, 4, 8)
    pools = [sparse_pool(shape) for _ in range(2)]
    order = random.Random(seed).sample(FAR, len(FAR))
    for pool in pools:
        for block in order:
            pool[block] = torch.randn(shape[1:], generator=draw)
    q = torch.randn(1, heads, 8, generator=draw)
    return DecodeStep(q, pools[0], pools[1], [order], [length])

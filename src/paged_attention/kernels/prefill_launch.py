"""From a prefill step to a launch: its tile map, and the sizes that need no more registers than a
GPU has.
"""

from itertools import pairwise
from typing import NamedTuple

import torch
import triton

from paged_attention.kernels.launch import (
    TENSOR_CORE_ROWS,
    Launch,
    Plan,
    multiplied_type,
    shared_args,
)
from paged_attention.kernels.prefill import prefill as prefill_kernel
from paged_attention.kernels.prefill_inputs import Prefill, tile_map

FEWEST_QUERIES = 32


class Sizes(NamedTuple):
    """Of the two tiles that a program multiplies, and how many warps share them."""

    queries: int  # rows: tokens × group
    keys: int
    warps: int


def prefill(step: Prefill, sizes: Sizes | None = None) -> Plan:
    """One program for each tile of new tokens and KV head.

    The tile map is made here, from ``query_starts`` and ``lengths``, which waits for a GPU that has
    them.
    """
    starts, lengths = step.query_starts.tolist(), step.lengths.tolist()
    most = max((b - a for a, b in pairwise(starts)), default=0)
    queries, keys, warps = sizes or choose_sizes(step, most)
    group = step.history.group
    tokens = max(1, queries // group)
    tiles = tile_map(starts, lengths, tokens)
    out = torch.empty_like(step.q, memory_format=torch.contiguous_format)
    args = shared_args(step.history) | {
        "query_starts": step.query_starts,
        "tiles": torch.tensor(tiles, dtype=torch.int32).to(out.device),
        "out": out,
        "v_scale": step.v_scale,
        "TOKENS": tokens,
        "QUERIES": max(TENSOR_CORE_ROWS, triton.next_power_of_2(tokens * group)),
        "TILE": keys,
    }
    grid = (len(tiles), step.history.kv_heads)
    return Plan([Launch(prefill_kernel, grid, args, num_warps=warps)], out)


def choose_sizes(step: Prefill, most_new: int) -> Sizes:
    """As many queries as share a key without spilling registers, but no more than the longest of
    the sequences' new tokens fill. ``tests/benchmarks/results`` has what spills.
    """
    lanes = triton.next_power_of_2(step.history.head_dim)
    if multiplied_type(step.history).itemsize < 4:
        sizes = Sizes(64, 64, 4) if lanes <= 128 else Sizes(64, 16, 8)
    elif lanes <= 64:
        sizes = Sizes(32, 16, 4)
    else:
        sizes = Sizes(32, 32, 8) if lanes <= 128 else Sizes(16, 16, 8)
    filled = triton.next_power_of_2(most_new * step.history.group)
    # Half of the most may be too many; a quarter would spill, oddly, and gain nothing.
    return sizes._replace(queries=min(sizes.queries, max(FEWEST_QUERIES, filled)))

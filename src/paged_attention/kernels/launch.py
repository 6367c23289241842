"""From a decode step to launches: which kernel, how many programs, which sizes.

A launch is plain data, so that the same one can run on a GPU, run in the interpreter, or be
compiled for a GPU that isn't there.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import torch
import triton

from paged_attention.errors import BadTensor
from paged_attention.exp2 import LOG2_E
from paged_attention.kernels.grouped import decode_grouped
from paged_attention.kernels.inputs import FP8_TYPES, Decode
from paged_attention.kernels.naive import decode_naive
from paged_attention.kernels.split import decode_split, merge_splits
from paged_attention.tables import ceil_div

TENSOR_CORE_ROWS = 16  # of one instruction; Triton pads a smaller tl.dot to as many
MAX_SPLITS = 128


@dataclass(frozen=True)
class Launch:
    """One kernel over a grid of programs, with all its arguments by name."""

    kernel: Any  # a @triton.jit function
    grid: tuple[int, ...]
    args: dict[str, Any]
    num_warps: int = 4
    num_stages: int = 2

    def on_gpu(self) -> None:
        """Start it; results are there when the GPU's stream gets so far."""
        self.kernel[self.grid](**self.args, num_warps=self.num_warps, num_stages=self.num_stages)


@dataclass(frozen=True)
class Plan:
    """The launches of one step, in order, and the tensor that holds the answer after them."""

    launches: Sequence[Launch]
    out: torch.Tensor  # [B, Hq, D]
    kept: Sequence[torch.Tensor] = field(default=())  # parts, alive until the launches have run

    def run(self, how: Callable[[Launch], None] = Launch.on_gpu) -> torch.Tensor:
        """Every launch, then the answer [B, Hq, D]."""
        for launch in self.launches:
            how(launch)
        return self.out


def naive(step: Decode) -> Plan:
    """One program for each sequence and query head; a tile is a block. Takes no fp8 and no
    ``v_scale``: it stays as small as chapter 7's.
    """
    if step.k_pool.dtype in FP8_TYPES:
        raise BadTensor("the naive kernel reads pools of wider types, not fp8; use grouped")
    if step.v_scale != 1:
        raise BadTensor(f"the naive kernel has no v_scale, got {step.v_scale}; use grouped")
    out = torch.empty_like(step.q, memory_format=torch.contiguous_format)
    args = shared_args(step) | {
        "out": out,
        "SLOTS": triton.next_power_of_2(step.block_size),
    }
    del args["QUERIES"]
    return Plan([Launch(decode_naive, (step.rows, step.heads), args)], out)


def grouped(step: Decode, *, tile: int | None = None) -> Plan:
    """One program for each sequence and KV head, ``tile`` tokens at a time."""
    out = torch.empty_like(step.q, memory_format=torch.contiguous_format)
    args = shared_args(step) | {
        "out": out,
        "v_scale": step.v_scale,
        "TILE": tile or tile_size(step),
    }
    grid = (step.rows, step.kv_heads)
    return Plan([Launch(decode_grouped, grid, args, num_stages=_stages(step))], out)


def split(step: Decode, splits: int, *, tile: int | None = None) -> Plan:
    """``splits`` programs for each sequence and KV head, then one for each query head to merge."""
    out = torch.empty_like(step.q, memory_format=torch.contiguous_format)
    shape = (step.rows, step.heads, splits)
    part_m = torch.empty(shape, dtype=torch.float32, device=out.device)
    part_l = torch.empty_like(part_m)
    part_acc = torch.empty((*shape, step.head_dim), dtype=torch.float32, device=out.device)
    parts = {"part_m": part_m, "part_l": part_l, "part_acc": part_acc}
    reading = Launch(
        decode_split,
        (step.rows, step.kv_heads, splits),
        shared_args(step) | parts | {"TILE": tile or tile_size(step)},
        num_stages=_stages(step),
    )
    lanes = triton.next_power_of_2(step.head_dim)
    sizes = {
        "splits": splits,
        "HEADS": step.heads,
        "HEAD_DIM": step.head_dim,
        "LANES": lanes,
        "PARTS": triton.next_power_of_2(splits),
    }
    merging = Launch(
        merge_splits,
        (step.rows, step.heads),
        parts | {"out": out, "v_scale": step.v_scale} | sizes,
        num_warps=8 if splits * lanes > 8192 else 4,
    )
    return Plan([reading, merging], out, (part_m, part_l, part_acc))


def best(step: Decode, processors: int) -> Plan:
    """``grouped`` where it fills the GPU's ``processors``, ``split`` where it would not.

    The tables' width stands for the longest length: to look that up would wait for the GPU.
    """
    splits = choose_splits(step.rows * step.kv_heads, step.room, processors)
    return grouped(step) if splits == 1 else split(step, splits)


def choose_splits(programs: int, longest: int, processors: int) -> int:
    """Parts of each sequence, when ``programs`` run unsplit and the longest has ``longest`` tokens.

    Enough to give each processor two programs, but at least 128 tokens a part; beyond that, enough
    for eight each, so that the last ones to end keep few waiting, but at least 512 tokens a part:
    a part of 512 tokens costs about 1 % more bytes than reading straight through.
    """
    filling = min(ceil_div(2 * processors, programs), longest // 128)
    evening = min(ceil_div(8 * processors, programs), longest // 512)
    return max(1, min(max(filling, evening), MAX_SPLITS))


def tile_size(step: Decode) -> int:
    """Tokens that are read at a time, 16 to 128: 16 KiB of keys. Float32, which tensor cores would
    round, is multiplied without them and needs registers for it: 8 KiB.
    """
    lanes: int = triton.next_power_of_2(step.head_dim)
    size = multiplied_type(step).itemsize
    return max(TENSOR_CORE_ROWS, min(128, (8192 if size == 4 else 16384) // (lanes * size)))


def multiplied_type(step: Decode) -> torch.dtype:
    """The type that queries, keys and values are brought to: the queries' own where it holds every
    number of the pools, else float32. Float64 is rounded to float32 here; ``gather`` keeps it.
    """
    own = step.q.dtype != torch.float64 and step.k_pool.dtype in (step.q.dtype, *FP8_TYPES)
    return step.q.dtype if own else torch.float32


def _stages(step: Decode) -> int:
    """Three let a tile load ahead, and before it the table entries that say where it is."""
    return 2 if multiplied_type(step) == torch.float32 else 3


def shared_args(step: Decode) -> dict[str, Any]:
    """The arguments that every decode kernel takes."""
    block_stride, head_stride, slot_stride, _ = step.k_pool.stride()
    q = step.q.to(multiplied_type(step))
    q = q if q.stride(2) == 1 else q.contiguous()
    return {
        "q": q,
        "k_pool": step.k_pool,
        "v_pool": step.v_pool,
        "block_tables": step.block_tables,
        "lengths": step.lengths,
        "scale": step.scale * step.k_scale * LOG2_E,
        "q_row_stride": q.stride(0),
        "q_head_stride": q.stride(1),
        "block_stride": block_stride,
        "head_stride": head_stride,
        "slot_stride": slot_stride,
        "table_stride": step.block_tables.stride(0),
        "HEADS": step.heads,
        "GROUP": step.group,
        "QUERIES": max(TENSOR_CORE_ROWS, triton.next_power_of_2(step.group)),
        "HEAD_DIM": step.head_dim,
        "LANES": max(16, triton.next_power_of_2(step.head_dim)),
        "BLOCK_SIZE": step.block_size,
    }

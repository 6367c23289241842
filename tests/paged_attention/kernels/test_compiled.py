"""What compilers for GPUs that aren't here make of the kernels: wide loads, tensor cores, no spill.

Plans are made from tensors on the CPU, so that alignment and constants are those of real launches.
"""

import os
from collections.abc import Callable

import pytest
import torch
from helpers.grid import grid

from paged_attention.kernels.inputs import Decode, checked

pytest.importorskip("triton")
from paged_attention.kernels import launch
from paged_attention.kernels.compiled import TARGETS, Compiled, NotCompiled, compile_plan

pytestmark = pytest.mark.skipif(
    os.environ.get("TRITON_INTERPRET") == "1", reason="TRITON_INTERPRET=1 leaves no compiler"
)
MiB, KiB = 2**20, 2**10
SHARED = {"sm_80": 163 * KiB, "sm_90": 227 * KiB, "sm_100": 227 * KiB, "gfx942": 64 * KiB}


def step(
    dtype: torch.dtype = torch.bfloat16,
    *,
    heads: int = 32,
    kv_heads: int = 8,
    head_dim: int = 128,
    block_size: int = 16,
    padding: int = 0,
) -> Decode:
    """A step whose sizes and addresses are a real one's; no number of it matters."""
    shape = (4, kv_heads, block_size, head_dim + padding)
    k_pool, v_pool = (torch.zeros(shape, dtype=dtype)[..., :head_dim] for _ in "kv")
    q = torch.zeros(2, heads, head_dim, dtype=torch.bfloat16 if dtype.itemsize == 1 else dtype)
    tables, lengths = torch.zeros(2, 8, dtype=torch.int64), torch.zeros(2, dtype=torch.int64)
    return checked(q, k_pool, v_pool, tables, lengths, block_size)


def reads_wide(made: Compiled) -> bool:
    """Keys and values come 16 bytes at a time; single numbers and table entries may be narrower."""
    return made.loads.get(16, 0) > 0 and not made.loads.keys() & {1, 2}


@pytest.mark.parametrize(
    ("target", "head_dim"),
    grid({("sm_80", 64), ("sm_90", 128), ("gfx942", 256)}, TARGETS, [64, 128, 256]),
)
def test_split_and_merge(target: str, head_dim: int) -> None:
    reading, merging = compile_plan(launch.split(step(head_dim=head_dim), 32), target)
    assert reads_wide(reading), reading
    assert reading.tensor_core_ops > 0, reading
    assert reading.spilled == merging.spilled == 0, f"{reading}\n{merging}"
    assert merging.loads.get(16, 0) > 0, merging
    assert max(reading.shared, merging.shared) <= SHARED[target]


@pytest.mark.parametrize("target", grid({("sm_80",), ("gfx942",)}, TARGETS))
def test_grouped(target: str) -> None:
    (made,) = compile_plan(launch.grouped(step()), target)
    assert reads_wide(made), made
    assert made.tensor_core_ops > 0, made
    assert made.spilled == 0, made


@pytest.mark.parametrize("target", grid({("sm_90",), ("gfx942",)}, TARGETS))
def test_naive_uses_no_tensor_cores(target: str) -> None:
    (made,) = compile_plan(launch.naive(step()), target)
    assert made.loads.get(16, 0) > 0, made
    assert made.tensor_core_ops == 0, made
    assert made.spilled == 0, made


@pytest.mark.parametrize(
    ("block_size", "head_dim"), grid({(1, 80), (24, 96)}, [1, 24, 64], [80, 96])
)
def test_sizes_that_are_no_powers_of_two(block_size: int, head_dim: int) -> None:
    (made,) = compile_plan(launch.grouped(step(block_size=block_size, head_dim=head_dim)), "sm_90")
    assert reads_wide(made), made
    assert made.spilled == 0, made


@pytest.mark.parametrize(
    ("target", "dtype"),
    grid(
        {("sm_100", torch.float32), ("gfx942", torch.float16), ("sm_90", torch.float8_e4m3fn)},
        ["sm_90", "sm_100", "gfx942"],
        [torch.float32, torch.float16, torch.float8_e4m3fn],
    ),
)
def test_types(target: str, dtype: torch.dtype) -> None:
    (made,) = compile_plan(launch.grouped(step(dtype)), target)
    assert reads_wide(made), made
    assert made.spilled == 0, made
    # NVIDIA's tensor cores would round float32 to TF32; AMD's take it as it is.
    assert (made.tensor_core_ops > 0) == (dtype != torch.float32 or target == "gfx942"), made


def test_smollm2_in_every_type() -> None:
    for dtype in (torch.float32, torch.bfloat16):
        for made in compile_plan(
            launch.split(step(dtype, heads=9, kv_heads=3, head_dim=64), 8), "sm_90"
        ):
            assert made.spilled == 0, made


def test_unaligned_keys_cost_the_wide_loads() -> None:
    """What chapter 8 shows: one number of padding a key, and every load is two bytes wide."""
    (made,) = compile_plan(launch.grouped(step(padding=1)), "sm_90")
    assert made.loads.get(2, 0) >= 128, made
    assert made.spilled > 0, made


@pytest.mark.parametrize("plan", [launch.naive, launch.grouped])
def test_facts_are_said_in_one_line(plan: Callable[[Decode], launch.Plan]) -> None:
    (made,) = compile_plan(plan(step()), "sm_90")
    assert str(made).startswith(f"{made.kernel} for sm_90: {made.registers} registers, 0 bytes")
    assert made.text.lstrip().startswith("//")


def test_an_unknown_target_is_named() -> None:
    with pytest.raises(NotCompiled, match=r"sm_70.*sm_80"):
        compile_plan(launch.naive(step()), "sm_70")


def test_compiling_leaves_no_trace() -> None:
    import triton

    before = triton.runtime.driver._active
    compile_plan(launch.naive(step()), "sm_80")
    assert triton.runtime.driver._active is before

"""What compilers for GPUs that aren't here make of the prefill kernel, in the shapes it is launched
in.
"""

import os

import pytest
import torch
from helpers.grid import grid

from paged_attention.kernels.prefill_inputs import Prefill, checked_prefill

pytest.importorskip("triton")
from paged_attention.kernels.compiled import TARGETS, Compiled, compile_plan
from paged_attention.kernels.prefill_launch import Sizes, prefill

pytestmark = pytest.mark.skipif(
    os.environ.get("TRITON_INTERPRET") == "1", reason="TRITON_INTERPRET=1 leaves no compiler"
)
KiB = 2**10
SHARED = {"sm_80": 163 * KiB, "sm_90": 227 * KiB, "sm_100": 227 * KiB, "gfx942": 64 * KiB}


def step(
    dtype: torch.dtype = torch.bfloat16,
    *,
    group: int = 4,
    head_dim: int = 128,
    block_size: int = 16,
    new: int = 128,
) -> Prefill:
    """A step whose sizes and addresses are a real one's; no number in its tensors matters."""
    pool = torch.zeros(4, 8, block_size, head_dim, dtype=dtype)
    q_type = torch.bfloat16 if dtype.itemsize == 1 else dtype
    return checked_prefill(
        torch.zeros(2 * new, 8 * group, head_dim, dtype=q_type),
        pool,
        torch.zeros_like(pool),
        torch.zeros(2, 1024, dtype=torch.int64),
        torch.tensor([new, new]),
        torch.tensor([0, new, 2 * new]),
        block_size,
    )


def check(made: Compiled) -> None:
    """Keys and values come 16 bytes at a time, and no register is spilled."""
    assert made.loads.get(16, 0) > 0, made
    assert not made.loads.keys() & {1, 2}, made
    assert made.spilled == 0, made
    assert made.shared <= SHARED[made.target], made


ALWAYS = {
    ("sm_80", 64, torch.float32),
    ("sm_90", 128, torch.bfloat16),
    ("sm_100", 256, torch.bfloat16),
    ("gfx942", 64, torch.float32),
}


@pytest.mark.parametrize(
    ("target", "head_dim", "dtype"),
    grid(ALWAYS, TARGETS, [64, 128, 256], [torch.bfloat16, torch.float32]),
)
def test_types_and_head_sizes(target: str, head_dim: int, dtype: torch.dtype) -> None:
    (made,) = compile_plan(prefill(step(dtype, head_dim=head_dim)), target)
    check(made)
    # NVIDIA's tensor cores would round float32 to TF32; AMD's take it as it is.
    assert (made.tensor_core_ops > 0) == (dtype != torch.float32 or target == "gfx942"), made


@pytest.mark.parametrize(
    ("target", "group"), grid({("sm_80", 3), ("sm_90", 8)}, ["sm_80", "sm_90"], [1, 3, 8])
)
def test_groups(target: str, group: int) -> None:
    check(*compile_plan(prefill(step(group=group, head_dim=64)), target))


@pytest.mark.parametrize(
    ("block_size", "head_dim"), grid({(1, 80), (24, 48)}, [1, 24, 256], [48, 80])
)
def test_sizes_that_are_no_powers_of_two(block_size: int, head_dim: int) -> None:
    check(*compile_plan(prefill(step(block_size=block_size, head_dim=head_dim)), "sm_90"))


@pytest.mark.parametrize("target", ["sm_90", "gfx942"])
@pytest.mark.parametrize("new", [1, 7])
def test_few_new_tokens(target: str, new: int) -> None:
    """Fewer queries share a key: a tile is no larger than the longest of them fill."""
    (launch,) = prefill(step(new=new)).launches
    assert launch.args["QUERIES"] == 32 < prefill(step()).launches[0].args["QUERIES"]
    check(*compile_plan(prefill(step(new=new)), target))


def test_fp8() -> None:
    check(*compile_plan(prefill(step(torch.float8_e4m3fn)), "sm_90"))


def test_on_hopper_whole_warp_groups_multiply() -> None:
    (made,) = compile_plan(prefill(step()), "sm_90")
    assert "wgmma" in made.text


def test_larger_tiles_spill() -> None:
    """What chapter 9 shows: why the sizes are no larger."""
    (made,) = compile_plan(prefill(step(), Sizes(128, 64, 4)), "sm_90")
    assert made.spilled > 0, made

"""The interpreter helper: memory is checked, bfloat16 is right, errors and prints come through, and
nothing stays patched.
"""

import subprocess
import sys
from typing import Any

import pytest
import torch
from helpers.decode import decode_step

from paged_attention.errors import BadTensor
from paged_attention.kernels import launch, reference

triton = pytest.importorskip("triton")
tl: Any = pytest.importorskip("triton.language")
interpreter: Any = pytest.importorskip("paged_attention.kernels.interpreter")
interpreted, OutsideMemory = interpreter.interpreted, interpreter.OutsideMemory


@triton.jit
def double(x):
    return x * 2


@triton.jit
def add_up(x, out, N: tl.constexpr, READ: tl.constexpr):
    i = tl.arange(0, READ)
    tl.store(out + tl.program_id(0), tl.sum(double(tl.load(x + i, mask=i < N, other=0.0)), 0))


@triton.jit
def multiply(a, b, out, N: tl.constexpr):
    i = tl.arange(0, N)
    place = i[:, None] * N + i[None, :]
    tl.store(out + place, tl.dot(tl.load(a + place), tl.load(b + place)))


@triton.jit
def copy_masked(x, out, N: tl.constexpr):
    i = tl.arange(0, 4)
    tl.store(out + i, tl.load(x + i, mask=i < N))


@triton.jit
def failing(x):
    print("sum so far", tl.sum(tl.load(x + tl.arange(0, 4)), 0))
    assert tl.load(x) > 100, "too small"


def test_a_kernel_and_its_helpers_run_as_written() -> None:
    x, out = torch.arange(6.0), torch.zeros(3)
    interpreted(add_up)[(2,)](x, out, N=6, READ=8, num_warps=4)
    assert out.tolist() == [30.0, 30.0, 0.0]


@pytest.mark.parametrize("size", [16, 64])
def test_dot_is_right_for_bfloat16(size: int) -> None:
    """Triton's own interpreter multiplies the bit patterns."""
    a, b = (torch.randn(size, size).bfloat16() for _ in "ab")
    out = torch.empty(size, size)
    interpreted(multiply)[(1,)](a, b, out, N=size)
    torch.testing.assert_close(out, a.float() @ b.float(), atol=1e-4, rtol=1e-4)


@pytest.mark.parametrize("dtype", [torch.float32, torch.float16, torch.bfloat16, torch.int32])
def test_a_masked_lane_without_other_holds_anything(dtype: torch.dtype) -> None:
    """Triton's own interpreter gives 0 there, so that a kernel that reads it looks right."""
    x, out = torch.ones(4, dtype=dtype), torch.zeros(4, dtype=dtype)
    interpreted(copy_masked)[(1,)](x, out, N=2)
    assert out[:2].tolist() == [1, 1]
    worst = out[2:].isnan() if dtype.is_floating_point else out[2:] == torch.iinfo(dtype).max
    assert worst.all()


def test_a_read_outside_every_tensor_is_an_error() -> None:
    x, out = torch.arange(6.0), torch.zeros(1)
    with pytest.raises(OutsideMemory, match=r"program \(0, 0, 0\) reads 2 places .* is element 6"):
        interpreted(add_up)[(1,)](x, out, N=8, READ=8)


def test_a_write_outside_every_tensor_is_an_error() -> None:
    x, out = torch.arange(8.0), torch.zeros(1)
    with pytest.raises(OutsideMemory, match=r"program \(1, 0, 0\) writes 1 places .* from out"):
        interpreted(add_up)[(2,)](x, out, N=8, READ=8)


def test_every_load_can_be_listened_to() -> None:
    x, out, heard = torch.arange(6.0), torch.zeros(3), []
    listening = interpreted(add_up, lambda addresses: heard.append(addresses - x.data_ptr()))
    listening[(2,)](x, out, N=6, READ=8)
    assert [places.tolist() for places in heard] == [[0, 4, 8, 12, 16, 20]] * 2


def test_a_table_entry_that_points_nowhere_is_an_error_and_no_crash() -> None:
    step = decode_step([5])
    step.block_tables[0, 1] = 2**30
    for plan in (launch.naive(step), launch.grouped(step), launch.split(step, 2)):
        with pytest.raises(OutsideMemory, match="reads"):
            plan.run(interpreter.interpret)


def test_an_error_comes_out_as_the_kernel_raised_it(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(AssertionError, match="too small") as caught:
        interpreted(failing)[(1,)](torch.arange(4.0))
    frames = [frame.path.name for frame in caught.traceback if hasattr(frame.path, "name")]
    assert frames[-1] == "test_interpreter.py"
    assert "sum so far [6.]" in capsys.readouterr().out


def test_nothing_stays_patched() -> None:
    # Triton's own undoing writes down, once, a method that `tl.tensor` had inherited.
    interpreted(add_up)[(1,)](torch.arange(6.0), torch.zeros(1), N=6, READ=8)
    before = dict(vars(tl)), dict(vars(tl.core)), dict(vars(tl.tensor)), dict(vars(tl.math))
    builder = dict(vars(interpreter.triton_interpreter.interpreter_builder))
    interpreted(add_up)[(1,)](torch.arange(6.0), torch.zeros(1), N=6, READ=8)
    with pytest.raises(AssertionError):
        interpreted(failing)[(1,)](torch.arange(4.0))
    assert before == (
        dict(vars(tl)),
        dict(vars(tl.core)),
        dict(vars(tl.tensor)),
        dict(vars(tl.math)),
    )
    assert builder.keys() == vars(interpreter.triton_interpreter.interpreter_builder).keys()
    with pytest.raises(RuntimeError, match="outside of the scope of a kernel"):
        double(1)


def test_only_the_cpu_s_memory_is_interpreted() -> None:
    with pytest.raises(BadTensor, match="x is on meta"):
        interpreted(failing)[(1,)](torch.zeros(4, device="meta"))


def test_it_works_when_triton_itself_interprets() -> None:
    code = (
        "from helpers.decode import decode_step, with_triton\n"
        "from paged_attention.kernels import reference\n"
        "step = decode_step([0, 5, 9])\n"
        "for name, kernel in with_triton().items():\n"
        "    assert (kernel(step) - reference.decode(step)).abs().max() < 1e-5, name\n"
    )
    environment = {"PYTHONPATH": "tests", "TRITON_INTERPRET": "1", "PATH": ""}
    subprocess.run([sys.executable, "-c", code], check=True, env=environment, timeout=120)


def test_a_plan_leaves_the_parts_of_every_split() -> None:
    step = decode_step([9, 0], heads=2, kv_heads=1)
    plan = launch.split(step, 3, tile=16)
    out = plan.run(interpreter.interpret)
    part_m, part_l, part_acc = plan.kept
    assert part_m.shape == part_l.shape == (2, 2, 3)
    assert part_m[1].eq(-torch.inf).all()
    assert not part_l[1].any()
    assert not part_acc[1].any()
    torch.testing.assert_close(out.double(), reference.decode(step), atol=1e-5, rtol=1e-5)

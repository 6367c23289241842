"""Arithmetic in the interpreter against PyTorch's: bfloat16 and fp8, casts, tiles of one element,
truth.
"""

import warnings
from collections.abc import Callable
from typing import Any

import pytest
import torch
from torch import Tensor

triton = pytest.importorskip("triton")
tl: Any = pytest.importorskip("triton.language")
interpreter: Any = pytest.importorskip("paged_attention.kernels.interpreter")
interpreted, NotInterpreted = interpreter.interpreted, interpreter.NotInterpreted
OutsideMemory = interpreter.OutsideMemory

BF16, F16, F32 = torch.bfloat16, torch.float16, torch.float32
FP8 = (torch.float8_e4m3fn, torch.float8_e5m2)
LEFT = torch.tensor([2.5, -5.0, 1.0, 3.0, 0.1, 1e30, -0.0, float("inf")])
RIGHT = torch.tensor([2.0, -2.0, 1.5, -1.0, 0.2, 1e30, 4.0, 7.0])


@triton.jit
def add(a, b):
    return a + b


@triton.jit
def subtract(a, b):
    return a - b


@triton.jit
def multiply(a, b):
    return a * b


@triton.jit
def divide(a, b):
    return a / b


@triton.jit
def negative(a, b):
    return -a


@triton.jit
def scaled(a, b):
    return a * 1.5 + 2


@triton.jit
def larger(a, b):
    return tl.maximum(a, b)


@triton.jit
def smaller(a, b):
    return tl.minimum(a, b)


@triton.jit
def size(a, b):
    return tl.abs(a)


@triton.jit
def fused(a, b):
    return tl.fma(a, b, a)


@triton.jit
def chosen(a, b):
    return tl.where(a < b, a, b)


@triton.jit
def less(a, b):
    return (a < b).to(tl.float32)


@triton.jit
def at_least(a, b):
    return (a >= b).to(tl.float32)


@triton.jit
def same(a, b):
    return (a == b).to(tl.bfloat16)


@triton.jit
def clamped(a, b):
    return tl.clamp(a, -1.0, 2.0)


@triton.jit
def exponential(a, b):
    return tl.exp(a.to(tl.float32)).to(a.dtype)


@triton.jit
def elementwise(a, b, out, DO: tl.constexpr, N: tl.constexpr):
    i = tl.arange(0, N)
    tl.store(out + i, DO(tl.load(a + i), tl.load(b + i)))


TORCH: dict[Any, Callable[[Tensor, Tensor], Tensor]] = {
    add: torch.add,
    subtract: torch.sub,
    multiply: torch.mul,
    divide: lambda a, b: a.float() / b.float(),  # Triton divides in float32
    negative: lambda a, b: 0 - a,
    scaled: lambda a, b: a * 1.5 + 2,
    larger: torch.maximum,
    smaller: torch.minimum,
    size: lambda a, b: a.abs(),
    fused: lambda a, b: (a.double() * b.double() + a.double()).to(a.dtype),
    chosen: lambda a, b: torch.where(a < b, a, b),
    less: torch.lt,
    at_least: torch.ge,
    same: torch.eq,
    clamped: lambda a, b: a.clamp(-1.0, 2.0),
    exponential: lambda a, b: a.float().exp().to(a.dtype),
}


@pytest.mark.parametrize("dtype", [BF16, F16, F32], ids=str)
@pytest.mark.parametrize("kernel", TORCH, ids=lambda kernel: kernel.fn.__name__)
def test_elementwise(kernel: Any, dtype: torch.dtype) -> None:
    """triton-lang/triton#10945, #4972: bfloat16 was added as bit patterns."""
    a, b = LEFT.to(dtype), RIGHT.to(dtype)
    right = TORCH[kernel](a, b)
    for kind in (F32, dtype):
        out = torch.zeros(8, dtype=kind)
        interpreted(elementwise)[(1,)](a, b, out, DO=kernel, N=8)
        torch.testing.assert_close(out, right.to(kind), rtol=1e-6, atol=0, equal_nan=True)


def test_a_number_beats_nan_in_minima_and_maxima() -> None:
    a, b = torch.tensor([torch.nan, 1.0]), torch.tensor([2.0, torch.nan])
    for kernel in (larger, smaller):
        out = torch.zeros(2)
        interpreted(elementwise)[(1,)](a, b, out, DO=kernel, N=2)
        assert out.tolist() == [2.0, 1.0]


def test_a_fused_product_neither_overflows_nor_rounds() -> None:
    a, b = torch.tensor([300.0, 1.001]).half(), torch.tensor([300.0, -1.001]).half()
    out = torch.zeros(2).half()
    interpreted(fuse)[(1,)](a, b, torch.tensor([-6e4, 1.0]).half(), out)
    right = a.double() * b.double() + torch.tensor([-6e4, 1.0]).half().double()
    torch.testing.assert_close(out, right.half())


@triton.jit
def fuse(a, b, c, out):
    i = tl.arange(0, 2)
    tl.store(out + i, tl.fma(tl.load(a + i), tl.load(b + i), tl.load(c + i)))


@triton.jit
def reduced(x, out, HOW: tl.constexpr, N: tl.constexpr):
    tl.store(out, HOW(tl.load(x + tl.arange(0, N))))


@triton.jit
def total(x):
    return tl.sum(x, 0)


@triton.jit
def highest(x):
    return tl.max(x, 0)


@triton.jit
def place_of_lowest(x):
    return tl.argmin(x, 0)


@triton.jit
def last_of_running(x):
    return tl.max(tl.cumsum(x, 0), 0)


@triton.jit
def product(x):
    return tl.reduce(x, 0, multiply)


@triton.jit
def own_highest(x):
    return tl.reduce(x, 0, larger)


@pytest.mark.parametrize("dtype", [BF16, F16, F32], ids=str)
@pytest.mark.parametrize("n", [1, 2, 16, 512])
def test_reductions(dtype: torch.dtype, n: int) -> None:
    """A sum of 512 ones, one by one in bfloat16, would stay at 256."""
    x = torch.ones(n, dtype=dtype)
    x[0] = -1
    right = {total: n - 2, highest: max(x).item(), place_of_lowest: 0, product: -1}
    right |= {last_of_running: max(n - 2, -1), own_highest: max(x).item()}
    for how, number in right.items():
        for kind in (F32, dtype):
            out = torch.zeros(1, dtype=kind)
            interpreted(reduced)[(1,)](x, out, HOW=how, N=n)
            assert out.item() == torch.tensor(number).to(dtype).to(kind).item(), how.fn.__name__


@triton.jit
def convert(x, out, THROUGH: tl.constexpr, N: tl.constexpr):
    i = tl.arange(0, N)
    tl.store(out + i, tl.load(x + i).to(THROUGH).to(out.dtype.element_ty))


NUMBERS = torch.cat([torch.randn(400) * 10.0 ** torch.randint(-9, 9, (400,)), torch.zeros(3), LEFT])
NUMBERS = torch.cat([NUMBERS, torch.tensor([torch.nan, -torch.inf, 448.0, 464.0, 1e9, 0.017])])
NUMBERS = torch.cat([NUMBERS, torch.arange(512 - len(NUMBERS)) / 16])


@pytest.mark.parametrize(("name", "dtype"), [("bfloat16", BF16), ("float16", F16)])
@pytest.mark.parametrize("source", [torch.float64, F32, F16, BF16, torch.int32], ids=str)
def test_casts(name: str, dtype: torch.dtype, source: torch.dtype) -> None:
    """To the nearest, ties to even; Triton's interpreter cuts bfloat16 off."""
    numbers = torch.arange(-256, 256) * 1_000_003 if source == torch.int32 else NUMBERS
    x, out = numbers.to(source), torch.zeros(512)
    interpreted(convert)[(1,)](x, out, THROUGH=getattr(tl, name), N=512)
    torch.testing.assert_close(out, x.to(dtype).float(), rtol=0, atol=0, equal_nan=True)


@pytest.mark.parametrize(("name", "dtype"), [("float8e4nv", FP8[0]), ("float8e5", FP8[1])])
@pytest.mark.parametrize("source", [F32, F16, BF16], ids=str)
def test_casts_to_fp8(name: str, dtype: torch.dtype, source: torch.dtype) -> None:
    """To the nearest, ties to even; too large numbers become the largest, as GPUs convert them."""
    x, out = NUMBERS.to(source), torch.zeros(512)
    interpreted(convert)[(1,)](x, out, THROUGH=getattr(tl, name), N=512)
    largest = torch.finfo(dtype).max
    right = x.float().clamp(-largest, largest).to(dtype).float()
    torch.testing.assert_close(out, right, rtol=0, atol=0, equal_nan=True)


@pytest.mark.parametrize("dtype", FP8, ids=str)
@pytest.mark.parametrize("wide", [F32, F16, BF16, torch.float64], ids=str)
def test_every_fp8_number_is_read_right(dtype: torch.dtype, wide: torch.dtype) -> None:
    x, out = torch.arange(256).to(torch.uint8).view(dtype), torch.zeros(256, dtype=wide)
    interpreted(convert)[(1,)](x, out, THROUGH=tl.float32, N=256)
    torch.testing.assert_close(out, x.to(wide), rtol=0, atol=0, equal_nan=True)


@triton.jit
def toward_zero(x, out, INTO: tl.constexpr):
    i = tl.arange(0, 4)
    tl.store(out + i, tl.load(x + i).to(INTO, fp_downcast_rounding="rtz").to(tl.float32))


@pytest.mark.parametrize("name", ["bfloat16", "float16", "float8e4nv", "float8e5"])
def test_a_cast_toward_zero_never_leads_away_from_it(name: str) -> None:
    x, out = torch.tensor([1.999, -1.999, 1e9, 0.1]), torch.zeros(4)
    interpreted(toward_zero)[(1,)](x, out, INTO=getattr(tl, name))
    assert (out.abs() <= x.abs()).all()
    assert 1.7 < out[0] == -out[1] < 2


@triton.jit
def add_fp8(a, b, out):
    tl.store(out, (tl.load(a) + tl.load(b)).to(tl.float32))


@triton.jit
def compare_fp8(a, b, out):
    tl.store(out, (tl.load(a) < tl.load(b)).to(tl.float32))


@triton.jit
def sum_fp8(a, b, out):
    tl.store(out, tl.sum(tl.load(a + tl.arange(0, 4)), 0).to(tl.float32))


@pytest.mark.parametrize("kernel", [add_fp8, compare_fp8, sum_fp8])
@pytest.mark.parametrize("dtype", FP8, ids=str)
def test_arithmetic_on_fp8_is_refused(kernel: Any, dtype: torch.dtype) -> None:
    x = torch.ones(4).to(dtype)
    with pytest.raises(NotInterpreted, match="convert it first"):
        interpreted(kernel)[(1,)](x, x, torch.zeros(1))


@triton.jit
def constants(out, KIND: tl.constexpr):
    i = tl.arange(0, 4)
    tl.store(out + i, tl.full([4], 1.5, KIND).to(tl.float32))


@pytest.mark.parametrize("name", ["bfloat16", "float16", "float32", "float8e4nv", "float8e5"])
def test_constants(name: str) -> None:
    out = torch.zeros(4)
    interpreted(constants)[(1,)](out, KIND=getattr(tl, name))
    assert out.tolist() == [1.5] * 4


@triton.jit
def scaled_scores(q, k, out, N: tl.constexpr):
    i = tl.arange(0, N)
    place = i[:, None] * N + i[None, :]
    query = tl.load(q + place) * 0.125
    tl.store(out + place, tl.dot(query, tl.trans(tl.load(k + place))))


@pytest.mark.parametrize("dtype", [BF16, F16, F32], ids=str)
def test_a_query_scaled_before_the_dot(dtype: torch.dtype) -> None:
    q, k, out = torch.randn(16, 16).to(dtype), torch.randn(16, 16).to(dtype), torch.zeros(16, 16)
    interpreted(scaled_scores)[(1,)](q, k, out, N=16)
    torch.testing.assert_close(out, (q * 0.125).float() @ k.float().T)


@triton.jit
def dot_of_fp8(a, b, out, N: tl.constexpr):
    i = tl.arange(0, N)
    place = i[:, None] * N + i[None, :]
    tl.store(out + place, tl.dot(tl.load(a + place), tl.load(b + place)))


@pytest.mark.parametrize("dtype", FP8, ids=str)
def test_dot_of_fp8(dtype: torch.dtype) -> None:
    a, b, out = torch.randn(16, 16).to(dtype), torch.randn(16, 16).to(dtype), torch.zeros(16, 16)
    a.view(torch.uint8)[0, 0] = 0x7F  # NaN in both types; Triton's interpreter reads 480 in e4m3
    interpreted(dot_of_fp8)[(1,)](a, b, out, N=16)
    torch.testing.assert_close(out, a.float() @ b.float(), equal_nan=True)


@triton.jit
def tile(x, out, n, OTHER: tl.constexpr, W: tl.constexpr):
    i = tl.arange(0, W)
    tl.store(out + i, tl.load(x + i, mask=i < n, other=OTHER))


@triton.jit
def scalar(x, out, n, OTHER: tl.constexpr):
    tl.store(out, tl.load(x + n, mask=n < 1, other=OTHER))


@triton.jit
def square(x, out, n, OTHER: tl.constexpr):
    i = tl.arange(0, 1)
    place = i[:, None] + i[None, :]
    tl.store(out + place, tl.load(x + place, mask=(i < n)[:, None], other=OTHER))


@pytest.mark.parametrize("other", [0, 0.0, 5, -1])
@pytest.mark.parametrize("dtype", [F32, F16, BF16, torch.int32, torch.int64], ids=str)
def test_other_fills_a_masked_tile_of_any_width(dtype: torch.dtype, other: float) -> None:
    x = torch.full((4,), 3, dtype=dtype)
    for width in (1, 2, 4):
        for n in range(width + 1):
            out = torch.full((width,), 7, dtype=dtype)
            interpreted(tile)[(1,)](x, out, n, OTHER=other, W=width)
            assert out.tolist() == [3] * n + [other] * (width - n)
    for kernel in (scalar, square):
        out = torch.full((1,), 7, dtype=dtype)
        interpreted(kernel)[(1,)](x, out, 1 if kernel is scalar else 0, OTHER=other)
        assert out.tolist() == [other]


@triton.jit
def store_masked(out, n, W: tl.constexpr):
    i = tl.arange(0, W)
    tl.store(out + i, tl.full([W], 1.0, tl.float32), mask=i < n)


@pytest.mark.parametrize("n", [0, 1])
def test_a_masked_store_of_one(n: int) -> None:
    out = torch.zeros(1)
    interpreted(store_masked)[(1,)](out, n, W=1)
    assert out.item() == n


@triton.jit
def with_and(x, out, W: tl.constexpr):
    i = tl.arange(0, W)
    tl.store(out + i, tl.load(x + i, mask=(i < 2) and (i > 0), other=0.0))


@triton.jit
def with_not(x, out, W: tl.constexpr):
    i = tl.arange(0, W)
    tl.store(out + i, tl.load(x + i, mask=not (i < 2), other=0.0))


@triton.jit
def with_chain(x, out, W: tl.constexpr):
    i = tl.arange(0, W)
    tl.store(out + i, tl.load(x + i, mask=0 < i < 2, other=0.0))


@triton.jit
def with_if(x, out, W: tl.constexpr):
    i = tl.arange(0, W)
    if i < 2:
        tl.store(out + i, tl.load(x + i))


@pytest.mark.parametrize("kernel", [with_and, with_not, with_chain, with_if])
def test_a_tile_has_no_truth_value(kernel: Any) -> None:
    """Python's ``and`` would silently return the second mask."""
    with pytest.raises(NotInterpreted, match="4 elements has no truth value: write &"):
        interpreted(kernel)[(1,)](torch.ones(4), torch.zeros(4), W=4)


@triton.jit
def count(x, n):
    tl.atomic_add(x + n, 1)


def test_an_atomic_update_is_checked_too() -> None:
    x = torch.zeros(2, dtype=torch.int32)
    interpreted(count)[(3,)](x, 1)
    assert x.tolist() == [0, 3]
    with pytest.raises(OutsideMemory, match="updates 1 places"):
        interpreted(count)[(1,)](x, 2)
    with pytest.raises(NotInterpreted, match="atomic operations on bf16"):
        interpreted(count)[(1,)](torch.zeros(2).bfloat16(), 0)


@triton.jit
def block_pointer(x, out, n, PADDING: tl.constexpr):
    block = tl.make_block_ptr(x, (n,), (1,), (0,), (4,), (0,))
    i = tl.arange(0, 4)
    tl.store(out + i, tl.load(block, boundary_check=(0,), padding_option=PADDING))


def test_block_pointers_pad_as_asked() -> None:
    out = torch.ones(4)
    interpreted(block_pointer)[(1,)](torch.ones(2), out, 2, PADDING="zero")
    assert out.tolist() == [1, 1, 0, 0]
    interpreted(block_pointer)[(1,)](torch.ones(2), out, 2, PADDING="nan")
    assert out.isnan().tolist() == [False, False, True, True]
    with pytest.raises(NotInterpreted, match="padding bf16 with NaN"):
        interpreted(block_pointer)[(1,)](torch.ones(2).bfloat16(), out, 2, PADDING="nan")


def test_a_kernel_warns_of_no_number() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        interpreted(reduced)[(1,)](torch.full((4,), torch.nan), torch.zeros(1), HOW=highest, N=4)

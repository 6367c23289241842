"""A few tokens' linear layer: right in any shape, the same in any company, else PyTorch's."""

from collections.abc import Iterator
from pathlib import Path

import pytest
import torch
import torch.nn.functional as F
from hypothesis import given, settings
from hypothesis import strategies as st
from torch import Tensor

from paged_attention.kernels import cpu
from paged_attention.kernels import linear as module
from paged_attention.kernels.linear import MOST_ROWS, library, linear, which_linear
from paged_attention.model import tiny_model

needs_kernel = pytest.mark.skipif(
    library(torch.float32) is None, reason="no C++ compiler with OpenMP here"
)


def drawn(*shape: int, dtype: torch.dtype = torch.float32, seed: int = 0) -> Tensor:
    return torch.randn(shape, generator=torch.Generator().manual_seed(seed)).to(dtype)


@pytest.fixture
def no_compiler(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[None]:
    """A machine without a compiler and without libraries that an earlier run has left."""
    monkeypatch.setenv("PAGED_ATTENTION_CACHE", str(tmp_path))
    monkeypatch.setenv("PATH", "")
    monkeypatch.delenv("CXX", raising=False)
    for function in (library, cpu.find_compiler):
        function.cache_clear()
    yield
    for function in (library, cpu.find_compiler):
        function.cache_clear()


@pytest.fixture
def fallen_back(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Whom ``linear`` has called."""
    calls: list[str] = []

    def noted(*args: Tensor | None) -> Tensor:
        calls.append("PyTorch")
        return F.linear(*args)

    monkeypatch.setattr(module, "pytorch_linear", noted)
    return calls


@needs_kernel
@settings(max_examples=40)
@given(
    rows=st.integers(1, max(MOST_ROWS.values())),
    size=st.sampled_from([1, 7, 31, 32, 33, 48, 100, 160]),
    out=st.integers(1, 30),
    dtype=st.sampled_from([torch.float32, torch.bfloat16]),
    bias=st.booleans(),
)
def test_any_shape(rows: int, size: int, out: int, dtype: torch.dtype, bias: bool) -> None:
    x, weight = drawn(rows, size, dtype=dtype), drawn(out, size, dtype=dtype, seed=1)
    b = drawn(out, dtype=dtype, seed=2) if bias else None
    right = F.linear(x.double(), weight.double(), None if b is None else b.double())
    near = 1e-5 if dtype == torch.float32 else 1e-2
    found = linear(x, weight, b)
    assert found.dtype == dtype
    torch.testing.assert_close(found.double(), right, atol=near * size**0.5, rtol=near)


@needs_kernel
@pytest.mark.parametrize("dtype", list(MOST_ROWS))
@pytest.mark.parametrize("size", [96, 100])
def test_a_token_s_result_is_its_own(dtype: torch.dtype, size: int) -> None:
    """Whoever else is in the step, and with any number of threads: to the last digit."""
    most = MOST_ROWS[dtype]
    x, weight = drawn(most, size, dtype=dtype), drawn(403, size, dtype=dtype, seed=1)
    alone = torch.stack([linear(row, weight) for row in x])
    before = torch.get_num_threads()
    try:
        for threads in (1, 3):
            torch.set_num_threads(threads)
            for rows in range(1, most + 1):
                assert torch.equal(linear(x[:rows], weight), alone[:rows]), (threads, rows)
    finally:
        torch.set_num_threads(before)


@needs_kernel
def test_leading_dimensions_and_gaps_in_the_tokens() -> None:
    weight = drawn(12, 40, seed=1)
    for x in (drawn(40), drawn(2, 3, 40), drawn(40, 5).T, drawn(2, 4, 3, 40)[:, 1, :, :]):
        torch.testing.assert_close(linear(x, weight), F.linear(x, weight), atol=1e-5, rtol=1e-5)
    part = drawn(13, 41)[1:, 1:]  # weights with gaps are PyTorch's
    torch.testing.assert_close(linear(drawn(2, 40), part), F.linear(drawn(2, 40), part))


@needs_kernel
@pytest.mark.parametrize("dtype", list(MOST_ROWS))
@pytest.mark.parametrize("rows", [1, 6])
def test_nan_and_infinity_go_where_they_must(dtype: torch.dtype, rows: int) -> None:
    for number in (torch.nan, torch.inf, -torch.inf):
        x, weight = torch.ones(rows, 70, dtype=dtype), torch.ones(9, 70, dtype=dtype)
        x[-1, 69], weight[2, 33] = number, number
        right = F.linear(x.double(), weight.double()).to(dtype)
        assert torch.equal(
            linear(x, weight).nan_to_num(5e9, 6e9, 7e9), right.nan_to_num(5e9, 6e9, 7e9)
        )


@needs_kernel
def test_what_is_not_ours_goes_to_pytorch(fallen_back: list[str]) -> None:
    weight = drawn(6, 4, seed=1)
    most = MOST_ROWS[torch.float32]
    linear(drawn(most, 4), weight)
    assert fallen_back == []
    for x, w in (
        (drawn(most + 1, 4), weight),
        (drawn(0, 4), weight),
        (drawn(2, 4).double(), weight.double()),
        (drawn(2, 4, dtype=torch.float16), weight.half()),
        (drawn(2, 4).to("meta"), weight.to("meta")),
    ):
        assert linear(x, w).shape == (len(x), 6)
    assert len(fallen_back) == 5


@needs_kernel
@pytest.mark.parametrize("leaf", ["x", "weight", "bias"])
def test_gradients_are_kept(leaf: str) -> None:
    tensors = {"x": drawn(2, 4), "weight": drawn(6, 4, seed=1), "bias": drawn(6, seed=2)}
    tensors[leaf].requires_grad_()
    linear(**tensors).sum().backward()
    assert tensors[leaf].grad is not None
    with torch.no_grad():
        assert not linear(**tensors).requires_grad


def test_errors_are_pytorch_s() -> None:
    for x, weight, bias in (
        (drawn(2, 5), drawn(6, 4), None),
        (drawn(2, 4, dtype=torch.bfloat16), drawn(6, 4), None),
        (drawn(2, 4), drawn(6, 4), drawn(5)),
    ):
        with pytest.raises(RuntimeError):
            linear(x, weight, bias)


@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize("shape", [(40,), (1, 40), (3, 1, 40), (9, 40)])
def test_without_a_compiler_threads_share_the_outputs(
    no_compiler: None, threads: int, shape: tuple[int, ...]
) -> None:
    x, weight, bias = drawn(*shape), drawn(12, 40, seed=1), drawn(12, seed=2)
    before = torch.get_num_threads()
    try:
        torch.set_num_threads(threads)
        assert "no C++ compiler" in which_linear(torch.float32)
        for b in (None, bias):
            found = linear(x, weight, b)
            torch.testing.assert_close(found, F.linear(x, weight, b), atol=1e-5, rtol=1e-5)
        odd = drawn(13, 40)  # outputs that two threads can't share evenly
        torch.testing.assert_close(linear(x, odd), F.linear(x, odd), atol=1e-5, rtol=1e-5)
    finally:
        torch.set_num_threads(before)


@needs_kernel
def test_it_says_what_multiplies() -> None:
    assert which_linear(torch.float32).startswith(f"C++ up to {MOST_ROWS[torch.float32]} tokens, ")
    assert which_linear(torch.float16) == "PyTorch's linear: there is no kernel for torch.float16"


def test_a_decoder_can_be_given_another_product() -> None:
    decoder, calls = tiny_model().decoder, []

    def counted(x: Tensor, weight: Tensor, bias: Tensor | None) -> Tensor:
        calls.append(weight.shape)
        return F.linear(x, weight, bias)

    decoder.multiply_with(counted)
    decoder.lm_head(drawn(1, 96))
    decoder.layers[0].mlp(drawn(1, 1, 96))
    assert len(calls) == 4
    assert tiny_model().decoder.lm_head.product is linear

"""Norms and rotations of a few tokens: what PyTorch's operations give, in any form of memory."""

import pytest
import torch
import torch.nn.functional as F
from torch import Tensor

from paged_attention.kernels import between as module
from paged_attention.kernels.between import MOST_NUMBERS, TYPES, library, rms_norm, rotate
from paged_attention.model.config import ModelConfig
from paged_attention.model.decoder import rope_frequencies, rope_tables

needs_kernel = pytest.mark.skipif(library(torch.float32) is None, reason="no C++ compiler here")
NEAR = {torch.float32: 1e-6, torch.bfloat16: 8e-3}


def drawn(*shape: int, dtype: torch.dtype = torch.float32, seed: int = 0) -> Tensor:
    return torch.randn(shape, generator=torch.Generator().manual_seed(seed)).to(dtype)


def tables(positions: Tensor, dtype: torch.dtype) -> tuple[Tensor, Tensor]:
    config = ModelConfig(32, 16, 16, 1, 2, 1, 8, max_positions=64)
    return rope_tables(rope_frequencies(config), positions, dtype)


def turned(x: Tensor, cos: Tensor, sin: Tensor) -> Tensor:
    """Pair by pair, in float64."""
    first, second = x.double().chunk(2, dim=-1)
    c, s = cos.double()[..., :4], sin.double()[..., 4:]
    return torch.cat([first * c - second * s, second * c + first * s], dim=-1)


@pytest.mark.parametrize("dtype", TYPES)
@pytest.mark.parametrize("shape", [(1,), (3, 1, 576), (2, 5, 3, 17), (0, 4)])
def test_norms(dtype: torch.dtype, shape: tuple[int, ...]) -> None:
    x, weight = drawn(*shape, dtype=dtype), drawn(shape[-1], dtype=dtype, seed=1)
    for given in (x, x.transpose(0, -2).contiguous().transpose(0, -2) if x.dim() > 1 else x):
        right = F.rms_norm(given.double(), weight.shape, weight.double(), 1e-5)
        found = rms_norm(given, weight, 1e-5)
        assert found.dtype == dtype
        torch.testing.assert_close(found.double(), right, atol=NEAR[dtype], rtol=NEAR[dtype])


@pytest.mark.parametrize("dtype", TYPES)
@pytest.mark.parametrize("compiled", [True, False])
@pytest.mark.parametrize("each", [True, False])
def test_rotations(
    dtype: torch.dtype, compiled: bool, each: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    if not compiled:
        monkeypatch.setattr(module, "library", lambda _: None)
    positions = torch.tensor([[3, 4], [0, 1], [60, 61]]) if each else torch.tensor([7, 9])
    cos, sin = tables(positions, dtype)
    lies = drawn(3, 2, 5, 8, dtype=dtype)  # token by token, as a model's queries do
    for x in (lies.transpose(1, 2), lies.transpose(1, 2).contiguous()):
        found = rotate(x, cos, sin)
        assert found.shape == x.shape
        near = NEAR[dtype] * (1 if compiled else 4)  # PyTorch rounds in between
        torch.testing.assert_close(found.double(), turned(x, cos, sin), atol=near, rtol=near)


@needs_kernel
def test_nan_and_infinity_stay() -> None:
    x = torch.ones(2, 4)
    x[0, 1] = torch.nan
    assert rms_norm(x, torch.ones(4), 1e-5).isnan().tolist() == [[True] * 4, [False] * 4]
    x = torch.ones(1, 1, 2, 8)
    x[0, 0, 1, 2] = torch.inf
    out = rotate(x, *tables(torch.tensor([1, 2]), torch.float32))
    assert out[0, 0, 0].isfinite().all()
    assert out[0, 0, 1].isinf().tolist() == [False, False, True, False] * 2


@needs_kernel
def test_what_is_not_ours_goes_to_pytorch(monkeypatch: pytest.MonkeyPatch) -> None:
    weight, grown = torch.ones(4), torch.ones(4, requires_grad=True)
    rms_norm(drawn(2, 4), grown, 1e-5).sum().backward()
    assert grown.grad is not None
    calls = []
    monkeypatch.setattr(module, "library", lambda dtype: calls.append(dtype))
    rms_norm(drawn(2, 4).double(), weight.double(), 1e-5)
    rms_norm(drawn(MOST_NUMBERS // 4 + 1, 4), weight, 1e-5)
    rms_norm(drawn(2, 4), torch.ones(8)[::2], 1e-5)
    rms_norm(drawn(2, 4).to("meta"), weight.to("meta"), 1e-5)
    assert calls == []
    rms_norm(drawn(2, 4), weight, 1e-5)
    assert calls == [torch.float32]
    with pytest.raises(RuntimeError):
        rms_norm(drawn(2, 4), torch.ones(5), 1e-5)

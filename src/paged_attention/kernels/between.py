"""What a decoder does with tokens between its products: ``between.cpp`` for a few on a CPU, else
PyTorch's operations.
"""

import ctypes
from functools import cache
from pathlib import Path
from typing import NamedTuple

import torch
import torch.nn.functional as F
from torch import Tensor

from paged_attention.errors import KernelNotBuilt
from paged_attention.kernels import cpu

SOURCE = Path(__file__).with_name("between.cpp")
MOST_NUMBERS = 32_768  # with more, beginning an operation is a small part of it
TYPES = (torch.float32, torch.bfloat16)
_POINTERS, _INT = [ctypes.c_void_p], ctypes.c_int64


class Library(NamedTuple):
    """The compiled functions for one type."""

    rms_norm: cpu.Library
    rotate: cpu.Library


def rms_norm(x: Tensor, weight: Tensor, eps: float) -> Tensor:
    """``x`` [..., size] to a root mean square of one, times ``weight`` [size].

    Squares are summed in float32, whatever the type.
    """
    run = _library_for(x, weight)
    if run is None or weight.shape != x.shape[-1:]:
        return F.rms_norm(x, weight.shape, weight, eps)
    x = x.contiguous()
    y, size = torch.empty_like(x), x.shape[-1]
    run.rms_norm(
        x.data_ptr(), weight.data_ptr(), y.data_ptr(), x.numel() // max(size, 1), size, eps
    )
    return y


def rotate(x: Tensor, cos: Tensor, sin: Tensor) -> Tensor:
    """Turn each pair (i, i + D/2) of ``x`` [B, H, T, D] by its token's angle.

    ``cos``, ``sin`` [1 or B, 1, T, D]; the first half of the sines is negative.
    """
    batch, heads, tokens, size = x.shape
    run = _library_for(x, cos, sin) if x.stride(3) == 1 else None
    if run is None or cos.shape != sin.shape or cos.shape[1:] != (1, tokens, size):
        other = x.roll(size // 2, dims=-1)  # each number's partner in its pair
        return torch.addcmul(x * cos, other, sin)
    y = x.new_empty(batch, tokens, heads, size)
    run.rotate(
        x.data_ptr(),
        cos.data_ptr(),
        sin.data_ptr(),
        y.data_ptr(),
        batch,
        heads,
        tokens,
        size // 2,
        *x.stride()[:3],
        tokens * size if len(cos) > 1 else 0,
    )
    return y.transpose(1, 2)


def _library_for(x: Tensor, *others: Tensor) -> Library | None:
    """The functions for these tensors, ``others`` without gaps, or ``None``: they are PyTorch's."""
    if not (x.is_cpu and x.dtype in TYPES and x.numel() <= MOST_NUMBERS):
        return None
    for other in others:
        if other.dtype != x.dtype or not (other.is_cpu and other.is_contiguous()):
            return None
    if torch.is_grad_enabled() and any(tensor.requires_grad for tensor in (x, *others)):
        return None
    return library(x.dtype)


@cache
def library(dtype: torch.dtype) -> Library | None:
    """The compiled functions for tokens of this type; ``None`` where they can't be built."""
    try:
        path = cpu.build_source(SOURCE, [f"-DNUMBER={cpu.KV_TYPES[dtype]}"])
        norm = cpu.load(path, "rms_norm", [*_POINTERS * 3, _INT, _INT, ctypes.c_float])
        return Library(norm, cpu.load(path, "rotate", [*_POINTERS * 4, *[_INT] * 8]))
    except KernelNotBuilt:
        return None

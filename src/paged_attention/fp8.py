"""Keys and values in a byte each: fp8 pools, and the scale that a stored number counts.

A number x is stored as the fp8 number nearest to x / scale, and read as that times scale. What is
too large becomes the largest there is, not NaN: one outlier must not spoil a row.
"""

import math

import torch
from torch import Tensor

from paged_attention.kernels.inputs import FP8_TYPES, POOL_TYPES


def check_stored_type(dtype: torch.dtype, k_scale: float, v_scale: float) -> None:
    """Raise ``ValueError`` unless pools can be of ``dtype``, with these scales."""
    if dtype not in POOL_TYPES:
        names = ", ".join(str(kind).removeprefix("torch.") for kind in POOL_TYPES)
        raise ValueError(f"keys and values can't be stored as {dtype}; choose one of {names}")
    for name, scale in (("k_scale", k_scale), ("v_scale", v_scale)):
        if not (math.isfinite(scale) and scale > 0):
            raise ValueError(f"{name} is {scale}; it must be finite and above 0")
        if scale != 1 and dtype not in FP8_TYPES:
            raise ValueError(
                f"{name} is {scale}, but {dtype} holds numbers as they are: scales are for fp8"
            )


def is_fp8(dtype: torch.dtype) -> bool:
    """Whether numbers of this type take a byte, and a scale."""
    return dtype in FP8_TYPES


def stored(x: Tensor, scale: float, dtype: torch.dtype) -> Tensor:
    """``x`` as numbers of ``dtype``; fp8 ones are to be read ``scale`` times. NaN stays NaN."""
    if not is_fp8(dtype):
        return x
    largest = torch.finfo(dtype).max
    return (x.float() / scale).clamp(-largest, largest).to(dtype)


def restored(x: Tensor, scale: float, dtype: torch.dtype) -> Tensor:
    """The numbers that fp8 numbers ``x`` stand for, as ``dtype``; of other types ``x`` itself."""
    return x if not is_fp8(x.dtype) else (x.float() * scale).to(dtype)

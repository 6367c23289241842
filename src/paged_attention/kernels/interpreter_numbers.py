"""Right numbers where Triton 3.7's interpreter is silently wrong: bfloat16, fp8, casts, minima.

NumPy has no bfloat16 and no fp8, so Triton keeps their bit patterns in whole numbers, and adds,
compares and sums those as they are. Here every operation on bfloat16 widens to float32, computes,
and rounds once to the nearest, as a GPU does. Fp8 can be loaded, stored, converted and multiplied
by ``tl.dot``; arithmetic on it is refused, as no GPU has it. A sum of bfloat16 is rounded at its
end, where a GPU rounds at every step, in an order of its own.
"""

from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import numpy as np
import torch
import triton.language as tl
from triton._C.libtriton import ir
from triton.runtime import interpreter as triton_interpreter

from paged_attention.errors import PagedAttentionError

Handle = triton_interpreter.TensorHandle

FP8 = {
    tl.float8e4nv: torch.float8_e4m3fn,
    tl.float8e5: torch.float8_e5m2,
    tl.float8e4b8: torch.float8_e4m3fnuz,
    tl.float8e5b16: torch.float8_e5m2fnuz,
}


class NotInterpreted(PagedAttentionError, TypeError):
    """A kernel does what the interpreter can't do rightly; the kernel may be right on a GPU."""


def right_numbers(builder: Any) -> dict[str, Callable[..., Any]]:
    """Methods of Triton's builder, by name, that compute with the numbers that bits stand for."""
    return {
        "get_bf16": lambda value: narrowed(np.array([value], np.float64), tl.bfloat16),
        "binary_op": _elementwise(builder.binary_op),
        "ternary_op": _elementwise(builder.ternary_op),
        "unary_op": _elementwise(builder.unary_op),
        "create_minnumf": lambda a, b: builder.binary_op(a, b, np.fmin),  # a number beats NaN
        "create_maxnumf": lambda a, b: builder.binary_op(a, b, np.fmax),
        "create_fma": _fused,
        "create_dot": _wide_dot(builder.create_dot),
        "cast_impl": _cast,
        "create_fp_to_fp": _cast,
    }


def is_bits(dtype: Any) -> bool:
    """Whether arrays of this type hold bit patterns, which NumPy must not compute with."""
    return bool(dtype.scalar == tl.bfloat16 or dtype.scalar.is_fp8())


def widened(handle: Any) -> Any:
    """The same numbers as float32, which holds each of them; other types come back as they are."""
    kind = handle.dtype.scalar
    if kind == tl.bfloat16:
        bits = handle.data.astype(np.uint32) << 16
        return Handle(bits.view(np.float32), tl.float32)
    if kind.is_fp8():
        bytes_ = torch.from_numpy(np.array(handle.data, np.uint8))
        return Handle(bytes_.view(_torch_type(kind)).float().numpy(), tl.float32)
    return handle


def narrowed(data: Any, dtype: Any, toward_zero: bool = False) -> Any:
    """Numbers as ``dtype``, to the nearest, ties to even. What is too large becomes infinite, in
    fp8 the largest number, as GPUs convert it.
    """
    kind = dtype.scalar
    if not (is_bits(kind) or (toward_zero and kind == tl.float16)):
        return Handle(data.astype(triton_interpreter._get_np_dtype(kind)), kind)
    wide = torch.from_numpy(np.array(data, np.float32))
    if kind.is_fp8():
        largest = torch.finfo(_torch_type(kind)).max
        bits = wide.clamp(-largest, largest).to(_torch_type(kind)).view(torch.uint8).numpy()
    else:
        small = torch.bfloat16 if kind == tl.bfloat16 else torch.float16
        bits = wide.to(small).view(torch.int16).numpy().view(np.uint16)
    if toward_zero:  # in sign and magnitude, one less is one step nearer to zero
        away = np.abs(widened(_of_bits(bits, kind)).data) > np.abs(wide.numpy())
        bits = bits - away.astype(bits.dtype)
    return _of_bits(bits, kind)


def _of_bits(bits: Any, kind: Any) -> Any:
    return Handle(bits.view(triton_interpreter._get_np_dtype(kind)), kind)


def _torch_type(kind: Any) -> torch.dtype:
    if kind not in FP8:
        raise NotInterpreted(f"{kind} can't be interpreted: PyTorch has no such type to convert it")
    return FP8[kind]


def _elementwise(plain: Callable[..., Any]) -> Callable[..., Any]:
    """``plain(handles …, op)``, widened where a handle holds bits. To choose is no arithmetic."""

    def compute(*given: Any) -> Any:
        *handles, op = given
        if op is np.where or not any(is_bits(handle.dtype) for handle in handles):
            return _named(plain(*given))
        for handle in handles:
            if handle.dtype.scalar.is_fp8():
                raise NotInterpreted(
                    f"{handle.dtype.scalar} has no arithmetic and no comparison: convert it first, "
                    "for example with .to(tl.float32)"
                )
        data = op(*(widened(handle).data for handle in handles))
        return _named(Handle(data, tl.int1) if data.dtype == bool else narrowed(data, tl.bfloat16))

    return compute


def _named(handle: Any) -> Any:
    """A comparison by its own type: Triton leaves it that of what was compared."""
    if handle.data.dtype == bool:
        handle.dtype = tl.int1
    return handle


def _fused(x: Any, y: Any, z: Any) -> Any:
    """``x * y + z`` rounded once: the product must not overflow or be rounded on the way."""
    kind = z.dtype.scalar
    x, y, z = (widened(one).data for one in (x, y, z))
    if kind.is_floating():
        x, y, z = (one.astype(np.float64) for one in (x, y, z))
    return narrowed(x * y + z, kind)


def _wide_dot(plain: Callable[..., Any]) -> Callable[..., Any]:
    def create_dot(a: Any, b: Any, *rest: Any) -> Any:
        return plain(widened(a), widened(b), *rest)

    return create_dot


def _cast(source: Any, target: Any, rounding: Any = None) -> Any:
    return narrowed(widened(source).data, target, rounding == ir.ROUNDING_MODE.RTZ)


def reduced_wide(method: Callable[..., Any]) -> Callable[..., Any]:
    """``sum``, ``cumsum`` and others of a tile of bits, computed in float32, rounded at the end."""

    def reduce(self: Any, given: Any, *rest: Any, **more: Any) -> Any:
        tile = given[0] if isinstance(given, tuple) else given
        kind = tile.dtype.scalar
        if not is_bits(kind):
            return method(self, given, *rest, **more)
        if kind.is_fp8():
            raise NotInterpreted(f"{kind} has no sum and no maximum: convert it first")
        got = method(self, self.to_tensor(widened(tile.handle).data, tl.float32), *rest, **more)
        several = isinstance(got, (tuple, list))
        back = [_back(self, one, kind) for one in (got if several else [got])]
        return type(got)(back) if several else back[0]

    return reduce


def _back(self: Any, tensor: Any, kind: Any) -> Any:
    """A result in the type of the tile it came from; indices stay whole numbers."""
    if tensor.dtype.scalar != tl.float32:
        return tensor
    data = narrowed(tensor.handle.data, kind).data
    return self.to_tensor(data if tensor.type.is_block() else data[0], kind)


def combined_as_given(method: Callable[..., Any]) -> Callable[..., Any]:
    """``generic_reduce`` and ``generic_scan`` with each step's result in the type of the tiles:
    ``tl.maximum`` of bfloat16 is float32, which would be stored as if it were bits.
    """

    def reduce(self: Any, given: Any) -> Any:
        combine, kinds = self.combine_fn, [tile.dtype for tile in given]

        def once(*pairs: Any) -> Any:
            got = combine.fn(*pairs)
            several = got if isinstance(got, tuple) else (got,)
            cast = triton_interpreter.interpreter_semantic.cast
            return tuple(
                cast(one, kind) if isinstance(one, tl.tensor) else one
                for one, kind in zip(several, kinds, strict=True)
            )

        self.combine_fn = SimpleNamespace(fn=once)
        return method(self, given)

    return reduce

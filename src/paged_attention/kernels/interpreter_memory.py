"""Every address that an interpreted kernel reads, writes or updates, checked against the tensors it
was given: a GPU would follow it anywhere.
"""

from collections.abc import Callable
from typing import Any

import numpy as np
import torch
import triton.language as tl
from numpy.typing import NDArray
from triton._C.libtriton import ir
from triton.runtime import interpreter as triton_interpreter

from paged_attention.errors import PagedAttentionError
from paged_attention.kernels.interpreter_numbers import NotInterpreted, is_bits


class OutsideMemory(PagedAttentionError, IndexError):
    """A kernel computed an address that lies in none of the tensors it was given."""


OnLoad = Callable[[NDArray[np.uint64]], None]


def checked_memory(
    builder: Any, given: dict[str, Any], on_load: OnLoad | None = None
) -> dict[str, Callable[..., Any]]:
    """The builder's ways to memory, which refuse addresses outside the given tensors.

    ``on_load`` hears of every load that wasn't refused: the addresses of its lanes, in bytes.
    """
    memory = [_Memory(name, x) for name, x in given.items() if isinstance(x, torch.Tensor)]
    load, store = builder.create_masked_load, builder.create_masked_store
    update, swap = builder.create_atomic_rmw, builder.create_atomic_cas
    load_block, load_described = builder.create_tensor_pointer_load, builder.create_descriptor_load

    def create_masked_load(ptrs: Any, mask: Any, other: Any, *rest: Any, **more: Any) -> Any:
        _check(memory, "reads", ptrs, mask)
        if on_load is not None:
            on_load(ptrs.data[np.broadcast_to(mask.data, ptrs.data.shape)])
        return load(ptrs, mask, _anything(ptrs) if other is None else other, *rest, **more)

    def create_masked_store(ptrs: Any, value: Any, mask: Any, *rest: Any) -> Any:
        _check(memory, "writes", ptrs, mask)
        return store(ptrs, value, mask, *rest)

    def create_atomic_rmw(how: Any, ptrs: Any, value: Any, mask: Any, *rest: Any) -> Any:
        _check(memory, "updates", ptrs, mask)
        if is_bits(value.dtype):
            raise NotInterpreted(f"atomic operations on {value.dtype.scalar} can't be interpreted")
        return update(how, ptrs, value, mask, *rest)

    def create_atomic_cas(ptrs: Any, *rest: Any) -> Any:
        _check(memory, "updates", ptrs, triton_interpreter.TensorHandle(np.array([True]), tl.int1))
        return swap(ptrs, *rest)

    def create_tensor_pointer_load(ptr: Any, edges: Any, padding: Any, *rest: Any) -> Any:
        _refuse_nan_of_bits(ptr.base, padding)
        return load_block(ptr, edges, padding, *rest)

    def create_descriptor_load(described: Any, *rest: Any) -> Any:
        _refuse_nan_of_bits(described.base, described.padding)
        return load_described(described, *rest)

    ways = (create_masked_load, create_masked_store, create_atomic_rmw, create_atomic_cas)
    blocks = (create_tensor_pointer_load, create_descriptor_load)
    return {way.__name__: way for way in (*ways, *blocks)}


def _refuse_nan_of_bits(base: Any, padding: Any) -> None:
    kind = base.get_element_ty()
    if padding == ir.PADDING_OPTION.PAD_NAN and is_bits(kind):
        raise NotInterpreted(f"padding {kind} with NaN can't be interpreted; pad with zeros")


def _anything(ptrs: Any) -> Any:
    """What lanes hold that no memory and no ``other`` filled: on a GPU anything, here the worst."""
    element = ptrs.get_element_ty()
    kind = triton_interpreter._get_np_dtype(element)
    # bfloat16 and fp8 come as bit patterns; those of the largest integers are NaN in most of them.
    worst = np.nan if kind.kind == "f" else 1 if kind.kind == "b" else np.iinfo(kind).max
    return triton_interpreter.TensorHandle(np.full(ptrs.data.shape, worst, kind), element)


class _Memory:
    """Where one tensor lies, first to last byte, strides and all."""

    def __init__(self, name: str, x: torch.Tensor) -> None:
        self.name, self.itemsize = name, x.element_size()
        reach = sum((size - 1) * stride for size, stride in zip(x.shape, x.stride(), strict=True))
        self.start = x.data_ptr()
        self.end = self.start + ((reach + 1) * self.itemsize if x.numel() else 0)


def _check(memory: list[_Memory], verb: str, ptrs: Any, mask: Any) -> None:
    places = ptrs.data[np.broadcast_to(mask.data, ptrs.data.shape)]
    if not places.size:
        return
    low, high = int(places.min()), int(places.max())
    if any(m.start <= low and high < m.end for m in memory):
        return
    outside = np.ones(places.shape, bool)
    for m in memory:
        outside &= (places < m.start) | (places >= m.end)
    if outside.any():
        raise OutsideMemory(_where(memory, verb, int(places[outside][0]), int(outside.sum())))


def _where(memory: list[_Memory], verb: str, place: int, count: int) -> str:
    program = ", ".join(map(str, triton_interpreter.interpreter_builder.grid_idx))
    nearest = min(memory, key=lambda m: min(abs(place - m.start), abs(place - m.end)))
    index = (place - nearest.start) // nearest.itemsize
    size = (nearest.end - nearest.start) // nearest.itemsize
    return (
        f"program ({program}) {verb} {count} places outside every tensor it was given; "
        f"seen from {nearest.name}, whose {size} elements are the nearest, the first is element "
        f"{index}. A GPU would not have said so"
    )

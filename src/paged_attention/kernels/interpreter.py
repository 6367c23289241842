"""Run a Triton kernel without a GPU: the same source, one program after another, in NumPy.

``print`` and ``breakpoint()`` work inside the kernel. Three things differ from Triton's own
``TRITON_INTERPRET=1``: no environment variable is needed, so that a kernel can be interpreted and
compiled in one process; every load and store is checked against the tensors the kernel was given,
and a lane that was masked without ``other`` holds NaN or the largest integer, not a harmless 0; and
``tl.dot`` is right for bfloat16. A kernel that passes here isn't proved on a GPU: programs run one
at a time, so a race can't show, and times mean nothing.
"""

import inspect
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from types import SimpleNamespace
from typing import Any

import numpy as np
import torch
import triton.language as tl
from triton.runtime import interpreter as triton_interpreter
from triton.runtime.errors import InterpreterError
from triton.runtime.jit import JITFunction

from paged_attention.errors import BadTensor, PagedAttentionError
from paged_attention.kernels.launch import Launch

# Triton patches those of its modules that a function sees; this stands for one that sees them all.
_EVERYWHERE = SimpleNamespace(__globals__={"tl": tl, "core": tl.core})
_one_at_a_time = threading.Lock()  # Triton keeps its patches and the program ids in globals


class OutsideMemory(PagedAttentionError, IndexError):
    """A kernel computed an address that lies in none of the tensors it was given."""


class Interpreted:
    """A kernel's twin that runs here: ``interpreted(kernel)[grid](arguments …)``."""

    def __init__(self, kernel: Any) -> None:
        self.fn = kernel.fn
        self.__name__ = self.fn.__name__

    def __getitem__(self, grid: tuple[int, ...]) -> Callable[..., None]:
        return partial(self._launch, grid)

    def _launch(self, grid: tuple[int, ...], *args: Any, **kwargs: Any) -> None:
        """Run every program; an error comes out as the kernel raised it."""
        kernel = triton_interpreter.InterpretedFunction(self.fn)
        given = inspect.signature(self.fn).bind(*args, **_only_known(self.fn, kwargs)).arguments
        for name, x in given.items():
            if isinstance(x, torch.Tensor) and x.device.type != "cpu":
                raise BadTensor(f"{name} is on {x.device}; the interpreter reads the CPU's memory")
        # A GPU says nothing when a number overflows; NumPy would.
        with _one_at_a_time, _language_of_arrays(given), np.errstate(all="ignore"):
            try:
                kernel[grid](**given)
            except InterpreterError as error:
                raise (error.__cause__ or error) from None


def interpreted(kernel: Any) -> Interpreted:
    """The twin of a ``@triton.jit`` kernel."""
    return Interpreted(kernel)


def interpret(launch: Launch) -> None:
    """Run one launch of a plan here: ``plan.run(interpret)``."""
    interpreted(launch.kernel)[launch.grid](**launch.args)


def _only_known(fn: Callable[..., Any], kwargs: dict[str, Any]) -> dict[str, Any]:
    """Without ``num_warps`` and other words to the compiler."""
    return {
        name: value for name, value in kwargs.items() if name in inspect.signature(fn).parameters
    }


@contextmanager
def _language_of_arrays(given: dict[str, Any]) -> Iterator[None]:
    """While inside, ``tl`` works on NumPy arrays, in the kernel and in its helpers, ``tl.sum`` too.

    Triton patches the language anew at every call of a helper, which takes most of the time, and
    doesn't undo that. Here it is done once a launch, and undone.
    """
    kinds = (JITFunction, triton_interpreter.InterpretedFunction)
    calls = [kind.__call__ for kind in kinds]
    builder = triton_interpreter.interpreter_builder
    replaced = _checked_memory(builder, given) | {"create_dot": _wide_dot(builder)}
    scope = triton_interpreter._patch_lang(_EVERYWHERE)
    try:
        for kind in kinds:
            kind.__call__ = _call_helper
        for name, method in replaced.items():
            setattr(builder, name, method)
        yield
    finally:
        for name in replaced:
            delattr(builder, name)
        for kind, call in zip(kinds, calls, strict=True):
            kind.__call__ = call
        scope.restore()


def _call_helper(helper: Any, *args: Any, **kwargs: Any) -> Any:
    return triton_interpreter.InterpretedFunction(helper.fn).rewrite()(*args, **kwargs)


def _wide_dot(builder: Any) -> Callable[..., Any]:
    """``create_dot`` with bfloat16 widened first: Triton's multiplies its bit patterns."""
    dot = builder.create_dot

    def widen(tile: Any) -> Any:
        if tile.dtype.scalar != tl.bfloat16:
            return tile
        bits = tile.data.astype(np.uint32) << 16
        return triton_interpreter.TensorHandle(bits.view(np.float32), tl.float32)

    def create_dot(a: Any, b: Any, *rest: Any) -> Any:
        return dot(widen(a), widen(b), *rest)

    return create_dot


def _checked_memory(builder: Any, given: dict[str, Any]) -> dict[str, Callable[..., Any]]:
    """``create_masked_load`` and ``…_store`` that refuse addresses outside the given tensors."""
    memory = [_Memory(name, x) for name, x in given.items() if isinstance(x, torch.Tensor)]
    load, store = builder.create_masked_load, builder.create_masked_store

    def create_masked_load(ptrs: Any, mask: Any, other: Any, *rest: Any) -> Any:
        _check(memory, "reads", ptrs, mask)
        return load(ptrs, mask, _anything(ptrs) if other is None else other, *rest)

    def create_masked_store(ptrs: Any, value: Any, mask: Any, *rest: Any) -> Any:
        _check(memory, "writes", ptrs, mask)
        return store(ptrs, value, mask, *rest)

    return {"create_masked_load": create_masked_load, "create_masked_store": create_masked_store}


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

"""Run a Triton kernel without a GPU: the same source, one program after another, in NumPy.

``print`` and ``breakpoint()`` work inside the kernel. Five things differ from Triton's own
``TRITON_INTERPRET=1``:

- No environment variable is needed, so a kernel can be interpreted and compiled in one process.
- Every load, store and atomic operation is checked against the tensors the kernel was given, and a
  lane that was masked without ``other`` holds NaN or the largest integer, not a harmless 0.
- Bfloat16, fp8, casts and minima are right (``interpreter_numbers``).
- ``other=`` of a load counts in a tile of one element, too.
- A tile of several elements has no truth value: ``and``, ``or``, ``not``, chained comparisons and
  ``if`` on it raise, where they would take one branch for all of it.

A kernel that passes here isn't proved on a GPU: programs run one at a time, so a race can't show,
``tl.dot`` keeps all digits of float32 where a GPU's default drops some (TF32), and times mean
nothing.
"""

import inspect
import threading
import warnings
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

from paged_attention.errors import BadTensor
from paged_attention.kernels.interpreter_memory import OnLoad, OutsideMemory, checked_memory
from paged_attention.kernels.interpreter_numbers import (
    NotInterpreted,
    combined_as_given,
    reduced_wide,
    right_numbers,
)
from paged_attention.kernels.launch import Launch

__all__ = ["Interpreted", "NotInterpreted", "OutsideMemory", "interpret", "interpreted"]

# Triton patches those of its modules that a function sees; this stands for one that sees them all.
_EVERYWHERE = SimpleNamespace(__globals__={"tl": tl, "core": tl.core})
_CALLED = (JITFunction, triton_interpreter.InterpretedFunction)
_PATCH_TENSOR = triton_interpreter._patch_lang_tensor
_one_at_a_time = threading.Lock()  # Triton keeps its patches and the program ids in globals


class Interpreted:
    """A kernel's twin that runs here: ``interpreted(kernel)[grid](arguments …)``.

    ``on_load`` is called at every load with the addresses that are read, in bytes.
    """

    def __init__(self, kernel: Any, on_load: OnLoad | None = None) -> None:
        self.fn, self.on_load = kernel.fn, on_load
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
        with (
            _one_at_a_time,
            _language_of_arrays(given, self.on_load),
            np.errstate(all="ignore"),
        ):
            warnings.simplefilter("ignore", RuntimeWarning)
            try:
                kernel[grid](**given)
            except InterpreterError as error:
                raise (error.__cause__ or error) from None


def interpreted(kernel: Any, on_load: OnLoad | None = None) -> Interpreted:
    """The twin of a ``@triton.jit`` kernel."""
    return Interpreted(kernel, on_load)


def interpret(launch: Launch) -> None:
    """Run one launch of a plan here: ``plan.run(interpret)``."""
    interpreted(launch.kernel)[launch.grid](**launch.args)


def _only_known(fn: Callable[..., Any], kwargs: dict[str, Any]) -> dict[str, Any]:
    """Without ``num_warps`` and other words to the compiler."""
    return {
        name: value for name, value in kwargs.items() if name in inspect.signature(fn).parameters
    }


@contextmanager
def _language_of_arrays(given: dict[str, Any], on_load: OnLoad | None = None) -> Iterator[None]:
    """While inside, ``tl`` works on NumPy arrays, in the kernel and in its helpers, ``tl.sum`` too.

    Triton patches the language anew at every call of a helper, which takes most of the time, and
    doesn't undo that. Here it is done once a launch, and undone.
    """
    builder = triton_interpreter.interpreter_builder
    semantic = triton_interpreter.interpreter_semantic
    reduces, scans = triton_interpreter.ReduceOps, triton_interpreter.ScanOps
    replaced: list[tuple[Any, str, Any]] = [
        *((kind, "__call__", _call_helper) for kind in _CALLED),
        *((builder, name, method) for name, method in right_numbers(builder).items()),
        *(
            (builder, name, method)
            for name, method in checked_memory(builder, given, on_load).items()
        ),
        *((reduces, name, reduced_wide(getattr(reduces, name))) for name in ("sum", "min_max")),
        *((scans, name, reduced_wide(getattr(scans, name))) for name in ("cumsum", "cumprod")),
        (reduces, "generic_reduce", combined_as_given(reduces.generic_reduce)),
        (scans, "generic_scan", combined_as_given(scans.generic_scan)),
        *((semantic, name, _given_is_true(getattr(semantic, name))) for name in ("load", "store")),
        (triton_interpreter, "_patch_lang_tensor", _patch_tensor),
    ]
    with warnings.catch_warnings(), _replaced(replaced):
        scope = triton_interpreter._patch_lang(_EVERYWHERE)
        try:
            yield
        finally:
            scope.restore()


@contextmanager
def _replaced(attributes: list[tuple[Any, str, Any]]) -> Iterator[None]:
    """While inside, each (owner, name) is the value beside it."""
    before = [(owner, name, vars(owner).get(name)) for owner, name, _ in attributes]
    try:
        for owner, name, value in attributes:
            setattr(owner, name, value)
        yield
    finally:
        for owner, name, value in before:
            if value is not None:
                setattr(owner, name, value)
            elif name in vars(owner):  # it was its class's
                delattr(owner, name)


def _call_helper(helper: Any, *args: Any, **kwargs: Any) -> Any:
    return triton_interpreter.InterpretedFunction(helper.fn).rewrite()(*args, **kwargs)


def _patch_tensor(tensor: Any, scope: Any) -> None:
    _PATCH_TENSOR(tensor, scope)
    scope.set_attr(tensor, "__bool__", _truth)


def _truth(tensor: Any) -> bool:
    if tensor.handle.data.size == 1:
        return bool(tensor.handle.data)
    raise NotInterpreted(
        f"a tile of {tensor.handle.data.size} elements has no truth value: write & for `and`, | "
        "for `or`, == 0 for `not`, tl.where for `if`, and a chained comparison as two with &"
    )


def _given_is_true(method: Callable[..., Any]) -> Callable[..., Any]:
    """``method`` with ``if other:`` asking what it means to, whether one was given: in a tile of
    one element it would ask whether that is zero.
    """

    def call(*args: Any, **kwargs: Any) -> Any:
        truth, tl.tensor.__bool__ = tl.tensor.__bool__, lambda _: True
        try:
            return method(*args, **kwargs)
        finally:
            tl.tensor.__bool__ = truth

    return call

"""Triton's names for kernels that readers write in cells, or stand-ins where it isn't installed.

Triton has wheels for Linux only. With the stand-ins a kernel's cell can still be run: the kernel is
defined, and a launch says in one line that it did nothing.
"""

from types import SimpleNamespace
from typing import Any

__all__ = ["HAS_TRITON", "NO_TRITON", "tl", "triton"]

NO_TRITON = "Triton isn't installed here (it has wheels for Linux only): the kernel didn't run."


class KernelNotRun:
    """What ``@triton.jit`` makes of a function where there is no Triton."""

    def __init__(self, fn: Any) -> None:
        self.fn = fn
        self.__name__ = fn.__name__

    def __getitem__(self, grid: tuple[int, ...]) -> Any:
        """The launch over a grid of programs, which only says why there is none."""
        return self

    def __call__(self, *_args: Any, **_kwargs: Any) -> None:
        """Print the line."""
        print(NO_TRITON)


try:
    import triton
    import triton.language as tl
except ImportError:
    triton, tl = SimpleNamespace(jit=KernelNotRun), SimpleNamespace(constexpr=object)
    HAS_TRITON = False
else:
    HAS_TRITON = True

"""A reader's kernel, run in the interpreter that sees addresses outside its tensors."""

from collections.abc import Sequence
from typing import Any

from workbook.checks.framework import CheckFailed, NotHere, in_words
from workbook.checks.framework.source import line_in

Outside = Sequence[tuple[str, str]]  # a part of an address error's text, and the why for it


def run_kernel(kernel: Any, grid: tuple[int, ...], outside: Outside = (), **args: Any) -> None:
    """Every program of ``grid``; tensors among ``args`` are what the kernel may touch.

    ``outside`` has the why for memory that isn't its own, by a part of the error's text. Raises
    ``CheckFailed`` for that, and ``NotHere`` where there is no Triton.
    """
    from workbook.triton_or_stub import HAS_TRITON, NO_TRITON

    if not HAS_TRITON:
        raise NotHere(NO_TRITON)
    from paged_attention.kernels.interpreter import OutsideMemory, interpreted

    try:
        interpreted(kernel)[grid](**args)
    except OutsideMemory as error:
        got = in_words(error) + line_in(error, kernel)
        why = next((text for part, text in outside if part in str(error)), None)
        raise CheckFailed(got, why=why) from None


def listed(values: Sequence[float]) -> str:
    """Numbers in brackets, whole ones without a point: ``[1, 2.5, -inf]``."""
    return f"[{', '.join(f'{value:.4g}' for value in values)}]"

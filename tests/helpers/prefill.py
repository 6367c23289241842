"""Prefill steps for tests of kernels: those of ``helpers.decode`` with several new tokens."""

from collections.abc import Callable, Sequence
from typing import Any

import torch
from helpers.decode import TOLERANCE, decode_step
from torch import Tensor

from paged_attention.kernels import (
    paged_prefill_attention,
    prefill_cpu,
    prefill_gather,
    prefill_twin,
    reference,
)
from paged_attention.kernels.prefill_inputs import Prefill

Kernel = Callable[[Prefill], Tensor]
WITHOUT_TRITON: dict[str, Kernel] = {
    "cpu": prefill_cpu.prefill,
    "gather": prefill_gather.prefill,
    "twin": prefill_twin.prefill,
    "twin, tiles of 1": lambda step: prefill_twin.prefill(step, 1),
}


def prefill_step(rows: Sequence[tuple[int, int]], **options: Any) -> Prefill:
    """One row for each (length, new tokens); options are those of ``decode_step``.

    Blocks lie in random order, entries past a row's end point nowhere, unwritten slots hold NaN.
    """
    step = decode_step([length for length, _ in rows], **options)
    counts = torch.tensor([new for _, new in rows])
    starts = torch.nn.functional.pad(counts.cumsum(0), (1, 0)).to(step.lengths.dtype)
    random_numbers = torch.Generator().manual_seed(options.get("seed", 0) + 1)
    shape = (int(starts[-1]), step.heads, step.head_dim)
    q = torch.randn(shape, generator=random_numbers).to(step.q.dtype)
    return Prefill(q, *step[1:5], starts, *step[5:])


def check(kernel: Kernel, step: Prefill, tolerance: float | None = None) -> None:
    """The kernel's answer is the reference's, in its shape and type."""
    got, right = kernel(step), reference.prefill(step)
    assert got.shape == step.q.shape
    assert got.dtype == step.q.dtype
    tolerance = TOLERANCE[step.q.dtype] if tolerance is None else tolerance
    torch.testing.assert_close(got.double(), right, atol=tolerance, rtol=tolerance, equal_nan=True)


def public(step: Prefill) -> Tensor:
    """``paged_prefill_attention``, with the step's own scales."""
    scales = {"scale": step.scale, "k_scale": step.k_scale, "v_scale": step.v_scale}
    return paged_prefill_attention(*step[:6], step.k_pool.shape[2], **scales)


def with_triton() -> dict[str, Kernel]:
    """The Triton kernel, interpreted; needs Triton."""
    from paged_attention.kernels.interpreter import interpret
    from paged_attention.kernels.prefill_launch import Sizes, prefill

    return {
        "Triton": lambda step: prefill(step).run(interpret),
        "Triton, tiles of 16": lambda step: prefill(step, Sizes(16, 16, 4)).run(interpret),
    }


def backwards(step: Prefill) -> Tensor:
    """Triton's kernel with its tile map reversed: what runs first on a GPU nobody knows."""
    from paged_attention.kernels.interpreter import interpret
    from paged_attention.kernels.prefill_launch import prefill

    plan = prefill(step)
    tiles = plan.launches[0].args["tiles"]
    tiles.copy_(tiles.flip(0))
    return plan.run(interpret)

"""Paged attention on a GPU: the Triton kernels, launched.

One layer's attention may be captured in a CUDA graph. A whole decode step of the cache may not:
before a layer is written, the cache compares positions with the step's plan on the host, so that a
bad one raises instead of overwriting somebody's slot (``BatchedCache._begin``). That waits for the
GPU once a layer.
"""

from functools import cache

import torch
from torch import Tensor

from paged_attention.errors import BadTensor
from paged_attention.kernels import launch, prefill_launch
from paged_attention.kernels.inputs import Decode
from paged_attention.kernels.prefill_inputs import Prefill


def decode(step: Decode) -> Tensor:
    """Attention of each row over its history, read in place: [B, Hq, D].

    Doesn't wait for the GPU and looks at no number on it, so it may be captured in a CUDA graph; a
    replay reads what the tables and lengths hold then.
    """
    device = step.q.device
    _check_type(step.k_pool)
    with torch.cuda.device(device):  # Triton launches on the current one
        return launch.best(step, _processors(device)).run()


def prefill(step: Prefill) -> Tensor:
    """Attention of each new token over its history and itself, read in place: [N, Hq, D].

    Waits for the GPU, to cut the step into tiles, so it may not be captured in a CUDA graph.
    """
    _check_type(step.k_pool)
    with torch.cuda.device(step.q.device):
        return prefill_launch.prefill(step).run()


def _check_type(pool: Tensor) -> None:
    if pool.dtype == torch.float8_e4m3fn and not _reads_e4m3(pool.device):
        raise BadTensor(
            f"{torch.cuda.get_device_name(pool.device)} can't read float8_e4m3fn pools; "
            "use float8_e5m2, or a GPU of compute capability 8.9 or later"
        )


@cache
def _processors(device: torch.device) -> int:
    return torch.cuda.get_device_properties(device).multi_processor_count


@cache
def _reads_e4m3(device: torch.device) -> bool:
    return torch.version.hip is not None or torch.cuda.get_device_capability(device) >= (8, 9)

"""A linear layer for a few tokens on a CPU: ``linear.cpp``, built and kept as ``cpu`` does it.

A decode step reads every weight of the model once, so memory sets its pace. Measured in a whole
step (``tests/benchmarks/results``), PyTorch's product for one token runs on one thread and gets a
part of that pace; this one gets most of it. With more tokens each weight that was read serves more
sums, until arithmetic sets the pace, and PyTorch's product is the better one: ``MOST_ROWS`` says
from where on.

On a machine so busy that a thread waits long for its turn, products take one thread for a while.
Where there is no compiler, PyTorch's batched product deals the outputs out to the threads. What
neither takes (gradients, other devices and types, many tokens) goes to PyTorch's ``linear``.
"""

import ctypes
from functools import cache
from pathlib import Path

import torch
from torch import Tensor
from torch.nn.functional import linear as pytorch_linear

from paged_attention.errors import KernelNotBuilt
from paged_attention.kernels import cpu

SOURCE = Path(__file__).with_name("linear.cpp")
# In bfloat16 a processor with instructions for it leaves us behind sooner, one without far later.
MOST_ROWS = {torch.float32: 32, torch.bfloat16: 8}
_ARGUMENTS = [*[ctypes.c_void_p] * 4, *[ctypes.c_int64] * 4]


def linear(x: Tensor, weight: Tensor, bias: Tensor | None = None) -> Tensor:
    """``x`` [..., in] times ``weight`` [out, in], transposed, plus ``bias`` [out]: [..., out].

    As ``torch.nn.functional.linear``, whose errors it raises. A token's result is the same to the
    last digit with any number of tokens up to ``MOST_ROWS`` and any number of threads; beyond, and
    without a compiler, only to rounding.
    """
    if not _few(x, weight, bias):
        return pytorch_linear(x, weight, bias)
    run = library(weight.dtype)
    if run is None:
        return _by_threads(x, weight, bias)
    x = x.contiguous()
    out, size = weight.shape
    y = x.new_empty(*x.shape[:-1], out)
    run(
        x.data_ptr(),
        weight.data_ptr(),
        None if bias is None else bias.data_ptr(),
        y.data_ptr(),
        x.numel() // size,
        out,
        size,
        torch.get_num_threads(),
    )
    return y


def which_linear(dtype: torch.dtype) -> str:
    """In one line: what multiplies a few tokens with weights of this type on a CPU, and why."""
    if dtype not in MOST_ROWS:
        return f"PyTorch's linear: there is no kernel for {dtype}"
    try:
        _built(dtype)
    except KernelNotBuilt as error:
        return f"PyTorch's products, outputs dealt out to threads where that helps: {error}"
    return f"C++ up to {MOST_ROWS[dtype]} tokens, {torch.get_num_threads()} threads"


def _few(x: Tensor, weight: Tensor, bias: Tensor | None) -> bool:
    """Whether these are a few plain tokens for plain weights; the rest is PyTorch's, errors too."""
    most = MOST_ROWS.get(weight.dtype, 0)
    if not (x.is_cpu and weight.is_cpu and x.dtype == weight.dtype and weight.dim() == 2):
        return False
    size = weight.shape[1]
    if not (x.dim() and x.shape[-1] == size and size <= x.numel() <= most * size):
        return False
    if not weight.is_contiguous():
        return False
    if bias is not None and not (
        bias.dtype == weight.dtype and bias.shape == weight.shape[:1] and bias.is_contiguous()
    ):
        return False
    tensors = (x, weight) if bias is None else (x, weight, bias)
    return not (torch.is_grad_enabled() and any(tensor.requires_grad for tensor in tensors))


def _by_threads(x: Tensor, weight: Tensor, bias: Tensor | None) -> Tensor:
    """A batch of products, one a thread, each for a part of the outputs: for MKL, whose product of
    a few tokens takes one thread. The rest goes to PyTorch's ``linear``.
    """
    parts, (out, size) = torch.get_num_threads(), weight.shape
    rows = x.numel() // size
    deals = x.dtype == torch.float32 and rows <= 8 and torch.backends.mkl.is_available()  # type: ignore[no-untyped-call]
    if not deals or parts == 1 or out % parts:
        return pytorch_linear(x, weight, bias)
    tokens = x.reshape(1, rows, size).expand(parts, rows, size)
    shares = weight.view(parts, out // parts, size).transpose(1, 2)  # [parts, in, out / parts]
    y = torch.bmm(tokens, shares).transpose(0, 1).reshape(*x.shape[:-1], out)
    return y if bias is None else y + bias


@cache
def library(dtype: torch.dtype) -> cpu.Library | None:
    """The compiled product for weights of this type; ``None`` where it can't be built."""
    try:
        return _built(dtype)
    except KernelNotBuilt:
        return None


def _built(dtype: torch.dtype) -> cpu.Library:
    # Sums stay in the order they are written in; one thread alone would be PyTorch's pace again.
    options = [f"-DNUMBER={cpu.KV_TYPES[dtype]}", "-fno-associative-math", "-fopenmp"]
    return cpu.load(cpu.build_source(SOURCE, options), "linear", _ARGUMENTS)

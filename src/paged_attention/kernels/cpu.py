"""Paged decode on a CPU: ``decode.cpp``, built once and kept, called through ctypes.

Why C++. Measured side by side (``tests/benchmarks/results``), it takes about half the time of
PyTorch's attention over contiguous memory where Numba, through the same table, takes as long as
that or half as long again. It builds in half a second where Numba takes three, needs no further
package, shares PyTorch's threads and reads bfloat16, float16 and fp8 pools. For a reader of Python
it is the walk of ``twin.py`` again, with the same names.

Each head size, group size and stored type gets a library of its own, since they are constants in
it. Libraries lie in the user's cache folder, named after all they were made from, and are never
built twice.
"""

import ctypes
import hashlib
import os
import platform
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from typing import Any

import torch
from torch import Tensor

from paged_attention.errors import KernelNotBuilt
from paged_attention.exp2 import LOG2_E
from paged_attention.kernels.inputs import Decode, check_tables
from paged_attention.user_cache import cache_root, shared_kernels

SOURCE = Path(__file__).with_name("decode.cpp")
KV_TYPES = {
    torch.float32: "float",
    torch.bfloat16: "bfloat16",
    torch.float16: "float16",
    torch.float8_e5m2: "float8_e5m2",
    torch.float8_e4m3fn: "float8_e4m3fn",
}
# Sums may be taken in any order, which vector registers need. Not -ffast-math: with it, loading
# the library makes the whole process round tiny numbers to zero.
FLAGS = (
    *("-std=c++17", "-O3", "-shared", "-fPIC", "-fno-math-errno", "-fno-trapping-math"),
    *("-fno-signed-zeros", "-fassociative-math", "-freciprocal-math"),
)
# The fastest that the compiler takes. Apple's has no OpenMP: there the kernel uses one thread.
EXTRA_FLAGS = (("-march=native", "-fopenmp"), ("-fopenmp",), ("-march=native",), ())
_POINTERS, _INTS = [ctypes.c_void_p] * 6, [ctypes.c_int64] * 9

Library = Callable[..., int]


def decode(step: Decode) -> Tensor:
    """Attention of each row over its history, read in place: [B, Hq, D].

    Raises ``KernelNotBuilt`` where there is no compiler, and what ``check_tables`` raises.
    """
    k_pool, q, tables, lengths = step.k_pool, step.q, step.block_tables, step.lengths
    # A conversion that does nothing takes a microsecond; a step of 64 tokens takes four in all.
    if q.dtype != torch.float32 or not q.is_contiguous():
        q = q.to(torch.float32).contiguous()
    if tables.dtype != torch.int64 or lengths.dtype != torch.int64:
        tables, lengths = tables.long(), lengths.long()
    out = torch.empty_like(q)
    rows, heads, head_dim = q.shape
    num_blocks, kv_heads, block_size, _ = k_pool.shape
    block_stride, head_stride, slot_stride, _ = k_pool.stride()
    failed = library(head_dim, heads // kv_heads, k_pool.dtype)(
        q.data_ptr(),
        k_pool.data_ptr(),
        step.v_pool.data_ptr(),
        tables.data_ptr(),
        lengths.data_ptr(),
        out.data_ptr(),
        rows,
        kv_heads,
        tables.shape[1],
        tables.stride(0),
        num_blocks,
        block_size,
        block_stride,
        head_stride,
        slot_stride,
        step.scale * step.k_scale * LOG2_E,
        step.v_scale,
        torch.get_num_threads(),
    )
    if failed:
        check_tables(step)
    return out if out.dtype == step.q.dtype else out.to(step.q.dtype)


@cache
def library(head_dim: int, group: int, dtype: torch.dtype) -> Library:
    """The compiled walk for these constants; built now unless an earlier run has left it."""
    arguments = [*_POINTERS, *_INTS, ctypes.c_float, ctypes.c_float, ctypes.c_int64]
    return load(build(head_dim, group, dtype), "paged_decode", arguments)


def load(path: Path, name: str, arguments: list[type[Any]]) -> Library:
    """The function ``name`` of a library that ``build`` made; it returns an int."""
    try:
        run = ctypes.CDLL(str(path))[name]
    except OSError as error:
        raise KernelNotBuilt(
            f"{path} can't be loaded: {error}; delete it to build it anew"
        ) from error
    run.argtypes = arguments
    run.restype = ctypes.c_int
    return run


def build(head_dim: int, group: int, dtype: torch.dtype, source: Path = SOURCE) -> Path:
    """The library of ``source``, a kernel of attention, for these constants."""
    if dtype not in KV_TYPES:
        raise KernelNotBuilt(f"{source.name} reads no {dtype} pools; gather does")
    constants = [f"-DHEAD_DIM={head_dim}", f"-DGROUP={group}", f"-DKV={KV_TYPES[dtype]}"]
    if dtype not in (torch.float32, torch.bfloat16):
        constants.append("-DHALF")
    return build_source(source, constants)


def build_source(source: Path, options: list[str]) -> Path:
    """The library file, made if it isn't there. Written beside its place and renamed into it."""
    compiler = find_compiler()
    if compiler is None:
        raise KernelNotBuilt(
            "no C++ compiler was found: none of $CXX, c++, g++ and clang++ is here"
        )
    name = f"{source.stem}-{_fingerprint(compiler, options, source)}.so"
    shared, folder = shared_kernels(), cache_root() / "kernels"
    if shared and (shared / name).is_file():
        return shared / name
    place = folder / name
    if place.is_file():
        return place
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(prefix=".building-", dir=folder) as scratch:
            made = Path(scratch) / place.name
            _compile(compiler, source, [*options, "-o", str(made)])
            return made.replace(place)
    except subprocess.TimeoutExpired as error:
        raise KernelNotBuilt(f"{compiler} took longer than {error.timeout:.0f} s") from error
    except OSError as error:
        raise KernelNotBuilt(
            f"the compiled kernel can't be written to {folder}: {error}; set PAGED_ATTENTION_CACHE "
            "to a folder of your own with room"
        ) from error


@cache
def find_compiler() -> str | None:
    """The path of a C++ compiler that takes GCC's options, or ``None``. Looked for once."""
    if sys.platform == "darwin":  # its c++ may be a stand-in that opens a window to be installed
        asked = subprocess.run(["xcode-select", "-p"], capture_output=True, check=False)
        if asked.returncode:
            return None
    wanted: Iterator[str] = (os.environ.get("CXX", ""), "c++", "g++", "clang++").__iter__()
    return next((found for name in wanted if name and (found := shutil.which(name))), None)


def _compile(compiler: str, source: Path, words: list[str]) -> None:
    for extra in EXTRA_FLAGS:
        command = [compiler, *FLAGS, *extra, str(source), *words]
        done = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)
        if done.returncode == 0:
            return
    said = done.stderr.strip().splitlines() or ["nothing"]
    raise KernelNotBuilt(f"{compiler} could not build {source.name}: {said[0]}")


def _fingerprint(compiler: str, options: list[str], source: Path = SOURCE) -> str:
    """Changes with everything that could make another library: a shared home may serve several
    machines.
    """
    stat = Path(compiler).resolve().stat()
    parts = (compiler, stat.st_size, stat.st_mtime_ns, FLAGS, EXTRA_FLAGS, options, _processor())
    digest = hashlib.sha256(repr(parts).encode())
    for file in (source, *sorted(source.parent.glob("*.h"))):
        digest.update(file.read_bytes())
    return digest.hexdigest()[:16]


def _processor() -> str:
    """What the processor can do, as far as the system says."""
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8", errors="replace").splitlines()
    except OSError:
        lines = []
    known = [line for line in lines if line.startswith(("flags", "Features", "model name"))]
    return " ".join([platform.machine(), platform.processor(), *dict.fromkeys(known)])

"""Compile a plan's kernels for a GPU that isn't here, and read what the compiler made of them.

Nothing is launched: registers, spills, the width of loads and the use of tensor cores are facts of
the machine code. Speed is not.
"""

import re
import subprocess
import tempfile
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import triton
from triton.backends.compiler import GPUTarget
from triton.runtime.jit import JITFunction

from paged_attention.errors import PagedAttentionError
from paged_attention.kernels.launch import Launch, Plan

TARGETS = {  # name: (Triton's target, what it is)
    "sm_80": (GPUTarget("cuda", 80, 32), "NVIDIA A100"),
    "sm_90": (GPUTarget("cuda", 90, 32), "NVIDIA H100, H200"),
    "sm_100": (GPUTarget("cuda", 100, 32), "NVIDIA B200"),
    "gfx942": (GPUTarget("hip", "gfx942", 64), "AMD MI300X"),
}
_NVIDIA_TOOLS = Path(triton.__file__).parent / "backends" / "nvidia" / "bin"


class NotCompiled(PagedAttentionError, RuntimeError):
    """A kernel could not be compiled for a GPU that isn't here."""


@dataclass(frozen=True)
class Compiled:
    """What one launch became. ``loads`` counts the instructions that read the GPU's memory by the
    bytes that each thread fetches at a time: 16 is the widest that all of these GPUs have.
    """

    kernel: str
    target: str
    registers: int  # a thread
    spilled: int  # bytes a thread keeps in memory because registers ran out
    shared: int  # bytes of fast memory a program needs
    loads: dict[int, int]
    tensor_core_ops: int
    text: str  # PTX for NVIDIA, assembly for AMD
    layouts: str = ""  # Triton's form before that: which lanes hold which numbers of each tile

    def __str__(self) -> str:
        loads = ", ".join(
            f"{count} of {width} bytes" for width, count in sorted(self.loads.items())
        )
        return (
            f"{self.kernel} for {self.target}: {self.registers} registers, {self.spilled} bytes "
            f"spilled, {self.shared} bytes shared, {self.tensor_core_ops} tensor-core "
            f"instructions, loads: {loads}"
        )


def compile_plan(plan: Plan, target: str) -> list[Compiled]:
    """Each launch of ``plan``, made from tensors on the CPU, compiled as it would be on ``target``.

    Alignment and constants come from the plan's own arguments, just as in a real launch.
    """
    return [compile_launch(launch, target) for launch in plan.launches]


def compile_launch(launch: Launch, target: str) -> Compiled:
    """Compile one launch for ``target``, a name of ``TARGETS``."""
    if not isinstance(launch.kernel, JITFunction):
        raise NotCompiled(
            "TRITON_INTERPRET=1 was set when this kernel was imported, so there is no compiler "
            "behind it; start Python without it"
        )
    if target not in TARGETS:
        raise NotCompiled(f"there is no target {target!r}; there are {', '.join(TARGETS)}")
    gpu, _ = TARGETS[target]
    with _pretending(gpu):
        launch.kernel.device_caches.clear()  # keyed by device number: the last target's kernels
        try:
            kernel = launch.kernel.warmup(
                **launch.args,
                grid=launch.grid,
                num_warps=launch.num_warps,
                num_stages=launch.num_stages,
            )
        finally:
            launch.kernel.device_caches.clear()
    read = _read_nvidia if gpu.backend == "cuda" else _read_amd
    return read(launch.kernel.__name__, target, kernel)


class _NoGPU:
    """Just enough of a Triton driver to compile, and not to launch."""

    def __init__(self, gpu: GPUTarget) -> None:
        self._gpu = gpu

    def get_current_target(self) -> GPUTarget:
        return self._gpu

    def get_current_device(self) -> int:
        return 0

    def get_current_stream(self, _device: int = 0) -> int:
        return 0


@contextmanager
def _pretending(gpu: GPUTarget) -> Iterator[None]:
    drivers = triton.runtime.driver
    before = drivers._active
    drivers.set_active(_NoGPU(gpu))
    try:
        yield
    finally:
        drivers._active = before


def _read_nvidia(name: str, target: str, kernel: Any) -> Compiled:
    with tempfile.NamedTemporaryFile(suffix=".cubin") as file:
        file.write(kernel.asm["cubin"])
        file.flush()
        usage = _tool("cuobjdump", "-res-usage", file.name)
        machine_code = _tool("nvdisasm", "-c", file.name)
    found = re.search(r"REG:(\d+) STACK:(\d+) SHARED:\d+ LOCAL:(\d+)", usage)
    if found is None:
        raise NotCompiled(f"cuobjdump said nothing of registers: {usage[:200]!r}")
    registers, stack, local = map(int, found.groups())
    # LDG reads into registers; LDGSTS, cp.async in PTX, into shared memory meanwhile.
    reads = re.findall(r"\b(?:LDG|LDGSTS)\.E([.\w]*)", machine_code)
    text: str = kernel.asm["ptx"]
    return Compiled(
        name,
        target,
        registers,
        stack + local,
        kernel.metadata.shared,
        dict(Counter(_width(words) for words in reads)),
        len(re.findall(r"\b(?:mma\.sync|wgmma\.mma_async|tcgen05\.mma)", text)),
        text,
        kernel.asm["ttgir"],
    )


def _width(words: str) -> int:
    """Bytes of a load such as ``LDG.E.128.CONSTANT`` or ``LDG.E.U16``; four if it says nothing."""
    bits = re.search(r"\.(?:[US])?(8|16|64|128|256)\b", words)
    return int(bits[1]) // 8 if bits else 4


def _read_amd(name: str, target: str, kernel: Any) -> Compiled:
    text: str = kernel.asm["amdgcn"]

    def number(key: str) -> int:
        found = re.search(rf"\.{key}:\s+(\d+)", text)
        return int(found[1]) if found else 0

    widths = {"ubyte": 1, "ushort": 2, "short_d16": 2, "dword": 4, "dwordx2": 8, "dwordx4": 16}
    reads = re.findall(r"\b(?:global|buffer)_load_(\w+?)(?:_hi)?\s", text)
    return Compiled(
        name,
        target,
        number("vgpr_count"),
        number("private_segment_fixed_size"),
        kernel.metadata.shared,
        dict(Counter(widths.get(word, 4) for word in reads)),
        len(re.findall(r"\bv_mfma_", text)),
        text,
        kernel.asm["ttgir"],
    )


def _tool(name: str, *args: str) -> str:
    """What one of the NVIDIA programs that Triton brings along says."""
    command = [str(_NVIDIA_TOOLS / name), *args]
    try:
        return subprocess.run(command, capture_output=True, text=True, check=True).stdout
    except (OSError, subprocess.CalledProcessError) as error:
        raise NotCompiled(f"{name}, which comes with Triton, could not be run: {error}") from error

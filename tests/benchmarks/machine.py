"""What every result says of where it was measured."""

import importlib.metadata
import importlib.util
import os
import platform
from datetime import date
from pathlib import Path
from time import perf_counter
from typing import Any

import torch

VERSIONED = ("torch", "transformers", "triton", "numba")


def described() -> dict[str, Any]:
    """Date, processor, cores, threads and versions; no names of hosts."""
    return {
        "date": date.today().isoformat(),
        "machine": f"{processor()}, {os.cpu_count()} cores",
        "threads": torch.get_num_threads(),
        "versions": {"python": platform.python_version()}
        | {
            name: importlib.metadata.version(name)
            for name in VERSIONED
            if importlib.util.find_spec(name)
        },
    }


def processor() -> str:
    """The processor's own name, where the system tells it."""
    info = Path("/proc/cpuinfo")
    lines = info.read_text().splitlines() if info.exists() else []
    names = [line.split(":")[1].strip() for line in lines if line.startswith("model name")]
    return names[0] if names else platform.processor()


def copy_bandwidth(megabytes: int = 256) -> float:
    """GB a second, reads and writes counted, of PyTorch's copy of a large tensor: best of ten."""
    source = torch.ones(megabytes * 2**20 // 4)
    target = torch.empty_like(source)
    best = float("inf")
    for _ in range(10):
        begin = perf_counter()
        target.copy_(source)
        best = min(best, perf_counter() - begin)
    return round(2 * source.nbytes / best / 1e9, 1)

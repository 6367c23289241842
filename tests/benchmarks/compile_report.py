"""Compile every decode kernel for GPUs that aren't here, and say what became of it.

    in tests/:  python -m benchmarks.compile_report [--out FILE.json]

With another Triton in front (``pip install --no-deps --target FOLDER triton==3.6.0``, then
``PYTHONPATH=FOLDER:.``) it tells whether the kernels suit that one as well. Fails when a kernel
spills, or reads keys and values in pieces of less than 8 bytes.
"""

import argparse
import importlib.metadata
import json
import sys
from collections.abc import Callable, Iterator
from dataclasses import asdict
from datetime import date
from pathlib import Path
from typing import Any

import torch

from paged_attention.kernels import launch
from paged_attention.kernels.compiled import TARGETS, Compiled, compile_plan
from paged_attention.kernels.inputs import Decode, checked

HEADS, KV_HEADS = 32, 8
PLANS: dict[str, Callable[[Decode], launch.Plan]] = {
    "naive": launch.naive,
    "grouped": launch.grouped,
    "split in 32": lambda step: launch.split(step, 32),
}
TYPES = (torch.bfloat16, torch.float16, torch.float32, torch.float8_e4m3fn)
# sm_80 has no instruction that reads this type, and the naive kernel takes no fp8.
LEFT_OUT = {("sm_80", torch.float8_e4m3fn)}


def step(dtype: torch.dtype, head_dim: int, block_size: int) -> Decode:
    """Sizes and alignment of a real step; no number of it matters."""
    shape = (4, KV_HEADS, block_size, head_dim)
    q_type = torch.bfloat16 if dtype.itemsize == 1 else dtype
    return checked(
        torch.zeros(2, HEADS, head_dim, dtype=q_type),
        torch.zeros(shape, dtype=dtype),
        torch.zeros(shape, dtype=dtype),
        torch.zeros(2, 8, dtype=torch.int64),
        torch.zeros(2, dtype=torch.int64),
        block_size,
    )


def cases() -> Iterator[tuple[str, torch.dtype, int, int]]:
    """Plan, type, head size, block size: all types at 128, all head sizes in bfloat16."""
    for plan in PLANS:
        for dtype in TYPES:
            if plan != "naive" or dtype != torch.float8_e4m3fn:
                yield plan, dtype, 128, 16
        for head_dim in (64, 80, 96, 256):
            yield plan, torch.bfloat16, head_dim, 16
        for block_size in (1, 24, 64):
            yield plan, torch.bfloat16, 128, block_size


def told(made: Compiled) -> dict[str, Any]:
    """The facts without the code."""
    return {name: value for name, value in asdict(made).items() if name != "text"}


def main() -> int:
    """Compile everything and print, or write, one JSON document."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", type=Path)
    options = parser.parse_args()
    results, faults = [], []
    for target in TARGETS:
        for plan, dtype, head_dim, block_size in cases():
            if (target, dtype) in LEFT_OUT:
                continue
            for made in compile_plan(PLANS[plan](step(dtype, head_dim, block_size)), target):
                name = str(dtype).removeprefix("torch.")
                sizes = {"type": name, "head_dim": head_dim, "block_size": block_size}
                results.append({"plan": plan, **sizes, **told(made)})
                narrow = made.loads.keys() & {1, 2} and plan != "naive"
                if made.spilled or narrow:
                    faults.append(f"{name}, D {head_dim}, block {block_size}: {made}")
    versions = {name: importlib.metadata.version(name) for name in ("torch", "triton")}
    report = {
        "date": date.today().isoformat(),
        "what": "decode kernels compiled without a GPU, nothing launched",
        "versions": versions,
        "heads": f"{HEADS} query heads, {KV_HEADS} KV heads",
        "faults": faults,
        "results": results,
    }
    text = json.dumps(report, indent=1)
    if options.out:
        options.out.write_text(text + "\n")
    print(*faults, sep="\n", file=sys.stderr)
    print(f"{len(results)} kernels compiled with triton {versions['triton']}, {len(faults)} faults")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())

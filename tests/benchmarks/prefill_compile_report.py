"""Compile the prefill kernel for GPUs that aren't here, in the sizes it is launched in and in
larger ones, and say which spill.

    in tests/:  python -m benchmarks.prefill_compile_report [--out FILE.json]

Nothing is launched. Fails when one of the sizes that are launched spills, or reads keys and values
in pieces of less than 8 bytes. The larger ones are there to be seen: they say why the sizes are
what they are. With another Triton in front it works as ``compile_report`` does.
"""

import argparse
import importlib.metadata
import json
import sys
from collections.abc import Iterator
from datetime import date
from pathlib import Path
from typing import Any

import torch
from benchmarks.compile_report import LEFT_OUT, told

from paged_attention.kernels.compiled import TARGETS, compile_plan
from paged_attention.kernels.prefill_inputs import Prefill, checked_prefill
from paged_attention.kernels.prefill_launch import Sizes, choose_sizes, prefill

KV_HEADS, NEW = 8, 128
TYPES = (torch.bfloat16, torch.float16, torch.float32, torch.float8_e4m3fn)
LARGER = (
    (torch.bfloat16, 128, Sizes(128, 64, 4)),
    (torch.bfloat16, 128, Sizes(128, 64, 8)),
    (torch.bfloat16, 128, Sizes(128, 32, 8)),
    (torch.bfloat16, 128, Sizes(128, 128, 8)),
    (torch.bfloat16, 256, Sizes(64, 64, 4)),
    (torch.float32, 128, Sizes(64, 32, 4)),
    (torch.float32, 128, Sizes(32, 32, 4)),
)


def step(dtype: torch.dtype, head_dim: int, group: int, block_size: int) -> Prefill:
    """Sizes and alignment of a real step; no number in its tensors matters."""
    pool = torch.zeros(4, KV_HEADS, block_size, head_dim, dtype=dtype)
    q_type = torch.bfloat16 if dtype.itemsize == 1 else dtype
    return checked_prefill(
        torch.zeros(2 * NEW, KV_HEADS * group, head_dim, dtype=q_type),
        pool,
        torch.zeros_like(pool),
        torch.zeros(2, 1024, dtype=torch.int64),
        torch.tensor([NEW, NEW]),
        torch.tensor([0, NEW, 2 * NEW]),
        block_size,
    )


def cases() -> Iterator[tuple[torch.dtype, int, int, int, Sizes | None]]:
    """Type, head size, group, block size, and sizes where they aren't those that are launched."""
    for dtype in TYPES:
        for head_dim in (64, 128, 256):
            yield dtype, head_dim, 4, 16, None
    for head_dim in (48, 80, 96):
        yield torch.bfloat16, head_dim, 4, 16, None
    for group in (1, 3, 8):
        yield torch.bfloat16, 64, group, 16, None
    for block_size in (1, 24, 48, 256):
        yield torch.bfloat16, 128, 4, block_size, None
    for dtype, head_dim, sizes in LARGER:
        yield dtype, head_dim, 4, 16, sizes


def main() -> int:
    """Compile everything and print, or write, one JSON document."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", type=Path)
    options = parser.parse_args()
    results: list[dict[str, Any]] = []
    faults = []
    for target in TARGETS:
        for dtype, head_dim, group, block_size, other in cases():
            if (target, dtype) in LEFT_OUT:
                continue
            given = step(dtype, head_dim, group, block_size)
            sizes = other or choose_sizes(given, NEW)
            (made,) = compile_plan(prefill(given, sizes), target)
            shape = {"head_dim": head_dim, "group": group, "block_size": block_size}
            name = str(dtype).removeprefix("torch.")
            results.append(
                {"launched": other is None, "type": name, **shape, **sizes._asdict(), **told(made)}
            )
            if other is None and (made.spilled or made.loads.keys() & {1, 2}):
                faults.append(f"{name}, {shape}: {made}")
    versions = {name: importlib.metadata.version(name) for name in ("torch", "triton")}
    report = {
        "date": date.today().isoformat(),
        "what": "the prefill kernel compiled without a GPU, nothing launched",
        "versions": versions,
        "heads": f"{KV_HEADS} KV heads",
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

"""Time one layer's prefill attention on a GPU, all contestants in one run. Says so where none is.

    in tests/:  python -m benchmarks.prefill_gpu [--out FILE.json] [--seconds N]

Prefill computes where decode waits, so each figure is told in floating-point operations a second:
those of the pairs of a query and a key that it sees. bfloat16, 8 KV heads, blocks of 16 in random
order. Beside ours: PyTorch's attention over contiguous memory, and other engines' kernels where
PAGED_ATTENTION_PEERS names their files (see peer_prefill). The tile map is made once and not timed,
as a step's is for all its layers. The rest is as in decode_gpu.
"""

import argparse
import json
import math
import os
import sys
from collections.abc import Callable
from pathlib import Path
from time import perf_counter
from typing import Any

import torch
from benchmarks.decode_gpu import milliseconds, rehearsed
from benchmarks.machine import described
from benchmarks.prefill_cpu import Load
from torch import Tensor
from torch.nn.functional import scaled_dot_product_attention as sdpa

from paged_attention.kernels.prefill_inputs import Prefill, checked_prefill
from paged_attention.tables import blocks_needed

KV_HEADS, BLOCK_SIZE = 8, 16
HEADS = ((4, 128), (8, 128), (4, 64), (1, 128))  # group, head size
LOADS = (
    *(Load(1, 0, 2048), Load(1, 2048, 512), Load(1, 16_384, 512), Load(8, 1024, 64)),
    *(Load(1, 0, 8192), Load(1, 8192, 64), Load(32, 2048, 16), Load(64, 4096, 1)),
)
REHEARSED = (Load(2, 40, 9), 2, 64)
Call = Callable[[], Tensor]


def make_step(load: Load, group: int, head_dim: int, device: str, dtype: torch.dtype) -> Prefill:
    """Equal sequences, blocks in random order."""
    length = load.known + load.new
    width = blocks_needed(length, BLOCK_SIZE)
    count = load.sequences * width
    kind: dict[str, Any] = {"device": device, "dtype": dtype}
    return checked_prefill(
        torch.randn(load.sequences * load.new, KV_HEADS * group, head_dim, **kind),
        torch.randn(count, KV_HEADS, BLOCK_SIZE, head_dim, **kind),
        torch.randn(count, KV_HEADS, BLOCK_SIZE, head_dim, **kind),
        torch.randperm(count, device=device).view(load.sequences, width),
        torch.full((load.sequences,), length, device=device),
        torch.arange(load.sequences + 1, device=device) * load.new,
        BLOCK_SIZE,
    )


def contiguous(load: Load, step: Prefill) -> Call:
    """PyTorch's attention over histories that lie contiguous already."""
    length = load.known + load.new
    keys, values = (
        pool[step.block_tables].transpose(1, 2).flatten(2, 3)[:, :, :length].contiguous()
        for pool in (step.k_pool, step.v_pool)
    )
    q = step.q.unflatten(0, (load.sequences, load.new)).transpose(1, 2)
    if load.known == 0:
        how: dict[str, Any] = {"is_causal": True}
    else:
        own = torch.arange(load.known, length, device=q.device)
        how = {"attn_mask": torch.arange(length, device=q.device) <= own[:, None]}
    gqa = q.shape[1] != KV_HEADS
    return lambda: sdpa(q, keys, values, enable_gqa=gqa, **how).transpose(1, 2).flatten(0, 1)


def contestants(load: Load, step: Prefill, rehearsal: bool) -> dict[str, Callable[[], Call]]:
    """By name, what prepares each; ours is the first."""
    from benchmarks import peer_prefill

    from paged_attention.kernels import prefill_launch

    def ours() -> Call:
        plan = prefill_launch.prefill(step)
        if rehearsal:
            from paged_attention.kernels.interpreter import interpret

            return lambda: plan.run(interpret)
        return plan.run

    peers = peer_prefill.present()
    return {"ours": ours, "contiguous SDPA": lambda: contiguous(load, step)} | {
        name: lambda prepare=prepare: prepare(step)  # type: ignore[misc]
        for name, prepare in peers.items()
    }


def race(
    load: Load, group: int, head_dim: int, device: str, dtype: torch.dtype, rehearsal: bool
) -> dict[str, Any]:
    """Milliseconds and operations a second, or why there are none."""
    step = make_step(load, group, head_dim, device, dtype)
    operations = 4 * load.pairs * KV_HEADS * group * head_dim
    figures: dict[str, Any] = {}
    right: Tensor | None = None
    for name, prepare in contestants(load, step, rehearsal).items():
        try:
            call = prepare()
            out = call().float()
            right = out if right is None else right
            torch.testing.assert_close(out, right, atol=2e-2, rtol=2e-2)
            spent = (rehearsed if rehearsal else milliseconds)(call)
        except Exception as error:  # a contestant that can't run here is no reason to stop
            figures[name] = f"{type(error).__name__}: {str(error).splitlines()[0][:120]}"
            continue
        figures[name] = {
            "milliseconds": round(spent, 4),
            "TFLOP/s": round(operations / spent / 1e9, 1),
        }
    shape = {"group": group, "head_dim": head_dim, "block_size": BLOCK_SIZE}
    return load._asdict() | shape | {"results": figures}


def measure(options: argparse.Namespace) -> dict[str, Any]:
    """A row for each load and kind of heads that there was time for, the most telling first."""
    torch.manual_seed(0)
    if options.rehearse:
        os.environ["TRITON_INTERPRET"] = "1"  # for the other engines' kernels
        found = [race(*REHEARSED, "cpu", torch.float16, rehearsal=True)]
        return {"GPU": "none, a rehearsal", "results": found}
    end, found, left_out = perf_counter() + options.seconds, [], 0
    for group, head_dim in HEADS:
        for load in LOADS:
            if found and perf_counter() >= end:
                left_out += 1
                continue
            found.append(race(load, group, head_dim, "cuda", torch.bfloat16, rehearsal=False))
            print(found[-1], file=sys.stderr, flush=True)
            torch.cuda.empty_cache()
    return {"GPU": torch.cuda.get_device_name(), "left out": left_out, "results": found}


def main() -> None:
    """Run everything and print, or write, one JSON document."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", type=Path)
    parser.add_argument("--seconds", type=float, default=math.inf)
    parser.add_argument("--rehearse", action="store_true", help="on a CPU, in the interpreter")
    options = parser.parse_args()
    if not options.rehearse and not torch.cuda.is_available():
        print("prefill_gpu: not run, there is no GPU here")
        return
    what = {"what": "one layer's prefill attention on a GPU"}
    text = json.dumps(described() | what | measure(options), indent=2)
    if options.out:
        options.out.write_text(text + "\n")
    print(text)


if __name__ == "__main__":
    main()

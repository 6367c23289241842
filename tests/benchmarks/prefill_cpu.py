"""Time one layer's prefill attention on a CPU, all contestants in one run.

    in tests/:  python -m benchmarks.prefill_cpu [--out FILE.json] [--rounds 12]

SmolLM2's shapes: 9 query heads, 3 KV heads of 64, float32, blocks of 16 in random order. A load is
``sequences × (known + new)``: so many tokens are in the pool already, so many come. Contestants
take turns; each figure is the best of its rounds, in milliseconds. Contiguous memory lies in the
order that PyTorch's attention likes best; only a first prompt lets it use ``is_causal`` instead of
a mask. Where the processor has AVX-512, ours is also built without it: what it does on an older
one.
"""

import argparse
import json
import sys
from collections.abc import Callable
from pathlib import Path
from time import perf_counter
from typing import Any, NamedTuple
from unittest import mock

import torch
from benchmarks.machine import copy_bandwidth, described
from torch import Tensor
from torch.nn.functional import scaled_dot_product_attention as sdpa

from paged_attention.kernels import cpu, prefill_cpu, which_kernel
from paged_attention.kernels.prefill_inputs import Prefill, checked_prefill
from paged_attention.tables import blocks_needed

HEADS, KV_HEADS, HEAD_DIM, BLOCK_SIZE = 9, 3, 64, 16
OURS, OLDER = "paged, in place", "paged, in place, without AVX-512"
WITHOUT_AVX512 = (("-march=native", "-mno-avx512f", "-fopenmp"), ("-march=native", "-mno-avx512f"))
Contestant = Callable[[], Tensor]


class Load(NamedTuple):
    """Equal sequences, so that contiguous memory needs no padding."""

    sequences: int
    known: int
    new: int

    def __str__(self) -> str:
        one = f"{self.known:,} + {self.new:,}"
        return one if self.sequences == 1 else f"{self.sequences} × ({one})"

    @property
    def pairs(self) -> int:
        """Of a query and a key that it sees, for each query head."""
        return self.sequences * sum(range(self.known + 1, self.known + self.new + 1))


LOADS = (
    *(Load(1, 0, new) for new in (64, 512, 2048)),
    *(Load(1, 512, new) for new in (16, 128)),
    *(Load(1, 2048, new) for new in (1, 2, 8, 32, 128, 512)),
    *(Load(1, 8192, new) for new in (32, 256)),
    Load(8, 512, 32),
)


def make_step(load: Load) -> Prefill:
    """Pools with just the blocks that are needed, in random order."""
    torch.manual_seed(0)
    length = load.known + load.new
    width = blocks_needed(length, BLOCK_SIZE)
    shape = (load.sequences * width, KV_HEADS, BLOCK_SIZE, HEAD_DIM)
    return checked_prefill(
        torch.randn(load.sequences * load.new, HEADS, HEAD_DIM),
        torch.randn(shape),
        torch.randn(shape),
        torch.randperm(load.sequences * width).view(load.sequences, width),
        torch.full((load.sequences,), length),
        torch.arange(load.sequences + 1) * load.new,
        BLOCK_SIZE,
    )


def contestants(load: Load, step: Prefill) -> dict[str, Contestant]:
    """By name; the first is ours."""
    length = load.known + load.new
    queries = step.q.view(load.sequences, load.new, HEADS, HEAD_DIM).transpose(1, 2)
    mask = torch.arange(length) <= torch.arange(load.known, length)[:, None]

    def history(pool: Tensor) -> Tensor:
        return pool[step.block_tables].transpose(1, 2).flatten(2, 3)[:, :, :length]

    def attended(keys: Tensor, values: Tensor, **how: Any) -> Tensor:
        out = sdpa(queries, keys, values, enable_gqa=True, **how)
        return out.transpose(1, 2).flatten(0, 1)

    kept = [history(pool).contiguous() for pool in (step.k_pool, step.v_pool)]
    found: dict[str, Contestant] = {
        OURS: lambda: prefill_cpu.prefill(step),
        "contiguous SDPA, mask": lambda: attended(*kept, attn_mask=mask),
        "gather + SDPA": lambda: attended(
            history(step.k_pool), history(step.v_pool), attn_mask=mask
        ),
    }
    if load.known == 0:
        found["contiguous SDPA, is_causal"] = lambda: attended(*kept, is_causal=True)
    if torch.cpu._is_avx512_supported():
        found[OLDER] = older(step)
    return found


def older(step: Prefill) -> Contestant:
    """Ours, built for a processor without AVX-512."""
    with mock.patch.object(cpu, "EXTRA_FLAGS", WITHOUT_AVX512):
        library = prefill_cpu.library.__wrapped__(HEAD_DIM, HEADS // KV_HEADS, torch.float32)

    def prefill() -> Tensor:
        with mock.patch.object(prefill_cpu, "library", return_value=library):
            return prefill_cpu.prefill(step)

    return prefill


def race(calls: dict[str, Contestant], rounds: int) -> dict[str, float]:
    """The best of the rounds for each, in milliseconds; all agree on the answer first."""
    right = next(iter(calls.values()))()
    for name, call in calls.items():
        torch.testing.assert_close(call(), right, atol=1e-4, rtol=1e-4, msg=f"{name} is wrong")
    best = dict.fromkeys(calls, float("inf"))
    for _ in range(rounds):
        for name, call in calls.items():
            begin = perf_counter()
            call()
            best[name] = min(best[name], (perf_counter() - begin) * 1e3)
    return {name: round(value, 4) for name, value in best.items()}


def measure(rounds: int) -> list[dict[str, Any]]:
    """A row for each load; short ones get more rounds."""
    found = []
    for load in LOADS:
        step = make_step(load)
        repeats = max(3, min(20 * rounds, rounds * 2_000_000 // load.pairs))
        figures = race(contestants(load, step), repeats)
        operations = 4 * load.pairs * HEADS * HEAD_DIM  # multiplications and additions
        found.append(
            {
                "load": str(load),
                **load._asdict(),
                "rounds": repeats,
                "milliseconds": figures,
                "GFLOP/s": round(operations / figures[OURS] / 1e6, 1),
            }
        )
        print(found[-1], file=sys.stderr, flush=True)
    return found


def main() -> None:
    """Run everything and print, or write, one JSON document."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=12)
    parser.add_argument("--out", type=Path)
    options = parser.parse_args()
    report = described() | {
        "what": "one layer's prefill attention on a CPU",
        "unit": "milliseconds, best of the rounds",
        "kernel": which_kernel(make_step(LOADS[0])),
        "copy GB/s": copy_bandwidth(),
        "results": measure(options.rounds),
    }
    text = json.dumps(report, indent=2)
    if options.out:
        options.out.write_text(text + "\n")
    print(text)


if __name__ == "__main__":
    main()

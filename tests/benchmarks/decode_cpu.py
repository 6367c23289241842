"""Time one layer's decode attention on a CPU, all contestants in one run.

    in tests/:  python -m benchmarks.decode_cpu [--out FILE.json]

SmolLM2's shapes: 9 query heads, 3 KV heads of 64, float32, blocks of 16 in random order.
Contestants take turns, so that a slow minute of the machine hits all of them; each figure is the
best of its rounds, in milliseconds. Nobody has a handicap: contiguous memory lies in the order that
PyTorch's attention likes best, with no mask where all rows are equally long, and one of the gathers
copies into memory that it keeps, since fresh pages can cost more than the copy. Numba is timed when
it is installed.
"""

import argparse
import json
import sys
from collections.abc import Callable
from pathlib import Path
from time import perf_counter
from typing import Any

import torch
from benchmarks.machine import copy_bandwidth, described
from torch import Tensor
from torch.nn.functional import scaled_dot_product_attention as sdpa

from paged_attention.kernels import gather, paged_decode_attention, which_kernel
from paged_attention.kernels.inputs import Decode, checked
from paged_attention.tables import blocks_needed

HEADS, KV_HEADS, HEAD_DIM, BLOCK_SIZE = 9, 3, 64, 16
BATCHES = (1, 4, 16, 64)
TOKENS = (64, 256, 1024, 4096)
Contestant = Callable[[], Tensor]


def lengths_of(kind: str, rows: int, tokens: int) -> list[int]:
    """All equal, or anything from 1 to ``tokens`` with one row that long."""
    if kind == "uniform":
        return [tokens] * rows
    drawn = torch.randint(1, tokens + 1, (rows,), generator=torch.Generator().manual_seed(2))
    return [tokens, *drawn[1:].tolist()]


def make_step(lengths: list[int]) -> Decode:
    """Pools with just the blocks that are needed, in random order."""
    torch.manual_seed(0)
    counts = [blocks_needed(length, BLOCK_SIZE) for length in lengths]
    order = torch.randperm(sum(counts))
    tables = torch.zeros(len(lengths), max(counts), dtype=torch.int64)
    for row, (count, mine) in enumerate(zip(counts, order.split(counts), strict=True)):
        tables[row, :count] = mine
    shape = (sum(counts), KV_HEADS, BLOCK_SIZE, HEAD_DIM)
    q = torch.randn(len(lengths), HEADS, HEAD_DIM)
    pools = torch.randn(shape), torch.randn(shape)
    return checked(q, *pools, tables, torch.tensor(lengths), BLOCK_SIZE)


def contiguous(step: Decode) -> Contestant:
    """PyTorch's attention over histories that lie contiguous already, padded to the longest."""
    longest = int(step.lengths.max())
    width = blocks_needed(longest, BLOCK_SIZE)
    keys, values = (
        pool[step.block_tables[:, :width]]
        .transpose(1, 2)
        .flatten(2, 3)[:, :, :longest]
        .contiguous()
        for pool in (step.k_pool, step.v_pool)
    )
    past_end = torch.arange(longest) >= step.lengths[:, None]
    mask = ~past_end[:, None, None] if past_end.any() else None
    q = step.q[:, :, None]
    return lambda: sdpa(q, keys, values, attn_mask=mask, enable_gqa=True)[:, :, 0]


def gather_into_kept_memory(step: Decode) -> Contestant:
    """The vectorised gather at its best: no page is new, nothing is checked."""
    longest = int(step.lengths.max())
    entries = step.block_tables[:, : blocks_needed(longest, BLOCK_SIZE)]
    past_end = torch.arange(longest) >= step.lengths[:, None]
    mask = ~past_end[:, None, None] if past_end.any() else None
    heads = torch.arange(KV_HEADS)[:, None]
    runs = (entries[:, None] * KV_HEADS + heads).flatten()  # one head of one block each
    kept = [pool.new_empty(len(runs), BLOCK_SIZE * HEAD_DIM) for pool in (step.k_pool, step.v_pool)]

    def history(pool: Tensor, out: Tensor) -> Tensor:
        torch.index_select(pool.view(-1, BLOCK_SIZE * HEAD_DIM), 0, runs, out=out)
        return out.view(step.rows, KV_HEADS, -1, HEAD_DIM)[:, :, :longest]

    def decode() -> Tensor:
        keys, values = history(step.k_pool, kept[0]), history(step.v_pool, kept[1])
        return sdpa(step.q[:, :, None], keys, values, attn_mask=mask, enable_gqa=True)[:, :, 0]

    return decode


def row_by_row(step: Decode) -> Tensor:
    """The first gather one would write: a loop over the sequences."""
    out = torch.empty_like(step.q)
    for row, length in enumerate(step.lengths.tolist()):
        blocks = step.block_tables[row, : blocks_needed(length, BLOCK_SIZE)]
        keys, values = (
            pool[blocks].transpose(0, 1).flatten(1, 2)[:, :length]
            for pool in (step.k_pool, step.v_pool)
        )
        out[row] = sdpa(step.q[row, :, None], keys, values, enable_gqa=True)[:, 0]
    return out


def contestants(step: Decode) -> dict[str, Contestant]:
    """By name; the first is ours."""
    given = (step.q, step.k_pool, step.v_pool, step.block_tables, step.lengths, BLOCK_SIZE)
    found: dict[str, Contestant] = {
        "paged, in place": lambda: paged_decode_attention(*given),
        "contiguous SDPA": contiguous(step),
        "vectorised gather + SDPA": lambda: gather.decode(step),
        "gather into kept memory + SDPA": gather_into_kept_memory(step),
        "gather row by row + SDPA": lambda: row_by_row(step),
    }
    try:
        from benchmarks.numba_walk import decode
    except ImportError:
        return found
    return found | {"Numba through the table": lambda: decode(step)}


def race(calls: dict[str, Contestant], rounds: int) -> dict[str, float]:
    """The best of the rounds for each, in milliseconds; all agree on the answer first."""
    right = next(iter(calls.values()))()
    for name, call in calls.items():
        torch.testing.assert_close(call(), right, atol=2e-5, rtol=2e-5, msg=f"{name} is wrong")
    best = dict.fromkeys(calls, float("inf"))
    for _ in range(rounds):
        for name, call in calls.items():
            begin = perf_counter()
            call()
            best[name] = min(best[name], (perf_counter() - begin) * 1e3)
    return {name: round(value, 4) for name, value in best.items()}


def measure(rounds: int) -> list[dict[str, Any]]:
    """A row for each batch, length and kind of lengths."""
    found = []
    for kind in ("uniform", "ragged"):
        for rows in BATCHES:
            for tokens in TOKENS:
                if kind == "ragged" and rows == 1:
                    continue
                step = make_step(lengths_of(kind, rows, tokens))
                total = int(step.lengths.sum())
                repeats = max(5, min(20 * rounds, 200_000 * rounds // total // 10))
                figures = race(contestants(step), repeats)
                found.append(
                    {
                        "kind": kind,
                        "rows": rows,
                        "tokens": tokens,
                        "KV bytes": 2 * total * KV_HEADS * HEAD_DIM * 4,
                        "rounds": repeats,
                        "milliseconds": figures,
                    }
                )
                print(kind, rows, tokens, figures, file=sys.stderr, flush=True)
    return found


def main() -> None:
    """Run everything and print, or write, one JSON document."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=20)
    parser.add_argument("--out", type=Path)
    options = parser.parse_args()
    report = described() | {
        "what": "one layer's decode attention on a CPU",
        "unit": "milliseconds, best of the rounds",
        "kernel": which_kernel(make_step([5])),
        "copy GB/s": copy_bandwidth(),
        "results": measure(options.rounds),
    }
    text = json.dumps(report, indent=2)
    if options.out:
        options.out.write_text(text + "\n")
    print(text)


if __name__ == "__main__":
    main()

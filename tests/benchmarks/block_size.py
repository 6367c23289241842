"""What each block size from 1 to 256 costs: kernels, bookkeeping, copies, waste, tokens run again.

    in tests/:  python -m benchmarks.block_size [--out FILE.json] [--rounds 30]

SmolLM2's shapes in float32, blocks in random order, one thread. Sizes take turns; each time is the
best of its rounds, in milliseconds. Waste is counted over lengths drawn from the percentiles of
Azure's trace of 2023, tokens run over conversations of 2 to 8 turns behind one of eight system
prompts, with a pool that never runs full.
"""

import argparse
import json
import random
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from time import perf_counter
from typing import Any

import torch
from benchmarks.machine import described

from paged_attention.allocator import BlockAllocator
from paged_attention.kernels import paged_decode_attention, paged_prefill_attention
from paged_attention.tables import blocks_needed
from workbook.workloads import CODE, CONVERSATION

SIZES = (1, 2, 4, 8, 16, 32, 64, 128, 256)
HEADS, KV_HEADS, HEAD_DIM, LAYERS = 9, 3, 64, 30
SEQUENCES, TOKENS, NEW = 8, 2048, 64
DRAWS, CONVERSATIONS = 20_000, 2_000
Timed = dict[str, Callable[[], object]]


def jobs(size: int) -> Timed:
    """What is timed at one block size."""
    torch.manual_seed(0)
    each = blocks_needed(TOKENS, size)
    pools = [torch.randn(SEQUENCES * each, KV_HEADS, size, HEAD_DIM) for _ in "kv"]
    tables = torch.randperm(SEQUENCES * each).view(SEQUENCES, each)
    lengths, one = torch.full((SEQUENCES,), TOKENS), torch.tensor([TOKENS])
    starts = torch.tensor([0, NEW])
    q, new = torch.randn(SEQUENCES, HEADS, HEAD_DIM), torch.randn(NEW, HEADS, HEAD_DIM)
    allocator, table = BlockAllocator(each), tables[0].tolist()
    layers = torch.randn(LAYERS, 2, KV_HEADS, size, HEAD_DIM)

    def copy_a_block() -> None:
        for layer in range(LAYERS):
            layers[layer, 0].copy_(layers[layer, 1])

    return {
        "decode, 8 × 2,048": lambda: paged_decode_attention(q, *pools, tables, lengths, size),
        "prefill, 64 after 1,984": lambda: paged_prefill_attention(
            new, *pools, tables[:1], one, starts, size
        ),
        "gather one history": lambda: pools[0][tables[0]].transpose(0, 1).flatten(1, 2),
        "take and give back 2,048 tokens": lambda: allocator.release_many(
            allocator.allocate_many(each)
        ),
        "table to tensor": lambda: torch.tensor(table),
        "copy a block in 30 layers": copy_a_block,
    }


def race(rounds: int) -> dict[str, dict[int, float]]:
    """The best of the rounds, by job and size."""
    best: dict[str, dict[int, float]] = {}
    ready = {size: jobs(size) for size in SIZES}
    for _ in range(rounds):
        for size, calls in ready.items():
            for name, call in calls.items():
                begin = perf_counter()
                call()
                spent = (perf_counter() - begin) * 1e3
                mine = best.setdefault(name, {})
                mine[size] = min(mine.get(size, spent), spent)
    return {name: {size: round(t, 4) for size, t in mine.items()} for name, mine in best.items()}


def waste() -> Iterator[dict[str, Any]]:
    """Slots that hold no token, of all in blocks taken; and entries of a sequence's table."""
    for load in (CONVERSATION, CODE):
        lengths = [prompt + answer for prompt, answer in load.draw(DRAWS)]
        tokens = sum(lengths)
        for size in SIZES:
            blocks = sum(blocks_needed(length, size) for length in lengths)
            yield {
                "load": load.name,
                "block_size": size,
                "mean tokens": round(tokens / DRAWS),
                "wasted": round(1 - tokens / (blocks * size), 4),
                "by rule": round((size - 1) / 2 / (tokens / DRAWS + (size - 1) / 2), 4),
                "mean entries": round(blocks / DRAWS),
            }


def conversations() -> Iterator[tuple[int, list[int]]]:
    """System prompt, and the length of the whole prompt at each turn."""
    source = random.Random(2)
    for _ in range(CONVERSATIONS):
        system, length, turns = source.randrange(8), 1000, []
        for _ in range(source.randint(2, 8)):
            length += source.randint(100, 600)
            turns.append(length)
        yield system, turns


def tokens_run() -> Iterator[dict[str, Any]]:
    """Prompt tokens that are computed: all but whole blocks known from before."""
    asked = list(conversations())
    for size in SIZES:
        seen: set[int] = set()
        run = total = 0
        for system, turns in asked:
            known = 1000 if system in seen else 0
            for length in turns:
                hit = min(known, length - 1) // size * size
                run, total, known = run + length - hit, total + length, length
            seen.add(system)
        rate = round(1 - run / total, 4)
        yield {"block_size": size, "run": run, "asked": total, "hit rate": rate}


def main() -> None:
    """Run everything and print, or write, one JSON document."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=30)
    parser.add_argument("--out", type=Path)
    options = parser.parse_args()
    torch.set_num_threads(1)
    times = race(options.rounds)
    print(times, file=sys.stderr, flush=True)
    report = described() | {
        "what": "one block size against another",
        "unit": "milliseconds, best of the rounds",
        "rounds": options.rounds,
        "milliseconds": times,
        "waste": list(waste()),
        "tokens run": list(tokens_run()),
    }
    text = json.dumps(report, indent=1)
    if options.out:
        options.out.write_text(text + "\n")
    print(text)


if __name__ == "__main__":
    main()

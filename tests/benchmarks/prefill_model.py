"""Time prompts of the real model with each cache, all in one run.

    in tests/:  python -m benchmarks.prefill_model [--out FILE.json] [--rounds 4]

SmolLM2-135M in float32, blocks of 16 in random order. ``known + new``: the first token after a
prefix hit, when so many tokens of the prompt are in the cache already. ``length by chunk``: a whole
prompt in chunks. Caches take turns; figures are milliseconds, the best and the median of the
rounds. The tiny model stands in where SmolLM2 was not fetched, and the result says so.
"""

import argparse
import json
import random
import statistics
import sys
from pathlib import Path
from time import perf_counter
from typing import Any

import torch
from benchmarks.machine import described
from torch import Tensor

from paged_attention.cache import PagedKVCache
from paged_attention.contiguous import ContiguousKVCache
from paged_attention.generate import run
from paged_attention.model import Model, load_model
from paged_attention.tables import blocks_needed

BLOCK_SIZE = 16
HITS = ((512, 16), (1024, 16), (1024, 64))
CHUNKS = ((512, 64), (512, 256), (1024, 1024))
OURS = "paged, in place"


def make_caches(model: Model, length: int) -> dict[str, Any]:
    """Three empty caches with room for one sequence."""
    config = model.config
    shape = config.kv_heads, config.head_dim
    sizes = config.layers, blocks_needed(length, BLOCK_SIZE), BLOCK_SIZE
    caches = {
        "contiguous": ContiguousKVCache(config.layers, length, *shape),
        OURS: PagedKVCache(*sizes, *shape),
        "paged, gather": PagedKVCache(*sizes, *shape, decode=None, prefill=None),
    }
    for cache in list(caches.values())[1:]:
        blocks = cache.allocator.allocate_many(cache.allocator.num_free)
        random.Random(0).shuffle(blocks)
        cache.allocator.release_many(blocks)
    return caches


def begin(cache: Any, length: int) -> None:
    if isinstance(cache, ContiguousKVCache):
        cache.create("a", length)
    else:
        cache.create("a")


def timed(model: Model, cache: Any, tokens: list[int], start: int) -> tuple[float, Tensor]:
    """Milliseconds of one step, and the logits after it."""
    clock = perf_counter()
    logits = run(model.decoder, cache, ["a"], [tokens], [start])
    return (perf_counter() - clock) * 1e3, logits


def told(spent: dict[str, list[float]], logits: dict[str, Tensor]) -> dict[str, Any]:
    """The figures; and by how much logits differ from the first cache's."""
    right = next(iter(logits.values()))
    return {
        "milliseconds": {
            name: {"best": round(min(times), 2), "median": round(statistics.median(times), 2)}
            for name, times in spent.items()
        },
        "logits differ by": {
            name: float(f"{(each - right).abs().max().item():.1e}") for name, each in logits.items()
        },
    }


def hits(model: Model, known: int, new: int, rounds: int) -> dict[str, Any]:
    """The step that follows a prefix hit, again and again."""
    caches = make_caches(model, known + new)
    del caches["contiguous"]  # which can't be cut back to where it was
    tokens = torch.randint(0, model.config.vocab_size, (known + new,)).tolist()
    for cache in caches.values():
        begin(cache, known + new)
        for start in range(0, known, 512):
            timed(model, cache, tokens[start : min(start + 512, known)], start)
    spent: dict[str, list[float]] = {name: [] for name in caches}
    logits: dict[str, Tensor] = {}
    for _ in range(rounds):
        for name, cache in caches.items():
            milliseconds, logits[name] = timed(model, cache, tokens[known:], known)
            spent[name].append(milliseconds)
            cache.truncate("a", known)
    return {"known": known, "new": new} | told(spent, logits)


def chunked(model: Model, length: int, chunk: int, rounds: int) -> dict[str, Any]:
    """A whole prompt, chunk by chunk."""
    caches = make_caches(model, length)
    tokens = torch.randint(0, model.config.vocab_size, (length,)).tolist()
    spent: dict[str, list[float]] = {name: [] for name in caches}
    logits: dict[str, Tensor] = {}
    for _ in range(rounds):
        for name, cache in caches.items():
            begin(cache, length)
            whole = 0.0
            for start in range(0, length, chunk):
                step, logits[name] = timed(model, cache, tokens[start : start + chunk], start)
                whole += step
            spent[name].append(whole)
            cache.free("a")
    return {"length": length, "chunk": chunk} | told(spent, logits)


def main() -> None:
    """Run everything and print, or write, one JSON document."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=4)
    parser.add_argument("--out", type=Path)
    options = parser.parse_args()
    torch.manual_seed(0)
    model = load_model()
    results: dict[str, list[dict[str, Any]]] = {"first token after a hit": [], "chunked": []}
    for known, new in HITS:
        results["first token after a hit"].append(hits(model, known, new, 2 * options.rounds))
        print(results["first token after a hit"][-1], file=sys.stderr, flush=True)
    for length, chunk in CHUNKS:
        results["chunked"].append(chunked(model, length, chunk, max(1, options.rounds // 2)))
        print(results["chunked"][-1], file=sys.stderr, flush=True)
    report = described() | {
        "what": f"prompts of {model.name}",
        "unit": "milliseconds",
        "rounds": options.rounds,
        "results": results,
    }
    text = json.dumps(report, indent=2)
    if options.out:
        options.out.write_text(text + "\n")
    print(text)


if __name__ == "__main__":
    main()

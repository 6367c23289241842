"""Time whole decode steps of the real model with each cache, all in one run.

    in tests/:  python -m benchmarks.decode_model [--out FILE.json]

SmolLM2-135M in float32. Histories are filled with random keys and values, since only their length
matters; then every sequence decodes one token a step. Caches take turns step by step; figures are
milliseconds a step, the best and the median of the rounds. The tiny model stands in where SmolLM2
was not fetched, and the result says so.
"""

import argparse
import json
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
from paged_attention.model import Model, load_model
from paged_attention.tables import blocks_needed

BLOCK_SIZE = 16
LOADS = ((1, 64), (1, 512), (1, 1984), (8, 64), (8, 512), (8, 1984), (32, 512))


def make_caches(model: Model, rows: int, tokens: int, steps: int) -> dict[str, Any]:
    """Three caches with the same histories."""
    config, most = model.config, tokens + steps
    shape = config.kv_heads, config.head_dim
    blocks = rows * blocks_needed(most, BLOCK_SIZE)
    contiguous = ContiguousKVCache(config.layers, rows * most, *shape)
    caches = {
        "contiguous": contiguous,
        "paged, in place": PagedKVCache(config.layers, blocks, BLOCK_SIZE, *shape),
        "paged, gather": PagedKVCache(
            config.layers, blocks, BLOCK_SIZE, *shape, decode=None, prefill=None
        ),
    }
    k, v = (torch.randn(rows, config.kv_heads, tokens, config.head_dim) for _ in "kv")
    for cache in caches.values():
        for row in range(rows):
            cache.create(row, most) if cache is contiguous else cache.create(row)
            cache.reserve(row, tokens)
        cache.set_batch(range(rows))
        for layer in range(config.layers):
            cache.update(layer, k, v, torch.arange(tokens))
    return caches


def step(model: Model, cache: Any, ids: Tensor) -> tuple[float, Tensor]:
    """One token for every sequence: milliseconds, and the logits."""
    rows = range(len(ids))
    begin = perf_counter()
    for row in rows:
        cache.reserve(row, 1)
    cache.set_batch(rows)
    positions = torch.tensor([cache.lengths[row] for row in rows])[:, None]
    logits = model.decoder.next_logits(ids, positions, cache)
    return (perf_counter() - begin) * 1e3, logits


def race(model: Model, rows: int, tokens: int, rounds: int) -> dict[str, dict[str, float]]:
    """Best and median milliseconds a step for each cache."""
    caches = make_caches(model, rows, tokens, rounds + 1)
    ids = torch.randint(0, model.config.vocab_size, (rows, 1))
    spent: dict[str, list[float]] = {name: [] for name in caches}
    right = None
    for name, cache in caches.items():  # warms up, too
        _, logits = step(model, cache, ids)
        right = logits if right is None else right
        # Random histories throw the model about: rounding of 1e-7 a layer comes out as 1e-3.
        torch.testing.assert_close(logits, right, atol=0.05, rtol=0, msg=f"{name} is wrong")
    for _ in range(rounds):
        for name, cache in caches.items():
            spent[name].append(step(model, cache, ids)[0])
    return {
        name: {"best": round(min(times), 2), "median": round(statistics.median(times), 2)}
        for name, times in spent.items()
    }


def main() -> None:
    """Run everything and print, or write, one JSON document."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=40)
    parser.add_argument("--out", type=Path)
    options = parser.parse_args()
    torch.manual_seed(0)
    model = load_model()
    results = []
    for rows, tokens in LOADS:
        figures = race(model, rows, tokens, options.rounds)
        results.append({"rows": rows, "tokens": tokens, "milliseconds a step": figures})
        print(rows, tokens, figures, file=sys.stderr, flush=True)
    report = described() | {
        "what": f"decode steps of {model.name}",
        "unit": "milliseconds a step of all sequences",
        "rounds": options.rounds,
        "results": results,
    }
    text = json.dumps(report, indent=2)
    if options.out:
        options.out.write_text(text + "\n")
    print(text)


if __name__ == "__main__":
    main()

"""Time whole decode steps of the real model with each cache, all in one run.

    in tests/:  python -m benchmarks.decode_model [--before SRC] [--out FILE.json]

Two parts, both of SmolLM2-135M; the tiny model stands in where it was not fetched, and the result
says so. *Caches*: float32, one token a step for every sequence, over histories of random keys and
values, since only their length matters. *Steps*: the decoder with its product and with PyTorch's,
in bfloat16, and ``transformers``; with ``--before`` also the decoder of another checkout, whose
``src`` folder is given. All take turns step by step; figures are milliseconds a step, the best and
the median of the rounds. How far other products and types lead the logits away is told, too.
"""

import argparse
import json
import statistics
import sys
from pathlib import Path
from time import perf_counter
from typing import Any

import torch
from benchmarks import model_steps
from benchmarks.machine import described
from benchmarks.model_agreement import agreement
from torch import Tensor

from paged_attention.cache import PagedKVCache
from paged_attention.contiguous import ContiguousKVCache
from paged_attention.kernels.linear import which_linear
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


def steps(model: Model, before: Path | None, rounds: int) -> list[dict[str, Any]]:
    """Whole steps of each load by everybody: best and median milliseconds."""
    everybody, found = model_steps.contestants(model, before), []
    for load in model_steps.LOADS:
        # A chunk of 256 takes eight times as long as one token; its figures vary less.
        spent = model_steps.race(everybody, load, max(3, rounds // (4 if load.new > 1 else 2)))
        copied = statistics.median(spent.pop("copy"))
        milliseconds = {
            name: {"best": round(min(times), 2), "median": round(statistics.median(times), 2)}
            for name, times in spent.items()
        }
        found.append(
            load._asdict() | {"copy GB/s": round(copied, 1), "milliseconds a step": milliseconds}
        )
        print(found[-1], file=sys.stderr, flush=True)
    return found


def main() -> None:
    """Run everything and print, or write, one JSON document."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=40)
    parser.add_argument("--before", type=Path, help="src folder of another checkout")
    parser.add_argument("--out", type=Path)
    options = parser.parse_args()
    torch.manual_seed(0)
    model = load_model()
    whole = steps(model, options.before, options.rounds)
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
        "weight bytes": sum(weight.nbytes for weight in model.decoder.parameters()),
        "product": which_linear(torch.float32),
        "steps": whole,
        "agreement": agreement(model),
    }
    text = json.dumps(report, indent=2)
    if options.out:
        options.out.write_text(text + "\n")
    print(text)


if __name__ == "__main__":
    main()

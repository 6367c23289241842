"""Fit the cost clock: what ragged steps of SmolLM2 take on this machine, on one thread.

    in tests/:  python -m benchmarks.step_cost [--rounds N] [--out FILE.json]

Times are this process's own CPU seconds, the least of the rounds. Without ``--out`` the fit goes
where ``CostModel.fitted`` reads it; everything that the book prints from the cost clock then
changes.
"""

import argparse
import json
import sys
from pathlib import Path
from time import process_time
from typing import Any

import numpy as np
import torch
from benchmarks import machine

from paged_attention.cache import PagedKVCache
from paged_attention.model import load_model
from paged_attention.serving.cost import FITTED
from paged_attention.serving.ragged import run_ragged

Shape = list[tuple[int, int]]  # for each row: tokens in the cache, tokens to run
SHAPES: list[Shape] = [
    *([(128, 1)] * rows for rows in (1, 2, 4, 8, 12, 16)),
    *([(500, 1)] * rows for rows in (4, 8)),
    *([(0, tokens)] for tokens in (16, 32, 64, 128, 256)),
    [(128, 64)],
    [(128, 1)] * 8 + [(0, 32)],
    [(128, 1)] * 8 + [(64, 56)],
]
NAMES = ("step", "token", "context", "says")


def seconds(model: Any, cache: PagedKVCache, shape: Shape) -> float:
    """One step of this shape, every row of which speaks."""
    rows = list(range(len(shape)))
    for row, (context, new) in zip(rows, shape, strict=True):
        cache.create(row)
        cache.reserve(row, context + new)
        cache.advance({row: context})
    tokens = [[5] * new for _, new in shape]
    begin = process_time()
    run_ragged(model.decoder, cache, rows, tokens, rows)
    spent = process_time() - begin
    for row in rows:
        cache.free(row)
    return spent


def facts(shape: Shape) -> list[int]:
    """What the four numbers are multiplied with."""
    tokens = sum(new for _, new in shape)
    return [1, tokens, sum(context + new for context, new in shape), len(shape)]


def fit(times: list[float]) -> tuple[dict[str, float], list[float]]:
    """The numbers with the least relative error, and each shape's own error."""
    matrix, measured = np.array([facts(shape) for shape in SHAPES], float), np.array(times)
    found, *_ = np.linalg.lstsq(matrix / measured[:, None], np.ones(len(measured)), rcond=None)
    errors = matrix @ found / measured - 1
    return (
        {name: float(f"{value:.3g}") for name, value in zip(NAMES, found, strict=True)},
        errors.round(3).tolist(),
    )


def main() -> None:
    """Measure, fit, and write."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--out", type=Path, default=FITTED)
    options = parser.parse_args()
    torch.set_num_threads(1)
    model = load_model()
    config = model.config
    cache = PagedKVCache(config.layers, 300, 16, config.kv_heads, config.head_dim)
    times = [float("inf")] * len(SHAPES)
    seconds(model, cache, SHAPES[0])
    for _ in range(options.rounds):
        for place, shape in enumerate(SHAPES):
            times[place] = min(times[place], seconds(model, cache, shape))
            print(".", end="", file=sys.stderr, flush=True)
    print(file=sys.stderr)
    found, errors = fit(times)
    report = machine.described() | {
        "model": model.name,
        "seconds": found,
        "worst error": max(map(abs, errors)),
        "shapes": [
            {"tokens, context, rows": facts(shape)[1:], "seconds": round(time, 4), "error": error}
            for shape, time, error in zip(SHAPES, times, errors, strict=True)
        ],
    }
    options.out.write_text(json.dumps(report, indent=2) + "\n")
    print(json.dumps(report, indent=2))


if __name__ == "__main__":
    main()

"""Chapter 04: the cache of chapter 03 with the reader's fork and reserve, and the finished one."""

import random
from typing import Any

from paged_attention.checks.core import expect, shown
from paged_attention.checks.forks import holders, keys, used
from paged_attention.checks.house import exercise

# Not an exercise: the chapter hangs the reader's fork and reserve on the cache of chapter 3.
forking_cache = exercise(
    "forking_cache",
    label="ex-built-04",
    title="The cache that forks",
    stub="MyPagedKVCache",
    takes="class",
    hints=(
        "Run the cells again that hang `fork` and `reserve` on `MyPagedKVCache`.",
        "Compare your class with `paged_attention/cache.py`, whose methods have the same names.",
    ),
)


@forking_cache.case(
    "three writers",
    tried="6 tokens, forks b and c; each writes one token, then all are freed",
    right="2, 3, 4, 4 blocks used; then all free",
    why="The first writes pay, the last holder doesn't.",
)
def _three(cls: Any) -> None:
    cache = cls(1, 8, 4, 1, 1)
    cache.create("a")
    _grow(cache, "a", list(range(6)))
    for child in "bc":
        cache.fork("a", child)
    holders(cache)
    counts = [used(cache)]
    for seq in "abc":
        _grow(cache, seq, [ord(seq)])
        counts.append(used(cache))
    expect(counts == [2, 3, 4, 4], got=f"{', '.join(map(str, counts))} blocks used")
    for seq in "abc":
        cache.free(seq)
    expect(used(cache) == 0, got=f"{used(cache)} blocks held after all were freed")


@forking_cache.case(
    "400 random operations",
    tried="append, fork, truncate and free at random, 2 layers, seed 6",
    right="every history equals a plain list, and the law holds after each",
    why="Each sequence must be what it would be alone.",
)
def _random(cls: Any) -> None:
    draw, cache = random.Random(6), cls(2, 300, 4, 1, 1)
    texts: dict[int, list[int]] = {}
    for step in range(400):
        operation = draw.choice(["append"] * 4 + ["fork"] * 2 + ["create", "truncate", "free"])
        seq = draw.choice(list(texts)) if texts else None
        if operation == "create" or seq is None:
            cache.create(step)
            texts[step] = []
        elif operation == "append":
            new = [draw.randrange(1000) for _ in range(draw.randint(1, 6))]
            _grow(cache, seq, new)
            texts[seq] += new
        elif operation == "fork" and len(texts) < 12:
            cache.fork(seq, step)
            texts[step] = list(texts[seq])
        elif operation == "truncate":
            texts[seq] = texts[seq][: draw.randint(0, len(texts[seq]))]
            cache.truncate(seq, len(texts[seq]))
        elif operation == "free":
            cache.free(seq)
            del texts[seq]
        for name, text in texts.items():
            expect(
                keys(cache, name) == text,
                got=f"operation {step}, {operation}: a sequence reads {shown(keys(cache, name))}",
                right=shown(text),
            )
        holders(cache)


def _grow(cache: Any, seq: Any, tokens: list[int]) -> None:
    """One step of one sequence through the methods of the reader's own cache."""
    import torch

    cache.reserve(seq, len(tokens))
    cache.set_batch([seq])
    k = torch.tensor(tokens).float()[None, None, :, None]
    start = cache.lengths[seq]
    for layer in range(len(cache.k_pool)):
        cache.update(layer, k, -k, torch.arange(start, start + len(tokens)))

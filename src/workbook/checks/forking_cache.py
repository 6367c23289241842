"""Chapter 04: the cache of chapter 03 with the reader's fork and reserve, and the finished one."""

import random
from typing import Any

from workbook.checks.core import expect, shown
from workbook.checks.forks import holders, keys, used
from workbook.checks.house import exercise

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
    tried="append, fork, truncate and free at random, 3 layers, 2 KV heads, seed 6",
    right="every history equals a plain list, and the law holds after each",
    why="Each sequence must be what it would be alone.",
)
def _random(cls: Any) -> None:
    draw, cache = random.Random(6), cls(3, 300, 4, 2, 1)
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
            expect(
                alike_in_layers_and_heads(cache, name),
                got=f"operation {step}, {operation}: layers or heads of a sequence differ",
                right="the same tokens in all of them",
                why="A copy takes every layer, every head, keys and values.",
            )
        holders(cache)


def alike_in_layers_and_heads(cache: Any, seq: Any) -> bool:
    """Every layer and head, K and V, tells the same of ``seq`` as layer 0's head 0 of K does."""
    import torch

    table, length = cache.tables[seq], cache.lengths[seq]
    for layer, (keys_, values) in enumerate(zip(cache.k_pool, cache.v_pool, strict=True)):
        heads = 1000 * torch.arange(keys_.shape[1])[:, None]
        first = cache.k_pool[0][table][:, 0, :, 0].flatten()[:length]
        for pool, sign in ((keys_, 1), (values, -1)):
            read = pool[table][..., 0].transpose(0, 1).flatten(1)[:, :length]  # [Hkv, length]
            if not torch.equal(sign * read, first + heads + 10_000 * layer):
                return False
    return True


def _grow(cache: Any, seq: Any, tokens: list[int]) -> None:
    """One step of one sequence through the methods of the reader's own cache."""
    import torch

    cache.reserve(seq, len(tokens))
    cache.set_batch([seq])
    heads = 1000 * torch.arange(cache.k_pool[0].shape[1])[:, None, None]
    k = (torch.tensor(tokens).float()[:, None] + heads)[None]  # [1, Hkv, T, 1]
    start = cache.lengths[seq]
    for layer in range(len(cache.k_pool)):
        cache.update(
            layer, k + 10_000 * layer, -k - 10_000 * layer, torch.arange(start, start + len(tokens))
        )

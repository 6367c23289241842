"""Chapter 04: the cache of chapter 03 with the reader's fork and reserve, and the finished one."""

import random
from typing import Any

from workbook.checks.framework import exercise, expect, shown
from workbook.checks.toolboxes.known_tokens import (
    alike_in_layers_and_heads,
    expect_counted,
    read,
    used,
    write,
)

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
    write(cache, {"a": list(range(6))})
    for child in "bc":
        cache.fork("a", child)
    expect_counted(cache)
    counts = [used(cache)]
    for seq in "abc":
        write(cache, {seq: [ord(seq)]})
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
            write(cache, {seq: new})
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
        looked_at = texts if step % 10 == 0 else texts.keys() & {seq, step}
        for name in looked_at:
            text = texts[name]
            expect(
                read(cache, name) == text,
                got=f"operation {step}, {operation}: a sequence reads {shown(read(cache, name))}",
                right=shown(text),
            )
            expect(
                alike_in_layers_and_heads(cache, name),
                got=f"operation {step}, {operation}: layers or heads of a sequence differ",
                right="the same tokens in all of them",
                why="A copy takes every layer, every head, keys and values.",
            )
        expect_counted(cache)

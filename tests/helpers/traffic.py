"""Random traffic on a recording cache, the same on every machine."""

import random

import torch

from paged_attention.errors import BlockPoolExhausted
from workbook.trace import RecordingPagedKVCache, RecordingPrefixCache, Trace


def write(cache: RecordingPagedKVCache, seq: str, tokens: int) -> None:
    """Write ``tokens`` reserved tokens to ``seq``."""
    cache.set_batch([seq])
    kv = torch.zeros(1, 1, tokens, 1)
    start = cache.lengths[seq]
    for layer in range(cache.layers):
        cache.update(layer, kv, kv, torch.arange(start, start + tokens))


def random_trace(events: int, *, num_blocks: int = 64, block_size: int = 4, seed: int = 0) -> Trace:
    """A trace of at least ``events`` events: requests come, hit, grow, fork, are cut and end."""
    draw = random.Random(seed)
    cache = RecordingPagedKVCache(1, num_blocks, block_size, 1, 1)
    prefix = RecordingPrefixCache(cache)
    tokens: dict[str, list[int]] = {}
    born = 0
    while len(cache.trace) < events:
        verb = draw.choice(["attach", "grow", "grow", "grow", "fork", "free", "truncate", "evict"])
        if verb == "attach" or not tokens:
            seq, born = f"s{born}", born + 1
            prompt = [draw.randrange(2) for _ in range(draw.randrange(1, 20))]
            reused = prefix.attach(seq, prompt)
            tokens[seq] = prompt[:reused]
            continue
        if verb == "evict":
            prefix.evict(draw.randrange(1, 3))
            continue
        seq = draw.choice(sorted(tokens))
        if verb == "grow":
            new = draw.randrange(1, 9)
            try:
                cache.reserve(seq, new)
            except BlockPoolExhausted:
                cache.free(seq)
                del tokens[seq]
                continue
            write(cache, seq, new)
            tokens[seq] = tokens[seq] + [draw.randrange(2) for _ in range(new)]
            prefix.remember(seq, tokens[seq])
        elif verb == "fork":
            child, born = f"s{born}", born + 1
            cache.fork(seq, child)
            tokens[child] = tokens[seq]
        elif verb == "free":
            cache.free(seq)
            del tokens[seq]
        else:
            length = draw.randrange(len(tokens[seq]) + 1)
            cache.truncate(seq, length)
            tokens[seq] = tokens[seq][:length]
    return cache.trace

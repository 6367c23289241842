"""Time the book's prefix cache beside other engines', all in one run.

    in tests/:  python -m benchmarks.prefix_cache [--out FILE.json]

The pool has 100,000 blocks of 16 tokens. Contestants take turns, so that a slow minute of the
machine hits all of them; each figure is the best of its rounds, in milliseconds. Every prompt is
made of fresh integers, as a tokenizer makes them: comparing an object with itself would be a
shortcut that no server has. See ``peers`` for how other engines come in. The book runs on its
index of runs and, as a contestant of its own, on the naive one.
"""

import argparse
import gc
import json
import random
import sys
from array import array
from collections.abc import Callable
from pathlib import Path
from time import perf_counter
from typing import Any

from benchmarks import contestants, machine
from benchmarks.contestants import BLOCK_SIZE, NanoVllm, Ours, Vllm

POOL = 100_000
LONG = 50_000


def fresh(tokens: list[int]) -> list[int]:
    """The same numbers as new objects."""
    return array("q", tokens).tolist()


def milliseconds(call: Callable[[], Any]) -> float:
    begin = perf_counter()
    call()
    return (perf_counter() - begin) * 1e3


def random_tokens(source: random.Random, count: int) -> list[int]:
    return [source.randrange(50_000) for _ in range(count)]


def long_prompt(engine: Any, seed: int) -> dict[str, float]:
    """Publish a new prompt of 50,000 tokens, then attach to it twice, as later requests would.

    The first of them may pay for rearranging the index (a radix tree splits a node there).
    """
    tokens = random_tokens(random.Random(seed), LONG)
    handle, found = engine.begin(engine.prompt(tokens))
    assert found == 0
    engine.take(handle)
    figures = {"remember 50,000 tokens": milliseconds(lambda: engine.publish(handle))}
    engine.end(handle)
    for which in ("first attach to 50,000 known tokens", "attach to 50,000 known tokens"):
        prompt = engine.prompt(fresh(tokens))
        begin = perf_counter()
        handle, found = engine.begin(prompt)
        figures[which] = (perf_counter() - begin) * 1e3
        assert found == (LONG - 1) // BLOCK_SIZE * BLOCK_SIZE
        engine.take(handle)
        engine.publish(handle)
        engine.end(handle)
        if isinstance(engine, NanoVllm):
            break  # it takes seconds
    return figures


def fill_with_known_blocks(engine: Any, seed: int) -> None:
    """Leave no block of the pool without a name, so that whoever takes blocks must evict."""
    source = random.Random(seed)
    for _ in range(POOL // 50 + 1):
        handle, _ = engine.begin(engine.prompt(random_tokens(source, 50 * BLOCK_SIZE)))
        engine.take(handle)
        engine.publish(handle)
        engine.end(handle)


def evict_3000(engine: Any, seed: int) -> dict[str, float]:
    """Take 3,000 blocks for a new prompt while every block is cached."""
    tokens = random_tokens(random.Random(seed), 3000 * BLOCK_SIZE)
    handle, _ = engine.begin(engine.prompt(tokens))
    spent = milliseconds(lambda: engine.take(handle))
    engine.publish(handle)
    engine.end(handle)
    return {"take 3,000 blocks by eviction": spent}


def take_and_give(engine: Any, count: int) -> Callable[[], None]:
    """One call of the allocator alone: take ``count`` blocks and give them back."""
    if isinstance(engine, Ours):
        allocator = engine.cache.allocator
        if count == 1:
            return lambda: allocator.release(allocator.allocate())
        return lambda: allocator.release_many(allocator.allocate_many(count))
    if isinstance(engine, Vllm):
        return lambda: engine.pool.free_blocks(engine.pool.get_new_blocks(count))
    assert isinstance(engine, NanoVllm)
    manager = engine.manager

    def nano() -> None:
        taken = [manager._allocate_block() for _ in range(count)]
        for block in taken:
            manager.blocks[block].ref_count = 0
            manager._deallocate_block(block)

    return nano


def allocator_calls(engine: Any) -> dict[str, float]:
    found = {}
    for count, repeats in ((1, 2000), (1000, 20)):
        call = take_and_give(engine, count)
        spent = milliseconds(lambda call=call, repeats=repeats: [call() for _ in range(repeats)])
        name = "block" if count == 1 else "blocks"
        found[f"take and give back {count:,} {name}"] = spent / repeats
    return found


def conversations(seed: int) -> list[list[int]]:
    """The prompts of 2,000 sessions in order of arrival: 2 to 8 turns, 1,000 sessions at a time.

    Each begins with one of eight system prompts of 1,000 tokens and grows by 100 to 600 a turn.
    """
    source = random.Random(seed)
    systems = [random_tokens(source, 1000) for _ in range(8)]
    waiting = 2000
    running: list[tuple[list[int], int]] = []
    prompts = []
    while waiting or running:
        while waiting and len(running) < 1000:
            running.append((list(source.choice(systems)), source.randint(2, 8)))
            waiting -= 1
        which = source.randrange(len(running))
        text, turns = running.pop(which)
        text = text + random_tokens(source, source.randint(100, 600))
        prompts.append(text)
        if turns > 1:
            running.append((text, turns - 1))
    return prompts


def whole_trace(engine: Any, prompts: list[list[int]]) -> dict[str, float]:
    """Every prompt in turn: begin, take, publish, end. Returns the time and the tokens found."""
    found = 0
    native = [engine.prompt(fresh(prompt)) for prompt in prompts]
    begin = perf_counter()
    for prompt in native:
        handle, hit = engine.begin(prompt)
        engine.take(handle)
        engine.publish(handle)
        engine.end(handle)
        found += hit
    return {"multi-turn trace": (perf_counter() - begin) * 1e3, "tokens found": found}


Figures = dict[str, dict[str, float]]


def in_turn(
    results: Figures, engines: list[Any], work: Callable[[Any, int], dict[str, float]], rounds: int
) -> None:
    """Let every engine do ``work`` once a round; keep each figure's best."""
    gc.collect()
    gc.freeze()  # a collection that walks all of torch would be charged to whoever is next
    for number in range(rounds):
        for engine in engines:
            for what, value in work(engine, number).items():
                best = results[engine.name].get(what, value)
                results[engine.name][what] = min(value, best)
    print(".", end="", file=sys.stderr, flush=True)


def measure(rounds: int) -> Figures:
    """The best of ``rounds`` for each contestant and figure."""
    kinds = contestants.present()
    results: Figures = {kind.name: {} for kind in kinds}
    with_allocator = [Ours, *(kind for kind in kinds if kind in (Vllm, NanoVllm))]
    quick = [kind for kind in kinds if kind is not NanoVllm]  # a hit costs it O(pool)
    in_turn(
        results, [kind(POOL) for kind in with_allocator], lambda e, _: allocator_calls(e), rounds
    )
    in_turn(results, [kind(POOL) for kind in quick], long_prompt, rounds)
    if NanoVllm in kinds:
        in_turn(results, [NanoVllm(POOL)], long_prompt, 1)
    full = [kind(POOL) for kind in quick]
    for engine in full:
        fill_with_known_blocks(engine, 1)
    in_turn(results, full, lambda e, number: evict_3000(e, 100 + number), rounds)
    del full
    prompts = conversations(2)
    for _ in range(3):
        for kind in quick:
            in_turn(results, [kind(POOL)], lambda e, _: whole_trace(e, prompts), 1)
    print(file=sys.stderr)
    return results


def main() -> None:
    """Run everything and print, or write, one JSON document."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--out", type=Path)
    options = parser.parse_args()
    report = machine.described() | {
        "rounds": options.rounds,
        "unit": "milliseconds, best of the rounds",
        "results": measure(options.rounds),
    }
    text = json.dumps(report, indent=2)
    if options.out:
        options.out.write_text(text + "\n")
    print(text)


if __name__ == "__main__":
    main()

"""A serving loop without a network: its next token depends on every key that it can reach.

A stray block, or a token that was lost, run twice or put elsewhere, changes the text. Keys are
whole numbers, so equality is exact; the pool starts full of NaN.
"""

import random
import zlib
from collections.abc import Callable, Hashable, Sequence
from typing import Any

import numpy as np

from paged_attention.cache import PagedKVCache
from paged_attention.prefix import PrefixCache
from paged_attention.serving.loop import Pick, ServingLoop
from paged_attention.serving.paged_memory import PagedMemory
from paged_attention.serving.reserving import ReservingMemory
from paged_attention.serving.step import Row, Step
from paged_attention.serving.swap import HostStore

VOCAB = 5


def say(history: Any, draw: random.Random) -> int:
    """The next token: a hash of the whole history, and one draw of the request's own generator."""
    code = zlib.crc32(np.asarray(history, dtype=np.float32).tobytes())
    return (code + draw.randrange(VOCAB)) % VOCAB


def alone(
    prompt: Sequence[int],
    max_new_tokens: int,
    seed: int = 0,
    stop: Callable[[Sequence[int]], bool] | None = None,
) -> list[int]:
    """The answer when nobody else is there: no cache, no scheduler."""
    tokens, draw = list(prompt), random.Random(seed)
    for _ in range(max_new_tokens):
        tokens.append(say(tokens, draw))
        if stop and stop(tokens[len(prompt) :]):
            break
    return tokens[len(prompt) :]


def toy_memory(
    num_blocks: int,
    block_size: int = 4,
    *,
    prefix: bool = False,
    host: int = 0,
    reserve: bool = False,
) -> PagedMemory:
    """Memory of one number a key, every slot NaN until somebody writes it."""
    cache = PagedKVCache(1, num_blocks, block_size, 1, 1)
    cache.k_pool.fill_(float("nan"))
    cache.v_pool.fill_(float("nan"))
    if reserve:
        return ReservingMemory(cache)
    return PagedMemory(
        cache,
        PrefixCache(cache) if prefix else None,
        HostStore(cache, host) if host else None,
    )


def in_words(step: Step) -> str:
    """A step's rows: ``A 8+1!`` runs one token from position 8 on, and A speaks."""
    rows = (f"{r.request.name} {r.start}+{len(r.tokens)}{'!' if r.says else ''}" for r in step.rows)
    return ", ".join(rows)


class ToyEngine(ServingLoop):
    """``plans``: the steps that were run. ``failing``: how the next one goes wrong, if it shall:
    before or after its rows are run.
    """

    def __init__(self, memory: PagedMemory, **scheduling: Any) -> None:
        self.ticks = 0
        super().__init__(memory, clock=lambda: float(self.ticks), **scheduling)
        self.failing: str | None = None
        self.draws: dict[Hashable, random.Random] = {}
        self.plans: list[Step] = []

    def ask(
        self, name: Hashable, prompt: Sequence[int], n: int, seed: int = 0, **asked: Any
    ) -> None:
        """Submit; a sample of it draws with the next seeds."""
        for nth in range(asked.get("samples", 1)):
            self.draws[(name, nth) if nth else name] = random.Random(seed + nth)
        self.submit(prompt, n, name=name, **asked)

    @property
    def ran(self) -> int:
        """Tokens run so far, those run again included."""
        return sum(step.tokens for step in self.plans)

    def texts(self) -> dict[Hashable, list[int]]:
        """What each request has said."""
        return {name: request.answer for name, request in self.requests.items()}

    def _run(self, step: Step) -> list[Pick]:
        if self.failing == "before":
            raise RuntimeError("the model failed")
        for row in step.rows:
            self._write(row)
        self.memory.cache.advance({row.request.name: row.end for row in step.rows})
        if self.failing == "after":
            raise RuntimeError("sampling failed")
        rows = [each for row in step.rows for each in self.scheduler.split(row)]
        self.journal.keep_attributes(self, "ticks")
        self.journal.keep_end(self.plans, len(self.plans))
        for row in rows:
            draw = self.draws[row.request.name]
            self.journal.note(draw.setstate, draw.getstate())
        self.ticks += 1
        self.plans.append(step)
        return [Pick(row, self._next(row) if row.says else None) for row in rows]

    def _write(self, row: Row) -> None:
        cache = self.memory.cache
        name, table = row.request.name, cache.tables[row.request.name]
        assert row.start == cache.lengths[name], "a row starts elsewhere"
        cache.check_writable(name, row.start, row.end)
        for position, token in enumerate(row.tokens, row.start):
            block, slot = table[position // cache.block_size], position % cache.block_size
            assert cache.allocator.refs[block] == 1, "wrote into a shared block"
            cache.k_pool[0, block, 0, slot] = token
            cache.v_pool[0, block, 0, slot] = -token

    def _next(self, row: Row) -> int:
        cache = self.memory.cache
        blocks = cache.tables[row.request.name]
        keys, values = (
            pool[0, blocks, 0].numpy().reshape(-1)[: row.end]
            for pool in (cache.k_pool, cache.v_pool)
        )
        return say(np.where(keys == -values, keys, -1), self.draws[row.request.name])

    def check(self) -> None:
        """Every law of every part."""
        memory = self.memory
        (memory.prefix or memory.cache).check_invariants()
        self.scheduler.check_invariants()
        assert set(memory.cache.tables) == set(self.scheduler.running), "tables of nobody who runs"
        if memory.host is not None:
            memory.host.check_invariants()
            assert set(memory.host.kept) <= set(self.scheduler.waiting), (
                "a copy of nobody who waits"
            )

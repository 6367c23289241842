"""Recorded serving: random requests on a toy engine whose every step is one of the trace."""

import contextlib
import random
from collections.abc import Callable
from typing import Any

from paged_attention.serving.swap import HostStore
from workbook.toy import ToyEngine
from workbook.trace import RecordingMemory, RecordingPagedKVCache, RecordingPrefixCache, recorded

Look = Callable[[Any], None]


def recording_engine(num_blocks: int, *, prefix: bool, host: int, **limits: Any) -> Any:
    """A toy engine with a ``trace``."""
    cache = RecordingPagedKVCache(1, num_blocks, 4, 1, 1)
    cache.k_pool.fill_(float("nan"))
    cache.v_pool.fill_(float("nan"))
    index = RecordingPrefixCache(cache) if prefix else None
    memory = RecordingMemory(cache, index, HostStore(cache, host) if host else None)
    return recorded(ToyEngine)(memory, **limits)


def served(seed: int, look: Look = lambda engine: None) -> Any:
    """A random run: samples, aborts, steps that fail. ``look`` sees the engine after each call."""
    draw = random.Random(seed)
    engine = recording_engine(
        draw.randrange(6, 14),
        prefix=draw.random() < 0.5,
        host=draw.choice([0, 6]),
        max_running=4,
        budget=draw.randrange(4, 14),
        chunk=draw.choice([None, 2]),
        spare=draw.choice([0, 1]),
    )
    for name in range(7):
        prompt = [name % 2] * draw.randrange(1, 10)
        engine.ask(name, prompt, draw.randrange(1, 7), samples=draw.choice([1, 1, 2]))
        look(engine)
        for _ in range(draw.randrange(3)):
            engine.failing = draw.choice([None, None, "before", "after"])
            with contextlib.suppress(RuntimeError):
                engine.step()
            look(engine)
        if draw.random() < 0.2:
            engine.abort(draw.randrange(name + 1))
            look(engine)
    engine.failing = None
    while len(engine):
        engine.step()
        look(engine)
    return engine

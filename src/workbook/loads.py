"""Loads with production's lengths, and the ways to serve one: what chapters and demo compare."""

import random
from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple, Unpack

from paged_attention.serving.cost import CostModel, Simulation
from paged_attention.serving.load import Arrival, Tell, poisson
from paged_attention.serving.loop import ServingLoop
from paged_attention.serving.scheduler import Scheduling
from paged_attention.serving.stats import Summary, summary
from workbook.workloads import CONVERSATION, length_at

if TYPE_CHECKING:
    from paged_attention.cache import PagedKVCache
    from paged_attention.serving.paged_memory import PagedMemory

VOCAB = 250  # token ids of a drawn prompt are below, so that the tiny model knows them


def conversations(
    count: int,
    rate: float | None,
    *,
    seed: int = 0,
    scale: int = 8,
    longest_prompt: int = 384,
    cap: int = 128,
    shared: int = 0,
    groups: int = 1,
) -> list[Arrival]:
    """``count`` requests, ``rate`` a second (all at once for ``None``), lengths of the
    conversation trace divided by ``scale``.

    Prompts are at most ``longest_prompt`` tokens, behind one of ``groups`` beginnings of ``shared``
    tokens; everybody asks for ``cap`` tokens and says fewer. One seed, one load.
    """
    draw = random.Random(seed)
    times = [0.0] * count if rate is None else poisson(count, rate, seed)
    beginnings = [[draw.randrange(VOCAB) for _ in range(shared)] for _ in range(groups)]
    load = []
    for time in times:
        length = length_at(CONVERSATION.prompt, draw.random()) // scale
        says = length_at(CONVERSATION.answer, draw.random()) // scale
        own = [draw.randrange(VOCAB) for _ in range(min(longest_prompt, max(2, length)))]
        prompt = (*draw.choice(beginnings), *own)
        load.append(Arrival(time, prompt, cap, min(cap, max(1, says))))
    return load


class Policy(NamedTuple):
    """A way to serve: what memory is made of."""

    name: str
    reserve: str | None = None  # "longest" or "asked": the whole future at admission
    host: int = 0  # blocks of host memory
    prefix: bool = False

    def memory(self, cache: "PagedKVCache", longest: int) -> "PagedMemory":
        """Memory of this kind around ``cache``; no request is longer than ``longest`` tokens."""
        from paged_attention.prefix import PrefixCache
        from paged_attention.serving.paged_memory import PagedMemory
        from paged_attention.serving.reserving import ReservingMemory
        from paged_attention.serving.swap import HostStore

        if self.reserve is not None:
            return ReservingMemory(cache, longest if self.reserve == "longest" else None)
        return PagedMemory(
            cache,
            PrefixCache(cache) if self.prefix else None,
            HostStore(cache, self.host) if self.host else None,
        )


POLICIES = (
    Policy("reserve the longest", reserve="longest"),
    Policy("reserve what was asked", reserve="asked"),
    Policy("paged"),
    Policy("paged + swap", host=64),
    Policy("paged + prefix cache", prefix=True),
)


class Outcome(NamedTuple):
    """A load served in one way: the figures of its requests, and the requests that ran in a step,
    on average and at most.
    """

    summary: Summary
    batch: float
    peak: int


def outcome(engine: ServingLoop, seconds: float) -> Outcome:
    """What ``engine`` did in ``seconds``, whose load has been served."""
    running = [step.running for step in engine.steps]
    figures = summary([request.stats for request in engine.requests.values()], seconds)
    return Outcome(figures, sum(running) / max(1, len(running)), max(running, default=0))


def simulate(
    policy: Policy,
    load: Sequence[Arrival],
    num_blocks: int,
    *,
    block_size: int = 16,
    longest: int = 512,
    cost: CostModel | None = None,
    tell: Tell | None = None,
    **scheduling: Unpack[Scheduling],
) -> Outcome:
    """Serve ``load`` on the cost clock: scheduler, tables and index are real, time is reckoned."""
    from paged_attention.cache import PagedKVCache

    cache = PagedKVCache(1, num_blocks, block_size, 1, 1)
    memory = policy.memory(cache, longest)
    engine = Simulation(memory, cost or CostModel.fitted(), **scheduling)
    return outcome(engine, engine.serve(load, tell))

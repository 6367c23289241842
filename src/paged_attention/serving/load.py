"""A load: requests that arrive by chance, at a rate; and the loop that serves it.

Arrivals are a Poisson process: the times between them are drawn from an exponential distribution,
so they come in bursts, as independent users do.
"""

import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial

from paged_attention.serving.loop import ServingLoop

Tell = Callable[[int, int], None]  # requests that have ended, and all of the load


@dataclass(frozen=True)
class Arrival:
    """One request of a load: when it comes, its prompt, what it may say at most, what it says."""

    time: float
    prompt: tuple[int, ...]
    max_new_tokens: int
    says: int


def poisson(count: int, rate: float, seed: int = 0) -> list[float]:
    """``count`` arrival times in seconds, ``rate`` a second on average. One seed, one list."""
    if not rate > 0:
        raise ValueError(f"a rate is a number of requests a second, got {rate}")
    draw, now, times = random.Random(seed), 0.0, []
    for _ in range(count):
        now += draw.expovariate(rate)
        times.append(now)
    return times


class Clock:
    """Seconds of ``read`` since this clock was made, plus the idle times that were skipped."""

    def __init__(self, read: Callable[[], float]) -> None:
        self._read, self._skipped, self._start = read, 0.0, read()

    def __call__(self) -> float:
        """Now."""
        return self._read() - self._start + self._skipped

    def skip_to(self, moment: float) -> None:
        """Nothing happens until ``moment``; a moment that is past changes nothing."""
        self._skipped += max(0.0, moment - self())


def serve(
    engine: ServingLoop,
    load: Sequence[Arrival],
    clock: Clock,
    tell: Tell | None = None,
) -> None:
    """Submit each request when its time has come, and step until all are done.

    A request that has to wait because the engine is inside a step counts as arrived when it was
    due: a load generator that waits for the server would measure too short a wait. ``clock`` is the
    engine's own. ``tell`` is called whenever requests have ended.
    """
    ahead = sorted(load, key=lambda arrival: arrival.time)[::-1]  # the next one is the last
    told = 0
    while ahead or len(engine):
        while ahead and ahead[-1].time <= clock():
            due = ahead.pop()
            engine.submit(
                due.prompt,
                due.max_new_tokens,
                arrived=due.time,
                stop=partial(_has_said, due.says),
            )
        if len(engine):
            engine.step()
        else:
            clock.skip_to(ahead[-1].time)
        ended = len(load) - len(ahead) - len(engine)
        if tell is not None and ended > told:
            told = ended
            tell(ended, len(load))


def _has_said(enough: int, answer: Sequence[int]) -> bool:
    return len(answer) >= enough

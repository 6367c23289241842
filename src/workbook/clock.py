"""How long a call takes, on clocks that tick coarsely too: a browser's may do so every 0.1 ms."""

from collections.abc import Callable
from time import perf_counter

ENOUGH = 20  # ticks: the reading is then wrong by a twentieth at most


def seconds_of(way: Callable[[], object], clock: Callable[[], float] = perf_counter) -> float:
    """Seconds of one call of ``way``: of 1, or the mean of 2, 4, 8 … until they last 20 ticks.

    ``way`` must be as good for many calls as for one. Never zero.
    """
    enough, calls = ENOUGH * tick(clock), 1
    while True:
        began = clock()
        for _ in range(calls):
            way()
        spent = clock() - began
        if spent >= enough:
            return spent / calls
        calls *= 2


def tick(clock: Callable[[], float] = perf_counter) -> float:
    """The clock's step in seconds, watched: what systems say of their clocks isn't what they do."""
    steps = []
    for _ in range(5):  # the least, since the process may be held up while it watches
        began = clock()
        while (now := clock()) == began:
            pass
        steps.append(now - began)
    return min(steps)

"""Waiting for what comes when a busy machine has time for it."""

import time
from collections.abc import Callable


def until(
    holds: Callable[[], bool], seconds: float = 120, rest: Callable[[float], object] = time.sleep
) -> None:
    """Wait until something holds; fail if it takes too long. ``rest`` waits for so many seconds."""
    end = time.monotonic() + seconds
    while not holds():
        assert time.monotonic() < end, "it never came true"
        rest(0.005)

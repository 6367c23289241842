"""Waiting for what comes when a busy machine has time for it."""

import time
from collections.abc import Callable


def until(holds: Callable[[], bool], seconds: float = 120) -> None:
    """Wait until something holds; fail if it takes too long."""
    end = time.monotonic() + seconds
    while not holds():
        assert time.monotonic() < end, "it never came true"
        time.sleep(0.005)

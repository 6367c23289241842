"""Ctrl-C at a chosen line: a ``KeyboardInterrupt`` where the engine's own code runs."""

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from types import FrameType
from typing import Any

import paged_attention

ENGINE = str(Path(paged_attention.__file__).parent)


@contextmanager
def at_each_line(do: Callable[[], None]) -> Iterator[None]:
    """Call ``do`` before every line of the engine that runs inside."""

    def trace(frame: FrameType, event: str, arg: Any) -> Any:
        if not frame.f_code.co_filename.startswith(ENGINE):
            return None
        if event == "line":
            do()
        return trace

    before = sys.gettrace()
    sys.settrace(trace)
    try:
        yield
    finally:
        sys.settrace(before)


def lines_of(work: Callable[[], object]) -> int:
    """How many lines of the engine ``work`` runs."""
    count = 0

    def one_more() -> None:
        nonlocal count
        count += 1

    with at_each_line(one_more):
        work()
    return count


def interrupted(work: Callable[[], object], line: int) -> bool:
    """Run ``work`` and interrupt it before its line number ``line``; whether it came so far."""
    left = line

    def maybe() -> None:
        nonlocal left
        left -= 1
        if left == -1:
            raise KeyboardInterrupt

    try:
        with at_each_line(maybe):
            work()
    except KeyboardInterrupt:
        return True
    return False

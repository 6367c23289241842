"""Code that may never end is run on fuel: a number of lines, the same on every machine."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Any

LINES = 20_000


class OutOfFuel(Exception):
    """The lines are used up."""


@contextmanager
def fuel(files: set[str], lines: int = LINES) -> Iterator[None]:
    """Inside, ``OutOfFuel`` is raised after that many lines of code that stands in ``files``.

    A debugger or a coverage tool that traces this thread pauses meanwhile.
    """
    left = lines

    def on_line(_frame: FrameType, _event: str, _arg: Any) -> Any:
        nonlocal left
        left -= 1
        if left < 0:
            raise OutOfFuel
        return on_line

    def on_call(frame: FrameType, _event: str, _arg: Any) -> Any:
        return on_line if frame.f_code.co_filename in files else None

    before = sys.gettrace()
    sys.settrace(on_call)
    try:
        yield
    finally:
        sys.settrace(before)

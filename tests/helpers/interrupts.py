"""Ctrl-C at every line: run a call again and again, and interrupt it one line later each time."""

import sys
from collections.abc import Callable
from functools import cache
from pathlib import Path
from types import FrameType
from typing import Any, TypeVar

import paged_attention

S = TypeVar("S")
SRC = Path(paged_attention.__file__).parents[1]
OUTSIDE = ("model", "kernels")  # tensors only: an interrupt there is one of the line that called


@cache
def _is_bookkeeping(filename: str) -> bool:
    file = Path(filename)
    return SRC in file.parents and file.parent.name not in OUTSIDE


class _Interrupter:
    """Raises ``KeyboardInterrupt`` before line number ``at`` of the engine's bookkeeping."""

    def __init__(self, at: int | None) -> None:
        self.at = at
        self.lines = 0
        self.visits: dict[tuple[str, int], list[int]] = {}
        self.where = ""

    def __call__(self, frame: FrameType, event: str, _arg: Any) -> "_Interrupter | None":
        if event == "call":
            return self if _is_bookkeeping(frame.f_code.co_filename) else None
        if event == "line":
            place = frame.f_code.co_filename, frame.f_lineno
            self.visits.setdefault(place, []).append(self.lines)
            self.lines += 1
            if self.lines - 1 == self.at:
                self.where = f"{Path(frame.f_code.co_filename).name}:{frame.f_lineno}"
                raise KeyboardInterrupt
        return self


def interrupt_everywhere(
    make: Callable[[], S],
    act: Callable[[S], object],
    look: Callable[[S], object],
    visits: int | None = None,
) -> int:
    """Interrupt ``act`` at each of its lines; ``look`` must then see what it saw before or after.

    ``make`` builds the same fresh state each time; ``look`` returns all that counts of it, and may
    raise for a broken law. ``visits``: of a line that runs more often, the first so many times and
    the last only. Returns the number of interrupts.
    """
    act(make())  # what the first run prepares for all, no other does
    state = make()
    before = look(state)
    whole = _run(lambda: act(state), None)
    after = look(state)
    moments = sorted(
        {at for all_of in whole.visits.values() for at in (*all_of[:visits], all_of[-1])}
    )
    assert moments
    for at in moments:
        again = make()
        run = _run(lambda again=again: act(again), at)  # type: ignore[misc]
        assert run.where, f"the interrupt at line {at} of {whole.lines} didn't come"
        assert look(again) in (before, after), f"interrupted at line {at}, {run.where}"
    return len(moments)


def _run(call: Callable[[], object], at: int | None) -> _Interrupter:
    interrupter = _Interrupter(at)
    sys.settrace(interrupter)
    try:
        call()
    except KeyboardInterrupt:
        assert interrupter.where
    else:
        assert not interrupter.where, f"the interrupt at {interrupter.where} was swallowed"
    finally:
        sys.settrace(None)
    return interrupter

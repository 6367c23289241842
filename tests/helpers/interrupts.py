"""Ctrl-C at a chosen line: a ``KeyboardInterrupt`` where the engine's bookkeeping runs."""

import sys
from collections.abc import Callable
from functools import cache
from pathlib import Path
from types import FrameType
from typing import Any, TypeVar

import paged_attention
import workbook.trace

S = TypeVar("S")
ENGINE = Path(paged_attention.__file__).parent
RECORDER = Path(workbook.trace.__file__).parent
OUTSIDE = ("model", "kernels")  # tensors only: an interrupt there is one of the line that called


@cache
def _is_bookkeeping(filename: str) -> bool:
    file = Path(filename)
    inside = ENGINE in file.parents or RECORDER in file.parents
    return inside and file.parent.name not in OUTSIDE


class _Interrupter:
    """Counts the lines of bookkeeping that run, and raises before line number ``at``."""

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


def _run(work: Callable[[], object], at: int | None) -> _Interrupter:
    interrupter = _Interrupter(at)
    before = sys.gettrace()
    sys.settrace(interrupter)
    try:
        work()
    except KeyboardInterrupt:
        assert interrupter.where
    else:
        assert not interrupter.where, f"the interrupt at {interrupter.where} was swallowed"
    finally:
        sys.settrace(before)
    return interrupter


def lines_of(work: Callable[[], object]) -> int:
    """How many lines of bookkeeping ``work`` runs."""
    return _run(work, None).lines


def interrupt(work: Callable[[], object], line: int) -> str:
    """Run ``work`` and interrupt it before its line number ``line``; returns file and line."""
    where = _run(work, line).where
    assert where, f"the interrupt at line {line} didn't come"
    return where


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
        where = interrupt(lambda again=again: act(again), at)  # type: ignore[misc]
        assert look(again) in (before, after), f"interrupted at line {at}, {where}"
    return len(moments)

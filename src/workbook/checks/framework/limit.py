"""A reader's code that would never end is stopped after some seconds, or when it takes too much."""

import ctypes
import mmap
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from types import FrameType
from typing import Any

SECONDS = 5  # the slowest case takes half a second with the book's own solution
MEGABYTES = 800  # an endless loop that appends takes 3,500 in that time, and a class has 2,000 each
_LOOK = 0.1  # seconds between two looks
_STATM = Path("/proc/self/statm")
LOOP = "It would go on for ever: what in the loop's body brings its condition nearer to the end?"


class NoEnd(BaseException):
    """It was stopped before its end. No ``except Exception`` of a reader's may swallow it."""


class TooMuch(NoEnd):
    """It was stopped because it took more and more memory."""


def own_megabytes() -> float:
    """Memory that this process alone has, as Linux tells it; 0 where nothing does."""
    try:
        _, resident, shared, *_ = map(int, _STATM.read_text().split())
    except (OSError, ValueError):
        return 0.0
    return (resident - shared) * mmap.PAGESIZE / 1e6


class _Watch(threading.Thread):
    """Raises ``NoEnd`` in the thread that made it, once that many seconds are used up there, and
    ``TooMuch`` if it takes ``MEGABYTES`` before.
    """

    def __init__(self, seconds: float) -> None:
        super().__init__(daemon=True)
        self._seconds = seconds
        self._watched = threading.get_ident()
        self._began = time.process_time()
        self._had = own_megabytes()
        self._ended = threading.Event()
        self._lock = threading.Lock()

    def run(self) -> None:
        due = time.monotonic() + self._seconds
        while not self._ended.wait(min(_LOOK, self._seconds)):
            # By the clock alone a debugger's pause, or a machine with much else to do, would count.
            worked = time.process_time() - self._began >= 0.9 * self._seconds
            too_long = worked and time.monotonic() >= due
            if too_long or own_megabytes() - self._had > MEGABYTES:
                with self._lock:
                    if not self._ended.is_set():
                        _raise_in(self._watched, NoEnd if too_long else TooMuch)
                self._ended.wait(1)  # and again, should a bare `except` have swallowed it

    def end(self) -> None:
        """From now on nothing is raised any more; what has been asked for already ends here."""
        while not self._ended.is_set():
            with suppress(NoEnd), self._lock:
                self._ended.set()
        with suppress(NoEnd):  # CPython can't take back what is pending: it comes at a loop's turn
            for _ in range(8):
                pass


def _raise_in(thread: int, error: type[BaseException]) -> None:
    """Let a thread raise at its next line."""
    call = ctypes.pythonapi.PyThreadState_SetAsyncExc
    call(ctypes.c_ulong(thread), ctypes.py_object(error))


def no_end(seconds: float = SECONDS, error: NoEnd | None = None) -> str:
    """What is said of code that was stopped, by ``error`` if that is known."""
    if isinstance(error, TooMuch):
        return f"no end, and {MEGABYTES} MB of memory taken"
    return f"no end within {seconds:g} seconds"


@contextmanager
def time_limit(seconds: float = SECONDS) -> Iterator[None]:
    """Inside, ``NoEnd`` is raised after that many seconds of computing; Ctrl-C works as ever.

    Where no thread can be started, in a browser, only what was written in a cell is stopped.
    """
    watch = _Watch(seconds)
    try:
        watch.start()
    except RuntimeError:
        with _watched_lines(seconds):
            yield
        return
    try:
        yield
    finally:
        watch.end()


@contextmanager
def _watched_lines(seconds: float) -> Iterator[None]:
    """Look at the clock on each line of a cell. An ``except`` that swallows ``NoEnd`` wins here."""
    end = time.process_time() + seconds

    def on_line(_frame: FrameType, _event: str, _arg: Any) -> Any:
        if time.process_time() > end:
            raise NoEnd
        return on_line

    def on_call(frame: FrameType, _event: str, _arg: Any) -> Any:
        return on_line if in_a_cell(frame.f_code.co_filename) else None

    before = sys.gettrace()
    sys.settrace(on_call)
    try:
        yield
    finally:
        sys.settrace(before)


def in_a_cell(filename: str) -> bool:
    """Whether code of this file name was written in a notebook's cell, or a page's."""
    return "ipykernel" in filename.replace("\\", "/").rpartition("/")[0]

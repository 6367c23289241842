"""A reader's code that would never end is stopped after some seconds."""

import ctypes
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from types import FrameType
from typing import Any

SECONDS = 5  # the slowest case takes half a second with the book's own solution
LOOP = "It would go on for ever: what in the loop's body brings its condition nearer to the end?"


class NoEnd(BaseException):
    """It was stopped before its end. No ``except Exception`` of a reader's may swallow it."""


class _Watch(threading.Thread):
    """Raises ``NoEnd`` in the thread that made it, once that many seconds are used up there."""

    def __init__(self, seconds: float) -> None:
        super().__init__(daemon=True)
        self._seconds = seconds
        self._watched = threading.get_ident()
        self._began = time.process_time()
        self._ended = threading.Event()
        self._lock = threading.Lock()

    def run(self) -> None:
        while not self._ended.wait(self._seconds):
            # By the clock alone a debugger's pause, or a machine with much else to do, would count.
            if time.process_time() - self._began >= 0.9 * self._seconds:
                with self._lock:
                    if not self._ended.is_set():
                        _raise_in(self._watched, NoEnd)
                self._seconds = 1  # and again, should a bare `except` have swallowed it

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


def no_end(seconds: float = SECONDS) -> str:
    """What is said of code that was stopped."""
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

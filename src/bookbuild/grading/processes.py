"""Processes for answers: forked from one that has the imports, ended with all that they started."""

import contextlib
import json
import os
import signal
import tempfile
from collections.abc import Sequence
from multiprocessing import get_context
from multiprocessing.connection import Connection
from multiprocessing.context import BaseContext
from multiprocessing.process import BaseProcess

from bookbuild.grading.alone import Outcome, run_alone
from bookbuild.grading.edition import Exercise
from bookbuild.grading.limits import Limits
from bookbuild.grading.plan import Plan

MOST_HEARD = 100_000  # bytes


class Processes:
    """Runs plans, each alone. ``preload`` names modules that are imported once for all of them."""

    def __init__(self, limits: Limits, preload: Sequence[str] = ()) -> None:
        self._limits = limits
        self._context: BaseContext = get_context("spawn" if os.name == "nt" else "forkserver")
        self._running: set[BaseProcess] = set()
        self._stopped = False
        self._context.set_forkserver_preload(["bookbuild.grading.alone", *preload])

    def run(self, plan: Plan, exercise: Exercise) -> Outcome:
        """The outcome of one answer, after ``wall`` seconds at the latest. Never raises for it."""
        if self._stopped:
            return Outcome(stopped="you stopped it")
        ours, theirs = self._context.Pipe(duplex=False)
        with tempfile.TemporaryDirectory(prefix="grade-", ignore_cleanup_errors=True) as folder:
            about = (exercise.label, exercise.check, exercise.stub)
            process: BaseProcess = self._context.Process(  # type: ignore[attr-defined]
                target=run_alone, args=(theirs, plan, *about, self._limits, folder), daemon=True
            )
            process.start()
            self._running.add(process)
            theirs.close()
            try:
                outcome = self._heard(ours)
            finally:
                self._running.discard(process)
                _end(process)
                ours.close()
        if outcome is None:
            return Outcome(stopped="the process ended", said=_how(process.exitcode))
        return outcome

    def stop(self) -> None:
        """End what runs now, and run nothing more; whoever waits hears of a process that ended."""
        self._stopped = True
        for process in tuple(self._running):
            process.kill()

    def _heard(self, line: Connection) -> Outcome | None:
        """What the process sends; ``None`` if it ends without a word."""
        if not line.poll(self._limits.wall):
            said = f"no end within {self._limits.wall:g} seconds"
            return Outcome(endless=True, stopped="the exercise as a whole", said=said)
        try:
            return Outcome(**json.loads(line.recv_bytes(MOST_HEARD)))
        except (EOFError, OSError, ValueError, TypeError):  # it ended, or sent something else
            return None


def _end(process: BaseProcess) -> None:
    """End the process and all that it started."""
    pid = process.pid
    process.join(1)  # one that has sent its word ends by itself
    if pid is not None and os.name != "nt":
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(pid, signal.SIGKILL)
    process.kill()
    process.join()


def _how(code: int | None) -> str:
    if code is not None and code < 0:
        return f"ended by {signal.Signals(-code).name}"
    return f"ended with code {code}"

"""``stopwatch(WALK)``: the reader's walk, timed beside the finished one in a process of its own."""

import json
import signal
import subprocess
import sys
from collections.abc import Callable, Sequence
from typing import Any

from workbook.walk.cases import cases
from workbook.walk.judge import run_function, run_text
from workbook.walk.program import FAST, build

WARM, COLD = (4, 512, False), (16, 2048, True)
TITLES = ("warm: 4 sequences of 512 tokens", "cold: 16 sequences of 2,048 tokens")
ROUNDS = 15
TOO_LONG = 300


class NotTimed(Exception):
    """Why there is no time to show: a whole sentence."""


def stopwatch(walk: str | Callable[..., Any], threads: int | None = None) -> float | None:
    """Time ``walk`` and print each way's milliseconds and share of a copy's speed.

    Returns the warm load's time as a multiple of the finished kernel's (less is faster), or
    ``None``, with one printed line, when there is nothing to time. Nothing that the walk does can
    end the notebook.
    """
    try:
        found = timed(walk, threads)
    except NotTimed as reason:
        print(reason)
        return None
    for title, times in zip(TITLES, found, strict=False):
        print(title)
        finished = times["best"]["finished"]
        for name, seconds in times["best"].items():
            rate = times["history"] / seconds / 1e9
            print(
                f"  {name:<24} ⏱ {seconds * 1e3:.2f} ms  ⏱ {rate:.1f} GB/s  "
                f"⏱ {seconds / finished:.2f} × finished"
            )
    best = found[0]["best"]
    return float(best["yours"] / best["finished"])


def timed(
    walk: str | Callable[..., Any],
    threads: int | None = None,
    loads: Sequence[tuple[int, int, bool]] = (WARM, COLD),
) -> list[dict[str, Any]]:
    """Per load: ``history`` bytes and ``best``, seconds by way. ``NotTimed`` says why not."""
    import torch

    threads = threads or torch.get_num_threads()
    found = _text(walk, threads, loads) if isinstance(walk, str) else _function(walk, threads)
    fault = next((times["fault"] for times in found if times["fault"]), "")
    if fault:
        raise NotTimed(f"Your walk isn't timed: {fault}.")
    return found


def _text(body: str, threads: int, loads: Sequence[Any]) -> list[dict[str, Any]]:
    import torch

    from paged_attention.errors import KernelNotBuilt
    from paged_attention.kernels import cpu
    from workbook.walk.load import HEAD_DIM, HEADS, KV_HEADS
    from workbook.walk.program import DoesNotCompile

    if "NOT_IMPLEMENTED" in body:
        raise NotTimed("Nothing to time yet: the walk is not implemented.")
    try:
        _refuse_wrong(run_text(body, cases()))
        fast = build(body, FAST, HEAD_DIM, HEADS // KV_HEADS, ".so")
        cpu.library(HEAD_DIM, HEADS // KV_HEADS, torch.float32)
    except (DoesNotCompile, KernelNotBuilt) as error:
        raise NotTimed(f"Your walk isn't timed: {error}") from error
    asked = {"library": str(fast.path), "loads": list(loads), "threads": threads, "rounds": ROUNDS}
    return _in_a_process(asked)


def _in_a_process(asked: dict[str, Any]) -> list[dict[str, Any]]:
    command = [sys.executable, "-m", "workbook.walk.timing", json.dumps(asked)]
    try:
        done = subprocess.run(
            command, capture_output=True, text=True, errors="replace", timeout=TOO_LONG, check=False
        )
    except subprocess.TimeoutExpired:
        raise NotTimed(
            f"Your walk had not ended after {TOO_LONG} s; the notebook is untouched."
        ) from None
    if done.returncode < 0:
        name = signal.Signals(-done.returncode).name
        raise NotTimed(
            f"Your walk ended the stopwatch's process ({name}); the notebook is untouched."
        )
    try:
        found: list[dict[str, Any]] = json.loads(done.stdout.splitlines()[-1])
    except (IndexError, ValueError):
        said = (done.stderr.strip().splitlines() or ["nothing"])[-1]
        raise NotTimed(f"The stopwatch's process ended without times; it said: {said}") from None
    return found


def _function(walk: Callable[..., Any], threads: int) -> list[dict[str, Any]]:
    """A Python function, here: it can't end this process. Fewer rounds, since it is slow."""
    from workbook.walk.load import Load, function_way, other_ways
    from workbook.walk.timing import measure

    _refuse_wrong(run_function(walk, cases()))
    load = Load(*WARM)
    steps = load.steps()
    ways = {"yours": function_way(walk, steps)} | other_ways(load, steps)
    return [measure(load, ways, steps, "yours", threads, rounds=3)]


def _refuse_wrong(outcomes: list[Any]) -> None:
    wrong = next((outcome for outcome in outcomes if outcome.wrong), None)
    if wrong is not None:
        raise NotTimed(
            f"Your walk isn't timed: it isn't right yet ({wrong.case.title}). Run its check first."
        )

"""A room of simulated learners on one server: a real JupyterHub, real kernels, real notebooks.

    in tests/:  python -m benchmarks.class_room [--learners 30] [--out FILE.json]

Each learner has a server started, opens JupyterLab's page and runs the student edition of chapters
2 and 3 cell by cell over a websocket, as fast as answers come: more at once than a room does. A
third of them solve the exercises, a third make a slip in each, a third leave the stubs. All share
one model, which is only read. ``benchmarks.class_setup`` installs what it takes. Ends after
``--minutes`` at the latest, before memory is gone, and with everything that it has started.
"""

import argparse
import asyncio
import contextlib
import json
import signal
import subprocess
import sys
import tempfile
from pathlib import Path
from time import perf_counter
from typing import Any

import psutil
from benchmarks import machine
from benchmarks.class_hub import Hub, hub
from benchmarks.class_learner import KINDS, Learner, Visit
from benchmarks.class_memory import Watch
from benchmarks.class_setup import ROOT
from tornado.httpclient import AsyncHTTPClient

CHAPTERS = ("02", "03")


def make_edition(folder: Path) -> dict[str, Path]:
    """The student edition of the chapters in ``folder``; where each notebook is."""
    command = [sys.executable, "-m", "bookbuild", "edition", "student", "--out", str(folder)]
    subprocess.run([*command, *CHAPTERS], check=True, cwd=ROOT, stdout=subprocess.DEVNULL)
    return {number: next(folder.glob(f"{number}_*.ipynb")) for number in CHAPTERS}


async def open_door(running: Hub) -> None:
    """Wait until the hub answers."""
    client = AsyncHTTPClient()
    while running.process.poll() is None:
        with contextlib.suppress(OSError):  # nobody listens yet
            answer = await client.fetch(f"{running.url}/hub/api/", raise_error=False)
            if answer.code == 200:
                return
        await asyncio.sleep(0.5)
    raise RuntimeError(f"the hub ended; its words are in {running.room / 'hub.log'}")


async def teach(
    running: Hub, learners: list[Learner], chapters: dict[str, Path], options: argparse.Namespace
) -> Watch:
    """Let them in one after the other, and watch until all are done, or time or memory is."""
    AsyncHTTPClient.configure(None, max_clients=200)
    await open_door(running)
    watch, began = Watch(running, options.least_mb), perf_counter()

    def say(text: str) -> None:
        print(f"{perf_counter() - began:6.0f} s  {text}", file=sys.stderr, flush=True)

    async def come(place: int, learner: Learner) -> None:
        await asyncio.sleep(place * options.stagger)
        await Visit(running, learner, say).run(chapters)

    everyone = [asyncio.create_task(come(*each)) for each in enumerate(learners)]
    all_done = asyncio.create_task(asyncio.wait(everyone))
    guard = asyncio.create_task(watch.guard())
    sampler = asyncio.create_task(watch.sample())
    done, _ = await asyncio.wait(
        [all_done, guard], timeout=60 * options.minutes, return_when=asyncio.FIRST_COMPLETED
    )
    if not done:
        watch.stopped = f"time, after {options.minutes} minutes"
    for task in (*everyone, all_done, guard, sampler):
        task.cancel()
    await asyncio.gather(*everyone, all_done, guard, sampler, return_exceptions=True)
    return watch


def report(
    learners: list[Learner], watch: Watch, seconds: float, options: argparse.Namespace
) -> dict[str, Any]:
    """One document: what was asked, how many came through, what it took."""
    finished = [each for each in learners if set(each.chapters) == set(CHAPTERS)]
    return machine.described() | {
        "memory_gb": round(psutil.virtual_memory().total / 1e9, 1),
        "learners": len(learners),
        "stagger_seconds": options.stagger,
        "chapters": list(CHAPTERS),
        "finished": len(finished),
        "failed_cells": sum(
            len(chapter["errors"]) for each in learners for chapter in each.chapters.values()
        ),
        "refused": sum(each.refused for each in learners),
        "lost": sum(each.lost for each in learners),
        "stopped_by": watch.stopped,
        "seconds": round(seconds),
        "most": watch.report(),
        "each": [vars(each) for each in learners],
    }


def main() -> None:
    """Teach the class and print, or write, one JSON document."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--learners", type=int, default=30)
    parser.add_argument("--stagger", type=float, default=4, help="seconds between two arrivals")
    parser.add_argument("--minutes", type=float, default=11, help="it ends then, done or not")
    parser.add_argument("--least-mb", type=float, default=1_500, help="memory the guard leaves")
    parser.add_argument("--out", type=Path)
    options = parser.parse_args()
    signal.signal(signal.SIGTERM, signal.default_int_handler)  # `timeout` ends the hub, too
    learners = [
        Learner(f"learner{number:02}", KINDS[number % len(KINDS)])
        for number in range(options.learners)
    ]
    with tempfile.TemporaryDirectory(prefix="class-", ignore_cleanup_errors=True) as folder:
        edition = Path(folder) / "edition"
        chapters, began = make_edition(edition), perf_counter()
        with hub(Path(folder), [each.name for each in learners], edition) as running:
            watch = asyncio.run(teach(running, learners, chapters, options))
    document = report(learners, watch, perf_counter() - began, options)
    text = json.dumps(document, indent=2)
    if options.out:
        options.out.write_text(text + "\n")
    summary = {name: value for name, value in document.items() if name != "each"}
    print(json.dumps(summary, indent=2))


if __name__ == "__main__":
    main()

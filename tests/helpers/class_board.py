"""A class's board that is filled by a test, and its page on a thread of its own."""

import contextlib
import json
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from tornado.httpserver import HTTPServer
from tornado.ioloop import IOLoop

from paged_attention.server.sockets import bound
from workbook.classroom.serve import application

FULL = "a request for too many is refused whole"


def put(
    folder: Path, who: str, *checks: tuple[str, int, int], stop: str = FULL, t: int = 0
) -> Path:
    """A learner's file with these checks: label, passed (-1: a stub), of."""
    told: list[dict[str, Any]] = [{"t": t, "who": who}]
    for label, passed, of in checks:
        line = {"t": t, "who": who, "ex": label, "passed": passed, "of": of, "todo": passed < 0}
        told.append(line | {"passed": max(passed, 0), "stop": stop if 0 <= passed < of else None})
    path = folder / f"{len(list(folder.iterdir()))}.jsonl"
    path.write_text("".join(json.dumps(line) + "\n" for line in told), encoding="utf-8")
    return path


@contextlib.contextmanager
def board_page(folder: Path) -> Iterator[str]:
    """The address of the page of ``folder``'s board while the context lasts."""
    sockets, started = bound("127.0.0.1", 0), threading.Event()
    loops: list[IOLoop] = []

    def run() -> None:
        loop = IOLoop(make_current=True)
        server = HTTPServer(application(folder))
        server.add_sockets(sockets)
        loops.append(loop)
        loop.add_callback(started.set)
        loop.start()
        server.stop()
        loop.close(all_fds=True)

    thread = threading.Thread(target=run)
    thread.start()
    assert started.wait(120)
    try:
        yield f"http://127.0.0.1:{sockets[0].getsockname()[1]}"
    finally:
        loops[0].add_callback(loops[0].stop)
        thread.join()

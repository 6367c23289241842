"""A server inside another program, a notebook for example: on a thread of its own."""

import asyncio
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import Future
from contextlib import contextmanager
from dataclasses import replace
from typing import Any, TypeVar

from paged_attention.model import Model
from paged_attention.server.metrics import Metrics
from paged_attention.server.server import Server
from paged_attention.server.service import Backend
from paged_attention.server.settings import Settings
from paged_attention.serving.engine import Engine
from paged_attention.serving.stats import StepStats

T = TypeVar("T")


class BackgroundServer:
    """A server that runs. ``url``: where; clients of the OpenAI protocol want ``url + "/v1"``.

    ``stop()`` begins a graceful stop and doesn't wait for its end, as the end of the block does.
    """

    def __init__(self, server: Server, stop: Callable[[], None]) -> None:
        self.server, self.url, self.stop = server, server.url, stop

    def __str__(self) -> str:
        return self.url

    @property
    def model(self) -> str:
        """What clients call the model."""
        return self._backend().name

    @property
    def metrics(self) -> Metrics:
        """The numbers behind ``/metrics``."""
        return self._backend().metrics

    def steps(self) -> list[StepStats]:
        """What the last steps did, as many as are kept."""
        return self.call(lambda _: list(self._backend().engine.steps)).result()

    def call(self, function: Callable[[Engine], T]) -> "Future[T]":
        """Let the engine's thread call ``function(engine)`` between two steps.

        Return plain values from it: the engine itself belongs to that thread.
        """
        return self._backend().engine.call(function)

    def _backend(self) -> Backend:
        backend = self.server.service.backend
        assert backend is not None
        return backend


@contextmanager
def serve_in_background(
    model: Model, engine: Engine, settings: Settings | None = None, **changes: Any
) -> Iterator[BackgroundServer]:
    """Serve ``model`` by ``engine`` until the block ends; then the engine is the caller's again.

    ``settings`` as for ``Server``, single ones as ``changes``; the port is a free one unless given.
    ``with serve_in_background(model, engine) as server: print(server.url)``
    """
    chosen = replace(settings or Settings(port=0), **changes)
    started: Future[BackgroundServer] = Future()
    stop, hurry = threading.Event(), threading.Event()

    async def run() -> None:
        server = Server(chosen)
        loop = asyncio.get_running_loop()
        try:
            server.open()
            server.serve(model, engine)
        except BaseException as error:
            started.set_exception(error)
            return
        started.set_result(BackgroundServer(server, stop.set))
        await loop.run_in_executor(None, stop.wait)
        await server.stop(0 if hurry.is_set() else None)

    thread = threading.Thread(target=asyncio.run, args=(run(),), name="server", daemon=True)
    thread.start()
    try:
        yield started.result()
    except BaseException:
        hurry.set()  # nobody waits for answers any more
        raise
    finally:
        stop.set()
        thread.join()

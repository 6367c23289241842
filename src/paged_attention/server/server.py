"""The server: sockets first, then the model, then requests, and at the end nobody is cut off."""

import asyncio
import socket
from collections.abc import Callable, Sequence

from tornado.httpserver import HTTPServer

from paged_attention.model import Model
from paged_attention.server.handlers import application
from paged_attention.server.service import Service
from paged_attention.server.settings import Settings
from paged_attention.server.sockets import bound, in_url
from paged_attention.serving.engine import Engine

_IDLE = 3600.0  # seconds: longer than any client keeps a connection for the next request
_BODY = 300.0  # seconds that a body may take to arrive
_ENOUGH = 2**40  # bytes: the handlers count bodies themselves, and answer 413


class Server:
    """``open`` listens, with 503 for everybody; ``serve`` takes requests; ``stop`` ends gracefully.

    All three on one running event loop.
    """

    def __init__(
        self, settings: Settings | None = None, sockets: Sequence[socket.socket] = ()
    ) -> None:
        self.settings = settings or Settings()
        self.sockets = list(sockets)  # those that listen already, if any

    def open(self) -> None:
        """Listen, or raise ``AddressTaken``. It takes no model, so a taken port is told at once."""
        self.service = Service(self.settings)
        self.sockets = self.sockets or bound(self.settings.host, self.settings.port)
        self._http = HTTPServer(
            application(self.service),
            max_body_size=_ENOUGH,
            idle_connection_timeout=_IDLE,
            body_timeout=_BODY,
        )
        self._http.add_sockets(self.sockets)

    @property
    def port(self) -> int:
        """The port, also where a free one was asked for."""
        port: int = self.sockets[0].getsockname()[1]
        return port

    @property
    def url(self) -> str:
        """Where it is reached, on this machine."""
        host = {"": "127.0.0.1", "0.0.0.0": "127.0.0.1", "::": "[::1]"}.get(self.settings.host)
        return f"http://{host or in_url(self.settings.host)}:{self.port}"

    def serve(self, model: Model, engine: Engine) -> None:
        """Take requests for ``model``. ``engine`` belongs to the server's thread until ``stop``."""
        self.service.open(model, engine)

    async def load_and_serve(self, load: Callable[[], tuple[Model, Engine]]) -> None:
        """``serve`` what ``load`` returns, which runs on a thread beside."""
        self.serve(*await asyncio.get_running_loop().run_in_executor(None, load))

    def hurry(self) -> None:
        """End the answers under way now; a ``stop`` that waits for them goes on."""
        self.service.end_calls()

    async def stop(self, limit: float | None = None) -> None:
        """Take no new requests, let those here finish for ``limit`` seconds, end the rest."""
        await self.service.drain(self.settings.drain_limit if limit is None else limit)
        await self.service.close()
        self._http.stop()
        await self._http.close_all_connections()

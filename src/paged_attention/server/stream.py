"""Server-sent events to a reader who may be slow, or gone."""

import asyncio
import json
from typing import Any

from paged_attention.server.base import BaseHandler
from paged_attention.server.errors import ApiError


class EventStream:
    """The answer of ``handler`` as events. Nothing is sent before the first one, so that until then
    an error can still have a status of its own.
    """

    def __init__(self, handler: BaseHandler) -> None:
        self._handler = handler
        self.begun = False
        self._blocked = False

    async def send(self, content: dict[str, Any]) -> None:
        """One event, in one write; returns when the reader has taken it."""
        await self._write(json.dumps(content))

    async def done(self) -> None:
        """The protocol's last event."""
        await self._write("[DONE]")

    async def fail(self, error: ApiError) -> None:
        """An error in the middle of a stream, whose status was sent long ago."""
        await self.send(error.body)

    def give_up(self, _: ApiError) -> None:
        """The call has failed. Who takes nothing could not be told."""
        if self._blocked:
            self._handler.hang_up()

    async def _write(self, data: str) -> None:
        if not self.begun:
            self._begin()
        self._handler.write(f"data: {data}\n\n")
        written: asyncio.Future[None] = self._handler.flush()
        self._blocked = not written.done()
        try:
            await self._handler.flushed(written)
        finally:
            self._blocked = False

    def _begin(self) -> None:
        self.begun = True
        handler = self._handler
        handler.set_header("Content-Type", "text/event-stream; charset=utf-8")
        handler.set_header("Cache-Control", "no-cache")
        handler.set_header("X-Accel-Buffering", "no")  # or nginx would collect the events
        stream = getattr(handler.request.connection, "stream", None)
        if stream is not None:
            stream.set_nodelay(True)

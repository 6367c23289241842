"""The line to a server's chat endpoint: one request, its answer as it comes, and hanging up."""

import json
import socket
import threading
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from http.client import HTTPConnection, HTTPException, HTTPResponse, HTTPSConnection
from typing import Any
from urllib.parse import urlsplit

from paged_attention.load_client.answer import Outcome, Reader
from paged_attention.load_client.target import base_of, failure, parsed

CONNECT, PATIENCE = 5.0, 120.0  # seconds until it answers the call, and without a byte


class NoAnswer(RuntimeError):
    """The server gave no answer, or not all of it; the message says why."""


class Line:
    """Asks the server at ``url``, one answer at a time; any thread may ``hang_up``."""

    def __init__(self, url: str, key: str | None = None, **options: Any) -> None:
        self.base = base_of(url)
        self._key = key
        self._options = options
        self._socket: socket.socket | None = None
        self._hung_up = threading.Event()

    def ask(
        self,
        messages: Sequence[tuple[str, str]],
        outcome: Outcome,
        heard: Callable[[str], None],
    ) -> None:
        """Write the answer to ``messages`` into ``outcome``; ``heard`` gets the text so far.

        Raises ``NoAnswer``, also when it was hung up; what came before stays in ``outcome``.
        """
        self._hung_up.clear()
        try:
            if "model" not in self._options:
                self._options["model"] = self._only_model()
            said = [{"role": role, "content": text} for role, text in messages]
            system = self._options.get("system")
            body = {k: v for k, v in self._options.items() if v is not None and k != "system"}
            body["messages"] = [{"role": "system", "content": system}, *said] if system else said
            body |= {"stream": True, "stream_options": {"include_usage": True}}
            start = time.monotonic()
            response = self._request("POST", "/chat/completions", body)
            reader, text = Reader(outcome), ""
            while chunk := response.read1(65536):
                reader.feed(chunk, time.monotonic() - start)
                if outcome.text != text:
                    text = outcome.text
                    heard(text)
            reader.end(time.monotonic() - start)
        except (OSError, HTTPException) as error:
            raise NoAnswer("hung up" if self._hung_up.is_set() else _cause(error)) from error
        finally:
            self._socket = None
        if self._hung_up.is_set():
            raise NoAnswer("hung up")
        if outcome.error is not None:
            raise NoAnswer(outcome.error)

    def hang_up(self) -> None:
        """End the answer under way; the server sees that its reader is gone."""
        self._hung_up.set()
        if (line := self._socket) is not None:
            with suppress(OSError):
                line.shutdown(socket.SHUT_RDWR)

    def _only_model(self) -> str:
        response = self._request("GET", "/models")
        listed = parsed(response.read())
        data = listed.get("data") if isinstance(listed, dict) else None
        names = [str(entry["id"]) for entry in data or [] if isinstance(entry, dict)]
        if len(names) != 1:
            known = ", ".join(names) or "none"
            raise NoAnswer(f"the server lists {known}: say which, chat(url, model=…)")
        return names[0]

    def _request(self, method: str, path: str, body: Any = None) -> HTTPResponse:
        parts = urlsplit(self.base)
        make = HTTPSConnection if parts.scheme == "https" else HTTPConnection
        connection = make(parts.netloc, timeout=CONNECT)
        connection.connect()
        connection.sock.settimeout(PATIENCE)
        self._socket = connection.sock
        if self._hung_up.is_set():
            raise NoAnswer("hung up")
        headers = {"Content-Type": "application/json", "Connection": "close"}
        if self._key:
            headers["Authorization"] = f"Bearer {self._key}"
        content = None if body is None else json.dumps(body)
        connection.request(method, parts.path + path, content, headers)
        response = connection.getresponse()
        if response.status != 200:
            raise NoAnswer(failure(response.status, None, parsed(response.read())))
        return response


def _cause(error: Exception) -> str:
    return failure(599, error, None)

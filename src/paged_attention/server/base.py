"""What all addresses have in common: bodies of bounded size, keys, errors as JSON, CORS."""

import asyncio
import hmac
import json
import re
import socket
from http import HTTPStatus
from typing import Any

from tornado.web import HTTPError, RequestHandler, stream_request_body

from paged_attention.server.errors import ApiError, mistake
from paged_attention.server.service import Service

_PLAIN = re.compile(r"[ -~]{1,256}")  # what may stand in a header
_BODY_TYPES = ("json", "x-www-form-urlencoded", "text/plain")  # curl -d sends the second


@stream_request_body
class BaseHandler(RequestHandler):
    """A body is taken whole before anything is answered, even if it is thrown away: a client that
    still sends would not read the answer. So a key is checked in the method, not in ``prepare``.
    """

    open_to_all = False  # whether no key is needed

    def initialize(self, service: Service) -> None:
        """``service``: everything behind HTTP."""
        self.service = service
        self._body = bytearray()
        self._too_large = False

    def set_default_headers(self) -> None:
        """Pages of any origin may ask, and see which request an answer belongs to."""
        self.set_header("Access-Control-Allow-Origin", "*")
        self.set_header("Access-Control-Expose-Headers", "x-request-id, retry-after")
        self.set_header("Server", "paged-attention")
        name = self.request.headers.get("x-request-id", "")
        if _PLAIN.fullmatch(name):
            self.set_header("x-request-id", name)

    def data_received(self, chunk: bytes) -> None:
        """A piece of the body; beyond the limit it is counted and dropped."""
        if len(self._body) + len(chunk) > self.service.settings.max_body:
            self._too_large = True
            self._body.clear()
        if not self._too_large:
            self._body += chunk

    def check_access(self) -> None:
        """Raise an ``ApiError`` 401 unless the caller has the key, if one is set."""
        key = self.service.settings.api_key
        if key is None or self.open_to_all:
            return
        scheme, _, given = self.request.headers.get("Authorization", "").partition(" ")
        right = hmac.compare_digest(given.strip().encode("latin-1", "replace"), key.encode())
        if scheme.lower() != "bearer" or not right:
            raise ApiError(
                "this server needs its API key: send 'Authorization: Bearer <key>'",
                status=401,
                code="invalid_api_key",
                kind="authentication_error",
            )

    def body(self) -> bytes:
        """The body of the request, or an ``ApiError`` if it is too large or of another kind."""
        if self._too_large:
            raise ApiError(
                f"the body is larger than {self.service.settings.max_body} bytes",
                status=413,
                code="body_too_large",
            )
        packed = self.request.headers.get("Content-Encoding", "").strip().lower()
        if packed not in ("", "identity"):
            raise ApiError(
                f"a body packed as {packed!r} can't be read: send it as it is",
                status=415,
                code="unsupported_media_type",
            )
        kind = self.request.headers.get("Content-Type", "").lower()
        if kind and not any(known in kind for known in _BODY_TYPES):
            raise ApiError(
                f"a body of type {kind!r} can't be read: send application/json",
                status=415,
                code="unsupported_media_type",
            )
        return bytes(self._body)

    @property
    def gone(self) -> bool:
        """Whether the client has closed the connection, or was never there for this request.

        Tornado doesn't notice while the bytes of a next request wait in its buffer, so this looks.
        """
        stream = getattr(self.request.connection, "stream", None)
        if stream is None or stream.closed():
            return True
        try:
            return not stream.socket.recv(1, socket.MSG_PEEK)
        except BlockingIOError:  # open, and nothing to read
            return False
        except OSError:
            return True

    def hang_up(self) -> None:
        """Close the connection, whatever is still to be written."""
        stream = getattr(self.request.connection, "stream", None)
        if stream is not None:
            stream.close()

    async def flushed(self, written: "asyncio.Future[None]") -> None:
        """Wait until the client has taken what was written, and not longer than it may."""
        if not written.done():
            try:
                await asyncio.wait_for(written, self.service.settings.stall_limit)
            except TimeoutError:
                self.hang_up()
                raise

    def send_json(self, content: dict[str, Any], status: int = 200) -> "asyncio.Future[None]":
        """Answer with ``content``, and nothing after it."""
        self.set_status(status)
        self.set_header("Content-Type", "application/json")
        return self.finish(json.dumps(content))

    def _methods(self) -> str:
        """What this address can do."""
        known = ((name, getattr(type(self), name.lower())) for name in self.SUPPORTED_METHODS)
        missing = RequestHandler._unimplemented_method
        return ", ".join(name for name, method in known if method is not missing)

    def send_error_object(self, error: ApiError, allowed: str | None = None) -> None:
        """Answer with the protocol's error object."""
        self.clear()
        if error.status == 405 and allowed:
            self.set_header("Allow", allowed)
        self.service.count_rejection(error)
        if error.retry_after is not None:
            self.set_header("Retry-After", str(error.retry_after))
        elif error.status >= 500:
            self.set_header("x-should-retry", "false")  # openai's clients would run it twice more
        if error.status == 401:
            self.set_header("WWW-Authenticate", "Bearer")
        self.send_json(error.body, error.status)

    def write_error(self, status_code: int, **kwargs: Any) -> None:
        """Every error is JSON: ours as it is, Tornado's and Python's in the same form."""
        cause = kwargs.get("exc_info", (None, None, None))[1]
        if isinstance(cause, ApiError):
            self.send_error_object(cause)
        elif isinstance(cause, HTTPError):
            said = cause.log_message or HTTPStatus(status_code).phrase
            if status_code == 405:
                said = f"{self.request.method} is not possible here"
            self.send_error_object(ApiError(said, status=status_code), allowed=self._methods())
        else:
            self.send_error_object(mistake())

    def log_exception(self, *args: Any) -> None:
        """What the client did wrong is its own to know; what we did goes to the log."""
        if not isinstance(args[1], ApiError):
            super().log_exception(*args)

    def compute_etag(self) -> None:
        """No answer comes twice."""

    def options(self, *_: str) -> None:
        """A browser asks before it sends; it has no key yet."""
        wanted = self.request.headers.get("Access-Control-Request-Headers")
        self.set_header("Access-Control-Allow-Methods", "GET, HEAD, POST, OPTIONS")
        self.set_header(
            "Access-Control-Allow-Headers", wanted or "Authorization, Content-Type, X-Request-Id"
        )
        self.set_header("Access-Control-Max-Age", "600")
        self.set_status(204)
        self.finish()

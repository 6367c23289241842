"""The server that a load goes to: its address, its model, and the body of a request."""

import asyncio
import json
from dataclasses import dataclass
from typing import Any, Literal
from urllib.parse import urlsplit

from tornado.httpclient import AsyncHTTPClient, HTTPRequest, HTTPResponse

from paged_attention.load_client.answer import error_message
from paged_attention.load_client.plan import Planned

Api = Literal["completions", "chat"]
_PATHS = {"completions": "/completions", "chat": "/chat/completions"}
CONNECT = 10.0  # seconds to reach a server


class TargetError(RuntimeError):
    """The server can't be measured; the message says why and what to do."""


@dataclass(frozen=True)
class Target:
    """Where requests go and what each of them says beside its prompt."""

    base: str  # up to and with /v1
    model: str = ""
    api: Api = "completions"
    key: str | None = None
    ignore_eos: bool = False
    usage: bool = True
    temperature: float | None = 0.0
    timeout: float = 600.0

    def request(self, planned: Planned) -> HTTPRequest:
        """The HTTP request of ``planned``; its callbacks are the caller's to set."""
        return HTTPRequest(
            self.base + _PATHS[self.api],
            method="POST",
            headers=self.headers() | {"Content-Type": "application/json"},
            body=json.dumps(self.body(planned)),
            connect_timeout=min(CONNECT, self.timeout),
            request_timeout=self.timeout,
            decompress_response=False,  # a compressed stream waits for more before it gives any
        )

    def headers(self) -> dict[str, str]:
        """What every request carries."""
        return {"Authorization": f"Bearer {self.key}"} if self.key else {}

    def body(self, planned: Planned) -> dict[str, Any]:
        """The request in the protocol's words. Options that are off are left out."""
        body: dict[str, Any] = {"model": self.model, "max_tokens": planned.max_tokens}
        if self.api == "chat":
            if not isinstance(planned.prompt, str):
                raise TargetError("token ids are no chat: use --api completions for this load")
            body["messages"] = [{"role": "user", "content": planned.prompt}]
        else:
            text = isinstance(planned.prompt, str)
            body["prompt"] = planned.prompt if text else list(planned.prompt)
        body["stream"] = True
        if self.usage:
            body["stream_options"] = {"include_usage": True}
        if self.temperature is not None:
            body["temperature"] = self.temperature
        if self.ignore_eos:
            body["ignore_eos"] = True
        return body


def base_of(url: str) -> str:
    """``http://host:8000`` and ``http://host:8000/v1/`` are the same server."""
    parts = urlsplit(url if "//" in url else f"http://{url}")
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise TargetError(f"{url!r} is no address of a server: write http://HOST:PORT")
    return f"{parts.scheme}://{parts.netloc}{parts.path.rstrip('/') or '/v1'}"


async def model_of(target: Target, client: AsyncHTTPClient) -> str:
    """The model to ask: the one that ``target`` names if it is served, else the only one there."""
    url = f"{target.base}/models"
    request = HTTPRequest(
        url, headers=target.headers(), connect_timeout=CONNECT, request_timeout=CONNECT
    )
    response = await fetched(client, request)
    if response.code == 404 and target.model:
        return target.model  # some gateways don't list; the first request will tell
    served = _listed(response, url)
    if not target.model:
        if len(served) == 1:
            return served[0]
        raise TargetError(f"{url} lists {_all(served)}: say which with --model")
    if target.model not in served:
        raise TargetError(f"{target.base} doesn't serve {target.model!r}: it lists {_all(served)}")
    return target.model


def _all(served: list[str]) -> str:
    return ", ".join(repr(name) for name in served) or "no model"


def _listed(response: HTTPResponse, url: str) -> list[str]:
    """The names in a list of models; raises ``TargetError`` for whatever else came."""
    body = None if response.code == 599 else parsed(response.body)
    if response.code in (401, 403):
        raise TargetError(f"{url} wants a key ({error_message(body)}): give --api-key")
    if response.code != 200:
        raise TargetError(f"{url}: {failure(response.code, response.error, body)}")
    data = body.get("data") if isinstance(body, dict) else None
    if not isinstance(data, list):
        raise TargetError(
            f"{url} answers, but with no list of models: is it a server of the OpenAI protocol?"
        )
    return [str(entry["id"]) for entry in data if isinstance(entry, dict) and "id" in entry]


async def fetched(client: AsyncHTTPClient, request: HTTPRequest) -> HTTPResponse:
    """The response; where none came, one of code 599 with the error. Only a cancel is raised."""
    coming = client.fetch(request, raise_error=False)
    # When we are interrupted nobody waits any more, and Tornado and asyncio would each say so.
    coming.add_done_callback(lambda future: future.cancelled() or future.exception())
    try:
        return await asyncio.shield(coming)
    except Exception as error:  # whatever socket, TLS and parser may say
        return HTTPResponse(request, 599, error=error)


def parsed(body: bytes) -> Any:
    """JSON as it came; what isn't JSON as a text, or ``None`` where nothing came."""
    try:
        return json.loads(body)
    except ValueError:
        return body.decode("utf-8", "replace").strip() or None


def failure(code: int, error: BaseException | None, body: Any) -> str:
    """What went wrong with a request, for a person. 599 is no answer at all."""
    if code != 599:
        said = error_message(body) if body else "and said no more"
        return f"status {code}: {said}"
    if isinstance(error, ConnectionRefusedError):
        return "nothing listens there: is the server running, and is the port right?"
    return f"no answer ({error or type(error).__name__})"

"""A server in this process, an engine that says what it is told, and a client without manners."""

import http.client
import json
import socket
import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from typing import Any, NamedTuple

from helpers.waiting import until
from torch import Tensor

from paged_attention.model import Model
from paged_attention.server import Settings, build_engine, serve_in_background
from paged_attention.server.background import BackgroundServer
from paged_attention.serving.engine import Engine
from paged_attention.serving.request import Request

BEGIN, END = 1, 2  # the tiny model's <|im_start|> and <|im_end|>


class Parrot(Engine):
    """Says the last message of a chat, or a completion's whole prompt, and then that it is done.

    ``pause``: seconds that each step takes. ``breaks``: a step raises.
    """

    pause = 0.0
    breaks = False

    def step(self) -> Any:
        time.sleep(self.pause)
        if self.breaks:
            raise RuntimeError("the machine broke")
        return super().step()

    def _draw(self, request: Request, logits: Tensor) -> int | None:
        if request.sampling is not None and request.sampling.temperature:
            return super()._draw(request, logits)
        said = len(request.answer)
        lines = _last_message(list(request.prompt))
        return lines[said] if said < len(lines) else END


def _last_message(prompt: list[int]) -> list[int]:
    """What stands between the last line that names a role and the mark behind it."""
    ends = [at for at, token in enumerate(prompt) if token == END]
    begins = [at for at, token in enumerate(prompt) if token == BEGIN]
    if not ends or not begins:
        return prompt
    begin = max(at for at in begins if at < ends[-1])
    line = prompt[begin + 1 : ends[-1]]
    newline = next(token for token in prompt[begin:] if token == NEWLINE)
    return line[line.index(newline) + 1 :]


NEWLINE = 0  # set by ``parrot``, once the tokenizer is known


@contextmanager
def served(
    model: Model,
    *,
    engine: Callable[[Engine], None] | None = None,
    settings: Settings | None = None,
    **sizes: Any,
) -> Iterator[BackgroundServer]:
    """A parrot behind HTTP. ``engine`` may prepare it; ``sizes`` are those of ``build_engine``."""
    global NEWLINE
    NEWLINE = model.tokenizer.encode("\n")[0]
    made = build_engine(model, **{"num_blocks": 256, "block_size": 8} | sizes)
    made.__class__ = Parrot
    if engine is not None:
        engine(made)
    with serve_in_background(model, made, settings) as server:
        yield server


class Reply(NamedTuple):
    """What came back."""

    status: int
    headers: http.client.HTTPMessage
    body: bytes

    @property
    def json(self) -> Any:
        return json.loads(self.body)

    @property
    def error(self) -> Any:
        return self.json["error"]


def ask(
    url: str,
    path: str,
    body: Any = None,
    *,
    method: str | None = None,
    headers: dict[str, str] | None = None,
    timeout: float = 60,
) -> Reply:
    """One request. A body that is not bytes is sent as JSON."""
    raw = body if isinstance(body, bytes) or body is None else json.dumps(body).encode()
    given = ({"Content-Type": "application/json"} if raw is not None else {}) | (headers or {})
    with closing(http.client.HTTPConnection(url.removeprefix("http://"), timeout=timeout)) as line:
        line.request(method or ("GET" if raw is None else "POST"), path, raw, given)
        got = line.getresponse()
        return Reply(got.status, got.headers, got.read())


def post(url: str, kind: str = "completions", /, **body: Any) -> Reply:
    """Ask ``/v1/<kind>``; the parrot unless a temperature is given."""
    return ask(url, f"/v1/{kind}", {"temperature": 0} | body)


def events(url: str, kind: str = "completions", /, **body: Any) -> list[Any]:
    """All events of a stream, which must be whole and end with the mark for it."""
    reply = post(url, kind, stream=True, **body)
    assert reply.status == 200, reply.body
    *pieces, last, rest = reply.body.decode().split("\n\n")
    assert (last, rest) == ("data: [DONE]", "")
    assert all(piece.startswith("data: ") for piece in pieces)
    return [json.loads(piece.removeprefix("data: ")) for piece in pieces]


def texts(chunks: list[Any]) -> list[str]:
    """The text of each choice of a stream."""
    found: dict[int, str] = {}
    for chunk in chunks:
        for choice in chunk["choices"]:
            piece = choice["text"] if "text" in choice else choice["delta"].get("content", "")
            found[choice["index"]] = found.get(choice["index"], "") + piece
    return [found[index] for index in sorted(found)]


def opened(url: str, kind: str = "completions", /, **body: Any) -> socket.socket:
    """A connection that has sent a request and read nothing."""
    host, port = url.removeprefix("http://").rsplit(":", 1)
    line = socket.create_connection((host, int(port)), timeout=60)
    raw = json.dumps({"temperature": 0} | body).encode()
    head = f"POST /v1/{kind} HTTP/1.1\r\nHost: x\r\nContent-Length: {len(raw)}\r\n\r\n"
    line.sendall(head.encode() + raw)
    return line


def alive(server: BackgroundServer) -> int:
    """Requests that the engine has."""
    return server.call(len).result(60)


def check_whole(server: BackgroundServer) -> None:
    """Nobody is left: no request, no record, no block, no stream."""

    def look(engine: Engine) -> tuple[object, ...]:
        engine.memory.cache.check_invariants()
        prefix = engine.memory.prefix
        if prefix is not None:
            prefix.check_invariants()
        pool = engine.memory.cache.allocator
        names = set() if prefix is None else prefix.stats._counted
        return len(engine), engine.requests, pool.num_held, engine.memory.cache.tables, names

    until(lambda: not server.server.service.calls)
    until(lambda: alive(server) == 0)
    assert server.call(look).result(60) == (0, {}, 0, {}, set())
    assert server.server.service.taken == 0
    assert number(server, "paged_streams_open") == 0


def number(server: BackgroundServer, name: str, **labels: str) -> float:
    """One number of the metrics; all series of the name that have these labels, added up."""
    total = 0.0
    for line in ask(server.url, "/metrics").body.decode().splitlines():
        series, _, value = line.rpartition(" ")
        if series.split("{")[0] == name and all(f'{k}="{v}"' in series for k, v in labels.items()):
            total += float(value)
    return total

"""A small server of the OpenAI protocol that answers as it is told to, on a loop in a thread."""

import asyncio
import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from tornado.httpserver import HTTPServer
from tornado.netutil import bind_sockets
from tornado.web import Application, RequestHandler

# What vLLM and we say at /metrics.
VLLM = """# HELP vllm:num_requests_running Requests.
# TYPE vllm:num_requests_running gauge
vllm:num_requests_running{engine="0",model_name="m"} 3.0
vllm:num_requests_waiting{engine="0",model_name="m"} 1.0
vllm:kv_cache_usage_perc{engine="0",model_name="m"} 0.453125
# TYPE vllm:prompt_tokens counter
vllm:prompt_tokens_total{engine="0",model_name="m"} 900.0
vllm:prompt_tokens_cached_total{engine="0",model_name="m"} 558.0
vllm:generation_tokens_total{engine="0",model_name="m"} 1184.0
vllm:num_preemptions_total{engine="0",model_name="m"} 2.0
vllm:cache_config_info{block_size="16",engine="0",num_gpu_blocks="64"} 1.0
"""


# what vLLM and we say at /metrics


@dataclass
class Stub:
    """What the server says. ``pieces``: raw bytes, written and flushed one by one."""

    models: Any = field(default_factory=lambda: {"object": "list", "data": [{"id": "stub"}]})
    models_status: int = 200
    pieces: list[bytes] = field(default_factory=list)
    status: int = 200
    body: bytes = b""
    headers: dict[str, str] = field(default_factory=dict)
    content_type: str = "text/event-stream"
    refuse: int = 0  # so many requests get 429 first
    delay: float = 0.0  # before each piece but the first
    hang_up: bool = False  # close the connection instead of ending the answer
    metrics: str | None = None
    asked: list[dict[str, Any]] = field(default_factory=list)
    keys: list[str | None] = field(default_factory=list)
    left: int = 0  # callers that went away in the middle
    url: str = ""


class _Models(RequestHandler):
    def get(self) -> None:
        stub: Stub = self.application.settings["stub"]
        self.set_status(stub.models_status)
        self.finish(stub.models if isinstance(stub.models, str) else json.dumps(stub.models))


class _Metrics(RequestHandler):
    def get(self) -> None:
        stub: Stub = self.application.settings["stub"]
        if stub.metrics is None:
            self.send_error(404)
        else:
            self.finish(stub.metrics)


class _Answer(RequestHandler):
    gone = False

    def on_connection_close(self) -> None:
        self.gone = True
        self.application.settings["stub"].left += 1

    async def post(self) -> None:
        stub: Stub = self.application.settings["stub"]
        stub.asked.append(json.loads(self.request.body))
        stub.keys.append(self.request.headers.get("Authorization"))
        if stub.refuse > 0:
            stub.refuse -= 1
            self.set_status(429)
            self.set_header("Retry-After", "0.01")
            self.finish(json.dumps({"error": {"message": "full", "code": "full"}}))
            return
        self.set_status(stub.status)
        self.set_header("Content-Type", stub.content_type)
        for name, value in stub.headers.items():
            self.set_header(name, value)
        if stub.status != 200:
            self.finish(stub.body)
            return
        for number, piece in enumerate(stub.pieces):
            if number and stub.delay:
                await asyncio.sleep(stub.delay)
            if self.gone:
                return
            self.write(piece)
            await self.flush()
        if stub.hang_up:
            self.request.connection.stream.close()  # type: ignore[attr-defined]
        else:
            self.finish()


@contextmanager
def serving(stub: Stub) -> Iterator[Stub]:
    """``stub`` behind a free port of this machine, until the block ends."""
    sockets = bind_sockets(0, "127.0.0.1")
    stub.url = f"http://127.0.0.1:{sockets[0].getsockname()[1]}"
    ready, loops = threading.Event(), []

    async def serve() -> None:
        routes = [
            (r"/v1/models", _Models),
            (r"/metrics", _Metrics),
            (r"/v1/(?:chat/)?completions", _Answer),
        ]
        server = HTTPServer(Application(routes, stub=stub, log_function=lambda _: None))
        server.add_sockets(sockets)
        stop = asyncio.Event()
        loops.append((asyncio.get_running_loop(), stop))
        ready.set()
        await stop.wait()
        server.stop()
        await server.close_all_connections()

    thread = threading.Thread(target=lambda: asyncio.run(serve()), daemon=True)
    thread.start()
    ready.wait()
    try:
        yield stub
    finally:
        loop, stop = loops[0]
        loop.call_soon_threadsafe(stop.set)
        thread.join()


def event(found: Any) -> bytes:
    """One event of a stream."""
    return b"data: " + json.dumps(found, ensure_ascii=False).encode() + b"\n\n"


def completion(texts: list[str], *, prompt: int = 5, usage: bool = True) -> list[bytes]:
    """A streamed completion, a piece a text; its last piece ends it, its usage counts pieces."""
    pieces = [
        event({"object": "text_completion", "choices": [{"index": 0, "text": text}]})
        for text in texts
    ]
    pieces.append(event({"choices": [{"index": 0, "text": "", "finish_reason": "length"}]}))
    if usage:
        counts = {"prompt_tokens": prompt, "completion_tokens": len(texts)}
        pieces.append(event({"choices": [], "usage": counts}))
    return [*pieces, b"data: [DONE]\n\n"]


def chat(texts: list[str]) -> list[bytes]:
    """A streamed chat answer: the role, a piece a text, the end, usage."""
    deltas: list[dict[str, str]] = [{"role": "assistant", "content": ""}]
    deltas += [{"content": text} for text in texts]
    pieces = [event({"choices": [{"index": 0, "delta": delta}]}) for delta in deltas]
    pieces.append(event({"choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}]}))
    counts = {"prompt_tokens": 5, "completion_tokens": len(texts)}
    return [*pieces, event({"choices": [], "usage": counts}), b"data: [DONE]\n\n"]

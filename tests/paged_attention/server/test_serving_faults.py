# ruff: noqa: E501
"""Faults that public servers had with clients that leave, limits, keys, ports and ends."""

import asyncio
import http.client
import json
import socket
import struct
import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from helpers.api import (
    alive,
    ask,
    check_whole,
    events,
    number,
    opened,
    post,
    served,
    texts,
    until,
)

from paged_attention.model import Model
from paged_attention.server import Settings, build_engine, serve_in_background
from paged_attention.server.background import BackgroundServer
from paged_attention.server.sockets import AddressTaken, bound
from paged_attention.serving.engine import Engine

LONG = "x" * 700
HELLO = [{"role": "user", "content": "Hi"}]


def slow(engine: Engine, pause: float = 0.005) -> None:
    engine.pause = pause  # type: ignore[attr-defined]


def at_once(*calls: Callable[[], Any]) -> list[Any]:
    with ThreadPoolExecutor(len(calls)) as pool:
        return [each.result() for each in [pool.submit(call) for call in calls]]


@pytest.mark.parametrize("stream", [True, False])
def test_5_and_6_a_client_that_leaves_is_aborted(tiny: Model, stream: bool) -> None:
    """sgl-project/mini-sglang#15, vllm-project/vllm#10806: running and waiting."""
    with served(tiny, engine=slow, max_running=2) as server:
        asked = {"prompt": LONG, "max_tokens": 700, "stream": stream}
        lines = [opened(server.url, **asked) for _ in range(4)]
        until(lambda: number(server, "vllm:num_requests_waiting") == 2)
        until(lambda: number(server, "vllm:num_requests_running") == 2)
        for line in reversed(lines):
            line.close()
        check_whole(server)
        assert number(server, "vllm:request_success_total", finished_reason="abort") == 4
        assert number(server, "vllm:request_success_total") == 4
        assert number(server, "vllm:generation_tokens_total") < 1000


def test_6_who_left_before_its_turn_never_reaches_the_engine(tiny: Model) -> None:
    """Neither the request that was being read, nor the next one of its connection."""
    with served(tiny) as server:
        service = server.server.service
        right = service.encode

        closed = threading.Event()

        async def slowly(*args: Any) -> Any:
            while not closed.is_set():
                await asyncio.sleep(0.01)
            await asyncio.sleep(0.1)  # the server hears of it meanwhile
            return await right(*args)

        service.encode = slowly  # type: ignore[method-assign]
        line = opened(server.url, prompt="a")
        line.sendall(
            again
            := b'POST /v1/completions HTTP/1.1\r\nHost: x\r\nContent-Length: 15\r\n\r\n{"prompt": "b"}'
        )
        until(lambda: service.taken == 1)
        line.close()
        closed.set()
        until(lambda: service.taken == 0)
        service.encode = right  # type: ignore[method-assign]
        assert post(server.url, prompt="c").status == 200
        assert server.call(lambda engine: engine.scheduler._born).result(60) == 1
        line = opened(server.url, prompt=LONG, max_tokens=700)
        line.sendall(again)  # tornado reads it, and then doesn't notice that the client leaves
        until(lambda: alive(server) == 1)
        line.close()
        check_whole(server)
        assert number(server, "vllm:request_success_total", finished_reason="abort") == 1


@pytest.mark.parametrize("stream", [True, False])
def test_6_who_stops_sending_has_left_and_reads_no_empty_answer(url: str, stream: bool) -> None:
    """A connection closed on one side looks like one closed on both; a 200 without a body would
    pass for an answer.
    """
    with opened(url, prompt=LONG, max_tokens=700, stream=stream) as line:
        line.shutdown(socket.SHUT_WR)
        read = b"".join(iter(lambda: line.recv(4096), b""))
    assert not read or (stream and b"[DONE]" not in read)


def test_7_a_limit_ends_answers_in_any_state(tiny: Model) -> None:
    """ggml-org/llama.cpp#7071."""
    settings = Settings(port=0, time_limit=0.3)
    with served(tiny, engine=slow, settings=settings, max_running=1) as server:
        asked: dict[str, Any] = {"prompt": LONG, "max_tokens": 700}
        running, waiting, late = at_once(
            lambda: post(server.url, **asked, stream=True),
            lambda: post(server.url, **asked),
            lambda: post(server.url, **asked),
        )
        replies = {reply.status for reply in (running, waiting, late)}
        assert replies <= {200, 504}
        for reply in (running, waiting, late):
            last = reply.body.decode().split("data: ")[-1]
            assert json.loads(last)["error"]["code"] == "timeout"
        check_whole(server)


def test_8_a_reader_who_stops_is_given_up(tiny: Model) -> None:
    """tornadoweb/tornado#1939."""
    settings = Settings(port=0, max_backlog=30, stall_limit=20)
    with served(tiny, settings=settings) as server:
        for listening in server.server.sockets:
            listening.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 4096)
        host, port = server.url.removeprefix("http://").split(":")
        reader = socket.socket()
        reader.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 2048)
        reader.connect((host, int(port)))
        body = json.dumps(
            {"prompt": LONG, "max_tokens": 700, "stream": True, "temperature": 0, "logprobs": 5}
        )
        reader.sendall(
            f"POST /v1/completions HTTP/1.1\r\nHost: x\r\nContent-Length: {len(body)}\r\n\r\n{body}".encode()
        )
        until(lambda: number(server, "paged_streams_open") == 1)
        keeps_pace = events(server.url, prompt=LONG, max_tokens=100)
        assert texts(keeps_pace) == ["x" * 100]
        until(lambda: number(server, "vllm:request_success_total", finished_reason="abort") == 1)
        check_whole(server)
        reader.close()


def test_19_a_prompt_beyond_the_context(tiny: Model) -> None:
    """sgl-project/sglang#19996, vllm-project/vllm#4667: a status before any header, both numbers."""
    with served(tiny, num_blocks=8, block_size=4) as server:
        for stream in (False, True):
            for length, most in ((33, 1), (32, 1), (10, 23), (10, 10**6), (32, None), (400, None)):
                reply = post(server.url, prompt="x" * length, max_tokens=most, stream=stream)
                assert reply.status == 400, (length, most)
                assert reply.error["code"] == "context_length_exceeded"
                assert "32 tokens" in reply.error["message"]
                assert str(length) in reply.error["message"]
                assert "-" not in reply.error["message"]
        whole = post(server.url, prompt="x" * 31, max_tokens=1)
        assert whole.json["usage"]["total_tokens"] == 32
        assert post(server.url, prompt="x" * 30).json["usage"]["completion_tokens"] == 2
        chat = post(
            server.url, "chat/completions", messages=[{"role": "user", "content": "x" * 30}]
        )
        assert (chat.error["param"], chat.error["code"]) == ("messages", "context_length_exceeded")


@pytest.mark.parametrize(
    "body",
    [b"", b"{", b"[]", b"null", b"5", b'"a"', b"\xff\xfe\xfa", b'{"prompt": NaN}', b'{"prompt": 1e999}',
     b"[" * 100_000, b'{"a":' * 50_000, b'{"n": ' + b"9" * 6000 + b"}", b'{"prompt": "\\ud800"}',
     b'{"prompt": "a"} {}', b"prompt=a&max_tokens=3", b'{"temperature": -Infinity, "prompt": "a"}'],
)  # fmt: skip
def test_20_bodies_that_are_no_request(url: str, body: bytes) -> None:
    """sgl-project/sglang#3805, vllm-project/vllm#13193."""
    for path in ("/v1/completions", "/v1/chat/completions"):
        reply = ask(url, path, body)
        assert reply.status == 400
        assert set(reply.error) == {"message", "type", "param", "code"}


def test_20_kinds_of_content(url: str) -> None:
    many = json.dumps({"prompt": "a&b=" * 400, "max_tokens": 1}).encode()
    for kind in (
        "application/x-www-form-urlencoded",
        "",
        "text/plain",
        "application/json; charset=utf-8",
    ):
        assert ask(url, "/v1/completions", many, headers={"Content-Type": kind}).status == 200
    for kind in ("multipart/form-data", "image/png", "application/xml"):
        assert ask(url, "/v1/completions", many, headers={"Content-Type": kind}).status == 415


def test_21_a_body_over_the_limit_hears_413(tiny: Model) -> None:
    """tableau/TabPy#608."""
    with served(tiny, settings=Settings(port=0, max_body=1000)) as server:
        for size in (1001, 5_000_000):
            reply = ask(server.url, "/v1/completions", b" " * size)
            assert (reply.status, reply.error["code"]) == (413, "body_too_large")
        assert ask(server.url, "/v1/completions", b" " * 970 + b'{"prompt": "a"}').status == 200


def test_22_a_seed_says_the_same_alone_in_a_crowd_and_preempted(tiny: Model, url: str) -> None:
    """ggml-org/llama.cpp#7381."""
    asked: dict[str, Any] = {"prompt": "Once upon a time", "temperature": 1, "max_tokens": 40}
    alone = [post(url, **asked, seed=seed).json["choices"][0]["text"] for seed in (42, 42, 7)]
    assert alone[0] == alone[1] != alone[2]
    with served(tiny, num_blocks=20, block_size=4, max_running=8, spare=0) as server:
        calls = [lambda s=seed: post(server.url, **asked, seed=s) for seed in (42, 7, 1, 2, 42, 3)]
        crowd = [reply.json["choices"][0]["text"] for reply in at_once(*calls)]
        assert number(server, "vllm:num_preemptions_total") > 0
        check_whole(server)
    assert [crowd[0], crowd[4], crowd[1]] == [alone[0], alone[0], alone[2]]
    drawn = {post(url, **asked).json["choices"][0]["text"] for _ in range(2)}
    assert len(drawn) == 2  # without a seed each is another


def test_26_browsers_ask_first(url: str) -> None:
    """vllm-project/vllm#4862, punkpeye/fastmcp#275."""
    wanted = {"Origin": "http://a.example", "Access-Control-Request-Headers": "authorization,x-a"}
    for path in ("/v1/chat/completions", "/v1/models", "/health"):
        reply = ask(url, path, method="OPTIONS", headers=wanted)
        assert (reply.status, reply.body) == (204, b"")
        assert reply.headers["Access-Control-Allow-Origin"] == "*"
        assert "POST" in reply.headers["Access-Control-Allow-Methods"]
        assert "x-a" in reply.headers["Access-Control-Allow-Headers"]
    head = ask(url, "/health", method="HEAD")
    assert (head.status, head.body) == (200, b"")
    assert head.headers["Content-Length"] == ask(url, "/health").headers["Content-Length"]


def test_27_a_key_opens_all_routes(tiny: Model) -> None:
    """vllm-project/vllm#58144."""
    with served(tiny, settings=Settings(port=0, api_key="sesamö")) as server:
        paths = ("/v1/models", "/v1/models/a", "/v1/completions", "/v1/chat/completions", "/x")
        wrong = ({}, {"Authorization": "Bearer no"}, {"Authorization": "Bearer "}, {"Authorization": ""},
                 {"Authorization": "Basic sesam"}, {"Authorization": "Bearer sesam\xf6"})  # fmt: skip
        for path in paths:
            for method in ("GET", "POST"):
                for headers in wrong:
                    body = b"{}" if method == "POST" else None
                    reply = ask(server.url, path, body, method=method, headers=headers)
                    assert reply.status in (401, 405), (path, method, headers)
        for path in ("/health", "/metrics"):
            assert ask(server.url, path).status == 200
        assert ask(server.url, "/v1/models", method="OPTIONS").status == 204
        key = {"Authorization": "Bearer sesam\xc3\xb6"}  # the bytes of its UTF-8
        assert ask(server.url, "/v1/models", headers=key).status == 200
        assert ask(server.url, "/v1/completions", {"prompt": ""}, headers=key).status == 400
    for blank in ("", " ", "\t"):
        with pytest.raises(ValueError, match="blank"):
            Settings(api_key=blank)
    for host in ("0.0.0.0", "", "::", "192.168.0.2", "a.example"):
        with pytest.raises(ValueError, match="other machines"):
            Settings(host=host)
    assert Settings(host="127.3.2.1").api_key is None


def test_28_counts_are_of_prompts_and_ends(tiny: Model) -> None:
    """vllm-project/vllm#25780, #31503: recomputing is no hit."""
    with served(tiny, num_blocks=20, block_size=4, max_running=8, spare=0) as server:
        prompts = [f"{n} is a number of its own" for n in range(6)]
        at_once(*[lambda p=p: post(server.url, prompt=p, max_tokens=20) for p in prompts])
        count = lambda name: number(server, f"vllm:{name}_total")  # noqa: E731
        assert count("num_preemptions") > 0
        assert count("prefix_cache_queries") == count("prompt_tokens") == sum(map(len, prompts))
        assert count("prefix_cache_hits") == count("prompt_tokens_cached") == 0
        assert count("generation_tokens") == 6 * 20
        again = [post(server.url, prompt=prompts[0], max_tokens=20, n=2) for _ in range(2)][-1]
        assert again.json["usage"]["prompt_tokens_details"]["cached_tokens"] == 20
        assert count("prefix_cache_hits") in (20, 40)  # what was preempted may have been evicted
        assert number(server, "vllm:request_success_total", finished_reason="length") == 10
        assert number(server, "vllm:time_to_first_token_seconds_count") == 8  # once a prompt
        assert number(server, "vllm:inter_token_latency_seconds_count") == 10 * 19
        assert number(server, "vllm:e2e_request_latency_seconds_count") == 10


def test_28_without_an_index_nothing_is_looked_up(tiny: Model) -> None:
    with served(tiny, prefix_cache=False) as server:
        for _ in range(2):
            post(server.url, prompt="the same prompt twice")
        assert number(server, "vllm:prefix_cache_queries_total") == 0
        assert number(server, "vllm:prompt_tokens_total") == 2 * len("the same prompt twice")


def test_29_a_dead_engine_leaves_nobody_hanging(tiny: Model) -> None:
    """vllm-project/vllm#3310."""
    made: list[Any] = []
    with served(tiny, engine=lambda e: (slow(e), made.append(e))) as server:  # type: ignore[func-returns-value]
        streams = [opened(server.url, prompt=LONG, max_tokens=600, stream=True) for _ in range(2)]
        whole = opened(server.url, prompt=LONG, max_tokens=600)
        until(lambda: alive(server) == 3)
        until(lambda: number(server, "vllm:generation_tokens_total") > 9)
        made[0].breaks = True
        for line in streams:
            said = http.client.HTTPResponse(line)
            said.begin()
            last = said.read().decode().split("data: ")[-1]
            assert json.loads(last)["error"]["code"] == "engine_dead"
        answer = http.client.HTTPResponse(whole)
        answer.begin()
        assert answer.status == 503
        assert json.loads(answer.read())["error"]["code"] == "engine_dead"
        health = ask(server.url, "/health")
        assert (health.status, health.error["code"]) == (503, "engine_dead")
        assert post(server.url, prompt="a").status == 503
        assert number(server, "vllm:num_requests_running") == 0
        assert number(server, "vllm:request_success_total", finished_reason="error") == 3


def test_29_one_answer_fails_alone(tiny: Model) -> None:
    def spoil(engine: Engine) -> None:
        right = engine._draw
        engine._draw = lambda r, row: (
            None if "!" in tiny.tokenizer.decode(r.tokens) else right(r, row)
        )  # type: ignore[method-assign]

    with served(tiny, engine=spoil) as server:
        good, bad, stream = at_once(
            lambda: post(server.url, prompt="good"),
            lambda: post(server.url, prompt="bad!"),
            lambda: post(server.url, prompt="bad!", stream=True),
        )
        assert (good.status, bad.status, stream.status) == (200, 500, 500)
        assert bad.headers["x-should-retry"] == "false"
        check_whole(server)
        assert number(server, "vllm:request_success_total", finished_reason="error") == 2


def test_30_a_stop_lets_those_here_finish(tiny: Model) -> None:
    """ai-dynamo/dynamo#791."""
    with ThreadPoolExecutor(1) as pool:
        with served(tiny, engine=slow) as server:
            last = pool.submit(events, server.url, prompt="x" * 200, max_tokens=200)
            until(lambda: number(server, "vllm:generation_tokens_total") > 3)
            server.stop()
            until(lambda: ask(server.url, "/health").status == 503)
            refused = post(server.url, prompt="a")
            assert (refused.status, refused.error["code"]) == (503, "shutting_down")
            assert not last.done()
            assert 0 < int(refused.headers["Retry-After"]) <= 120
        assert texts(last.result(60)) == ["x" * 200]
        with pytest.raises(ConnectionRefusedError):
            ask(server.url, "/health")


def test_30_a_stop_has_a_limit(tiny: Model) -> None:
    settings = Settings(port=0, drain_limit=0.1)
    with ThreadPoolExecutor(1) as pool:
        with served(tiny, engine=slow, settings=settings) as server:
            late = pool.submit(post, server.url, prompt=LONG, max_tokens=700, stream=True)
            until(lambda: number(server, "vllm:generation_tokens_total") > 3)
        tail = late.result(60).body.decode().split("data: ")[-1]
        assert json.loads(tail)["error"]["code"] == "shutting_down"


def test_31_a_clients_id_is_only_echoed(url: str, server: BackgroundServer) -> None:
    """vllm-project/vllm#10583."""
    same = {"x-request-id": "mine"}
    body = {"prompt": "Hi", "temperature": 0, "request_id": "mine"}
    replies = at_once(*[lambda: ask(url, "/v1/completions", body, headers=same)] * 3)
    assert {reply.headers["x-request-id"] for reply in replies} == {"mine"}
    assert len({reply.json["id"] for reply in replies}) == 3
    odd = ask(url, "/v1/completions", body, headers={"x-request-id": "\xe9"})
    assert (odd.status, odd.headers["x-request-id"]) == (200, None)
    check_whole(server)


def test_32_a_connection_is_kept(server: BackgroundServer) -> None:
    """llm-d/llm-d#1564."""
    line = http.client.HTTPConnection(server.url.removeprefix("http://"))
    for _ in range(3):
        line.request("POST", "/v1/completions", json.dumps({"prompt": "a", "max_tokens": 1}))
        assert line.getresponse().read()
    own = line.sock
    line.request("GET", "/health")
    line.getresponse().read()
    assert line.sock is own
    assert server.server._http.conn_params.header_timeout > 90
    line.close()


def test_33_a_taken_port_is_told_at_once(tiny: Model) -> None:
    """vllm-project/vllm#8204, ollama/ollama#560."""
    with served(tiny, settings=Settings(host="localhost", port=0)) as server:
        port = server.server.port
        assert port > 0
        families = {one.family for one in server.server.sockets}
        for host in ("127.0.0.1", "[::1]")[: len(families)]:
            assert ask(f"http://{host}:{port}", "/health").status == 200
        for host in ("localhost", "127.0.0.1"):
            with pytest.raises(AddressTaken, match=f"{port}.*another program"):
                bound(host, port)
        with (
            pytest.raises(AddressTaken),
            serve_in_background(tiny, build_engine(tiny, num_blocks=9), port=port),
        ):
            pass
    with pytest.raises(AddressTaken, match=r"203\.0\.113\.1"):
        bound("203.0.113.1", 0)  # an address of no machine


def test_34_n_has_a_limit_and_counts_in_the_queue(tiny: Model) -> None:
    """nomic-ai/gpt4all#3635."""
    settings = Settings(port=0, max_queue=2)
    with served(tiny, engine=slow, settings=settings, max_running=4) as server:
        for n in (5, 10**6, 10**30):
            assert post(server.url, prompt="a", n=n).error["param"] == "n"
        too_many = post(server.url, prompt=["a"] * 7)
        assert (too_many.status, too_many.error["param"]) == (400, "prompt")
        held = opened(server.url, prompt=LONG, max_tokens=600, n=4)
        until(lambda: alive(server) > 0)
        full = post(server.url, prompt="a", n=3)
        assert (full.status, full.error["code"]) == (429, "queue_full")
        assert 0 < int(full.headers["Retry-After"]) <= 120
        assert post(server.url, prompt="", n=1).status == 400
        held.close()
        check_whole(server)
        assert post(server.url, prompt="a", n=3).status == 200
        assert number(server, "paged_http_rejected_total", reason="queue_full") == 1


def test_addresses_and_methods_that_are_not_there(url: str, server: BackgroundServer) -> None:
    for path in ("/", "/v1", "/v1/embeddings", "/v1/completions/x", "/%00"):
        for method in ("GET", "POST", "DELETE"):
            reply = ask(url, path, b"{}" if method == "POST" else None, method=method)
            assert (reply.status, reply.error["code"]) == (404, "not_found")
    for path, method in (("/v1/completions", "GET"), ("/v1/models", "POST"), ("/health", "DELETE")):
        reply = ask(url, path, method=method)
        assert (reply.status, reply.headers.get_content_type()) == (405, "application/json")
        assert "OPTIONS" in reply.headers["Allow"]
        assert method not in reply.headers["Allow"]
        assert reply.error["type"] == "invalid_request_error"
    for name in ("gpt-4", "", "tiny"):
        reply = post(url, prompt="a", model=name)
        assert (reply.status, reply.error["code"]) == (404, "model_not_found")
    assert ask(url, "/v1/models/gpt-4").error["code"] == "model_not_found"
    assert post(url, prompt="a", model=server.model).status == 200


def test_a_connection_that_is_reset_in_the_middle_of_a_body(
    url: str, server: BackgroundServer
) -> None:
    for _ in range(3):
        line = opened(url, prompt="Hi")
        line.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        line.close()
        host, port = url.removeprefix("http://").split(":")
        half = socket.create_connection((host, int(port)))
        half.sendall(b"POST /v1/completions HTTP/1.1\r\nHost: x\r\nContent-Length: 99\r\n\r\n{")
        half.close()
    time.sleep(0.05)
    check_whole(server)


def test_an_old_client_reads_a_stream_to_its_end(url: str) -> None:
    host, port = url.removeprefix("http://").split(":")
    body = b'{"prompt": "abc", "stream": true, "temperature": 0}'
    with socket.create_connection((host, int(port)), timeout=60) as line:
        line.sendall(
            b"POST /v1/completions HTTP/1.0\r\nContent-Length: %d\r\n\r\n" % len(body) + body
        )
        read = b"".join(iter(lambda: line.recv(4096), b""))
    assert read.endswith(b"data: [DONE]\n\n")
    assert b"chunked" not in read.lower()

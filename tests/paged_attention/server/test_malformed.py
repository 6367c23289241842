"""Bodies that nobody should send, by the thousand: each is read, or named in an error object."""

import gzip
import http.client
import json
import random
from typing import Any

import pytest
from helpers.api import ask, check_whole

from paged_attention.server.background import BackgroundServer
from paged_attention.server.errors import ApiError
from paged_attention.server.fields import read_body
from paged_attention.server.requests import chat_request, completion_request

ODD: list[Any] = [
    *(None, True, False, 0, 1, -1, 2, 0.5, 1e-5, 1e308, -0.0, 10**30, -(10**30), 2**63, 5.0),
    *("", "a", "null", "1", "\x00", "\ud800", "😀", "a" * 300, "<|im_end|>", "text", "user"),
    *([], {}, [[]], [{}], {"": None}, [None], ["a", 1], [1, 2], [True], [[1], "a"], {"a": {}}),
    *({"include_usage": True}, {"include_usage": 1}, {"role": "user", "content": "a"}),
    *([{"role": "user", "content": "a"}], [{"role": "user", "content": [{"type": "text"}]}]),
]  # fmt: skip
NAMES = (
    *("model", "prompt", "messages", "max_tokens", "max_completion_tokens", "n", "temperature"),
    *("top_p", "top_k", "seed", "stop", "stream", "stream_options", "logprobs", "top_logprobs"),
    *("echo", "best_of", "suffix", "tools", "response_format", "logit_bias", "user", "ignore_eos"),
    *("cache_salt", "presence_penalty", "functions", "", "\ud800", "max_token", "a" * 200),
)


def odd_body(draw: random.Random, chat: bool) -> dict[str, Any]:
    """A few right fields, a few odd ones."""
    own = {"messages": [{"role": "user", "content": "a"}]} if chat else {"prompt": "a"}
    right: dict[str, Any] = {**own, "max_tokens": 2, "stop": ["b"], "stream": True}
    body = {name: right[name] for name in right if draw.random() < 0.9}
    return body | {draw.choice(NAMES): draw.choice(ODD) for _ in range(draw.randrange(4))}


def odd_bytes(draw: random.Random, chat: bool) -> bytes:
    """An odd body, sometimes cut, doubled or with a byte changed."""
    raw = bytearray(json.dumps(odd_body(draw, chat)).encode())
    kind = draw.randrange(4)
    if kind == 0:
        del raw[draw.randrange(len(raw)) :]
    elif kind == 1:
        raw[draw.randrange(len(raw))] = draw.randrange(256)
    return bytes(raw)


def test_every_body_is_read_or_refused_with_a_name() -> None:
    draw, refused, read = random.Random(0), 0, 0
    for nth in range(6000):
        chat = nth % 2 == 0
        raw = odd_bytes(draw, chat)
        try:
            (chat_request if chat else completion_request)(read_body(raw), 8)
            read += 1
        except ApiError as error:
            refused += 1
            told = json.loads(json.dumps(error.body))["error"]
            assert (error.status, bool(told["message"])) == (400, True)  # noqa: PT017
    assert min(refused, read) > 500


def test_odd_bodies_on_the_wire_leave_the_server_whole(server: BackgroundServer) -> None:
    """One connection survives all of them, and what is refused never reached the engine."""
    draw = random.Random(1)
    line = http.client.HTTPConnection(server.url.removeprefix("http://"), timeout=60)
    before = server.call(lambda engine: engine.scheduler._born).result(60)
    answered = 0
    for nth in range(200):
        path = ("/v1/completions", "/v1/chat/completions")[nth % 2]
        raw = odd_bytes(draw, chat=nth % 2 == 1)
        try:
            content: Any = json.loads(raw)
        except ValueError:
            content = None
        if isinstance(content, dict) and content.get("max_tokens") is None:
            continue  # a chat would fill the whole context
        line.request("POST", path, raw)
        reply = line.getresponse()
        said = reply.read()
        assert reply.status in (200, 400, 404), said
        answered += reply.status == 200
        if reply.status != 200:
            assert set(json.loads(said)["error"]) == {"message", "type", "param", "code"}
    line.close()
    after = server.call(lambda engine: engine.scheduler._born).result(60)
    assert 0 < answered <= after - before <= 2 * answered
    check_whole(server)


@pytest.mark.parametrize(
    ("body", "said", "param"),
    [
        (b'{"prompt": "a", "max_tokens": %s}' % (b"9" * 5000), "5000 digits, more than any", None),
        (b'{"prompt": "a", "\\udc00": 1}', "the name of a field holds half of a surrogate", None),
        (b'{"prompt": "a", "max_completion_tokens": 0}', "may be 0 only", "max_completion_tokens"),
        (b'{"prompt": "a", "max_tokens": 0}', "may be 0 only", "max_tokens"),
    ],
)
def test_what_is_wrong_is_named_as_it_was_sent(body: bytes, said: str, param: str | None) -> None:
    with pytest.raises(ApiError, match=said) as caught:
        completion_request(read_body(body), 8)
    assert caught.value.param == param


def test_a_packed_body_is_refused(url: str) -> None:
    packed = gzip.compress(b'{"prompt": "a"}')
    reply = ask(url, "/v1/completions", packed, headers={"Content-Encoding": "gzip"})
    assert reply.status == 415
    assert "packed as 'gzip'" in reply.error["message"]
    plain = {"Content-Encoding": "identity"}
    body = {"prompt": "a", "max_tokens": 1}
    assert ask(url, "/v1/completions", body, headers=plain).status == 200

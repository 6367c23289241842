"""The objects of the protocol, streamed and not, as their own client reads them."""

from typing import Any

import pytest
from helpers.api import ask, check_whole, events, post, texts

from paged_attention.server.background import BackgroundServer

HELLO = [{"role": "user", "content": "Hello there"}]


def test_a_chat_in_one_piece(url: str) -> None:
    reply = post(url, "chat/completions", messages=HELLO).json
    assert reply["object"] == "chat.completion"
    assert reply["choices"] == [
        {
            "index": 0,
            "message": {"role": "assistant", "content": "Hello there", "refusal": None},
            "logprobs": None,
            "finish_reason": "stop",
        }
    ]
    usage = reply["usage"]
    assert usage["completion_tokens"] == len("Hello there") + 1  # and the end of the turn
    assert usage["total_tokens"] == usage["prompt_tokens"] + usage["completion_tokens"]


def test_a_streamed_chat(url: str) -> None:
    chunks = events(url, "chat/completions", messages=HELLO)
    assert {chunk["object"] for chunk in chunks} == {"chat.completion.chunk"}
    assert len({(chunk["id"], chunk["created"], chunk["model"]) for chunk in chunks}) == 1
    first, *middle, last = [chunk["choices"][0] for chunk in chunks]
    assert first["delta"] == {"role": "assistant", "content": ""}
    assert all(set(choice["delta"]) == {"content"} for choice in middle)
    assert {choice["finish_reason"] for choice in [first, *middle]} == {None}
    assert (last["delta"], last["finish_reason"]) == ({}, "stop")
    assert texts(chunks) == ["Hello there"]
    assert not any("usage" in chunk for chunk in chunks)


def test_the_protocols_own_client(url: str, server: BackgroundServer) -> None:
    openai = pytest.importorskip("openai")
    with openai.OpenAI(base_url=url + "/v1", api_key="any") as client:
        assert [model.id for model in client.models.list()] == [server.model]
        asked: dict[str, Any] = {"model": server.model, "messages": HELLO, "temperature": 0}
        chat = client.chat.completions.create(**asked)
        assert chat.choices[0].message.content == "Hello there"
        stream = client.chat.completions.create(**asked, stream=True)
        assert "".join(chunk.choices[0].delta.content or "" for chunk in stream) == "Hello there"
        with pytest.raises(openai.BadRequestError) as caught:
            client.chat.completions.create(**asked | {"messages": []})
        assert caught.value.body["param"] == "messages"


def test_health_models_and_metrics(url: str, server: BackgroundServer) -> None:
    assert ask(url, "/health").status == 200
    assert [one["id"] for one in ask(url, "/v1/models").json["data"]] == [server.model]
    assert ask(url, f"/v1/models/{server.model}").json["object"] == "model"
    assert b"vllm:num_requests_running" in ask(url, "/metrics").body
    check_whole(server)

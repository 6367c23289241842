# ruff: noqa: E501
"""Faults that public servers had with texts, counts and choices; each is a case that must hold."""

import json
from typing import Any

import pytest
from helpers.api import alive, check_whole, events, post, texts

from paged_attention.server.background import BackgroundServer

HELLO = [{"role": "user", "content": "Hi"}]


def both(url: str, **body: Any) -> Any:
    """The one choice of a completion, after checking that the stream says the same."""
    whole = post(url, **body).json["choices"][0]
    chunks = events(url, **body)
    assert texts(chunks) == [whole["text"]]
    ends = [choice["finish_reason"] for chunk in chunks for choice in chunk["choices"]]
    assert ends == [None] * (len(ends) - 1) + [whole["finish_reason"]]
    return whole | {"chunks": chunks}


@pytest.mark.parametrize("kind", ["completions", "chat/completions"])
def test_1_no_part_of_a_stop_string_leaves(url: str, kind: str) -> None:
    """vllm-project/vllm#2577."""
    said = "one STxb two STOP three"
    asked = (
        {"prompt": said} if kind == "completions" else {"messages": [HELLO[0] | {"content": said}]}
    )
    chunks = events(url, kind, **asked, stop=["STOP", "no such"], max_tokens=60)
    assert texts(chunks) == ["one STxb two "]
    whole = post(url, kind, **asked, stop="STOP", max_tokens=60).json
    assert whole["choices"][0]["finish_reason"] == "stop"
    assert whole["usage"]["completion_tokens"] == len("one STxb two STOP")


def test_1_a_stop_string_ends_the_work_as_well(url: str, server: BackgroundServer) -> None:
    asked = {"prompt": "a STOP" + "x" * 300, "max_tokens": 300}
    assert post(url, **asked, stop="STOP").json["choices"][0]["text"] == "a "
    assert alive(server) == 0
    check_whole(server)


def test_1_a_tail_that_might_have_become_a_stop_is_flushed(url: str) -> None:
    assert both(url, prompt="it ends with STO", stop="STOP")["text"] == "it ends with STO"
    assert both(url, prompt="cut by length STOP", stop="STOP", max_tokens=16)["text"][-2:] == "ST"


def test_1_the_stop_that_is_complete_first_counts(url: str) -> None:
    assert both(url, prompt="xabcd", stop=["abcd", "bc"])["text"] == "xa"
    assert both(url, prompt="xaab", stop=["aab", "b"])["text"] == "x"
    assert both(url, prompt="😀 é STÖP", stop=["TÖ"], max_tokens=40)["text"] == "😀 é S"


@pytest.mark.parametrize("stop", ["", [""], ["a", ""], ["a"] * 5, [1], 7, {"a": 1}, [["a"]]])
def test_2_a_stop_that_is_none(url: str, stop: Any) -> None:
    """sgl-project/sglang#38712."""
    reply = post(url, prompt="a", stop=stop)
    assert (reply.status, reply.error["param"]) == (400, "stop")


def test_3_characters_of_several_tokens_arrive_whole(url: str) -> None:
    """mlc-ai/mlc-llm#804."""
    said = "a😀b👩‍👩‍👧 你好"
    found = both(url, prompt=said, max_tokens=60)
    assert found["text"] == said
    assert not any("\ufffd" in chunk["choices"][0]["text"] for chunk in found["chunks"])
    cut = both(url, prompt=said, max_tokens=3)
    assert cut["text"] == "a\ufffd"  # two of four bytes, and no more come


def test_4_pieces_joined_are_the_text(url: str) -> None:
    """vllm-project/vllm#4795, Blaizzy/mlx-vlm#1129."""
    said = "One. Two.  Three.\n\n  \tFour . "
    found = both(url, prompt=said, max_tokens=60)
    assert found["text"] == said
    assert all(chunk["choices"][0]["text"] for chunk in found["chunks"][:-1])
    assert len(found["chunks"]) >= len(said)


@pytest.mark.parametrize("kind", ["completions", "chat/completions"])
def test_9_usage_comes_once_at_the_end_if_asked_for(url: str, kind: str) -> None:
    """BerriAI/litellm#28735, vllm-project/vllm#36379."""
    asked = {"prompt": "Hi"} if kind == "completions" else {"messages": HELLO}
    for options in ({}, None, {"include_usage": False}, {"include_usage": None}):
        chunks = events(url, kind, **asked, stream_options=options)
        assert not any("usage" in chunk for chunk in chunks)
        assert all(len(chunk["choices"]) == 1 for chunk in chunks)
    options = {"include_usage": True, "continuous_usage_stats": True}
    *chunks, last = events(url, kind, **asked, n=2, stream_options=options)
    assert {str(chunk["usage"]) for chunk in chunks} == {"None"}
    assert last["choices"] == []
    whole = post(url, kind, **asked, n=2).json["usage"]
    for usage in (last["usage"], whole):
        assert usage["completion_tokens"] == 2 * (len("Hi") + 1)
        assert usage["prompt_tokens_details"]["cached_tokens"] <= usage["prompt_tokens"]
    assert last["usage"]["prompt_tokens"] == whole["prompt_tokens"]
    reply = post(url, kind, **asked, stream_options={"include_usage": True})
    assert (reply.status, reply.error["param"]) == (400, "stream_options")


def test_10_choices_keep_their_index(url: str) -> None:
    """ggml-org/llama.cpp#3276."""
    asked = {"messages": HELLO, "n": 3, "temperature": 1, "seed": 5, "max_tokens": 6}
    chunks = [c["choices"][0] for c in events(url, "chat/completions", **asked)]
    for index in range(3):
        own = [choice for choice in chunks if choice["index"] == index]
        assert own[0]["delta"]["role"] == "assistant"
        assert not any("role" in choice["delta"] for choice in own[1:])
        assert [c["finish_reason"] for c in own] == [None] * (len(own) - 1) + ["length"]
    whole = post(url, "chat/completions", **asked).json["choices"]
    assert [choice["index"] for choice in whole] == [0, 1, 2]
    said = [choice["message"]["content"] for choice in whole]
    assert len(set(said)) == 3
    streamed = [
        "".join(c["delta"].get("content", "") for c in chunks if c["index"] == i) for i in range(3)
    ]
    assert streamed == said


@pytest.mark.parametrize("n", [1, 2])
def test_11_choices_of_several_prompts(url: str, n: int) -> None:
    """openai/openai-python#90."""
    asked = {"prompt": ["first", "second", "third"], "n": n}
    whole = post(url, **asked).json
    assert [choice["index"] for choice in whole["choices"]] == list(range(3 * n))
    said = [choice["text"] for choice in whole["choices"]]
    assert said == [word for word in asked["prompt"] for _ in range(n)]
    assert texts(events(url, **asked)) == said
    assert whole["usage"]["prompt_tokens"] == len("firstsecondthird")
    assert whole["usage"]["completion_tokens"] == n * (len("firstsecondthird") + 3)


def test_12_token_ids_as_a_prompt(url: str, encode: Any) -> None:
    """InternLM/lmdeploy#4186."""
    ids = encode("Hello")
    assert post(url, prompt=ids).json["choices"][0]["text"] == "Hello"
    assert len(post(url, prompt=[ids, ids[:2]]).json["choices"]) == 2


@pytest.mark.parametrize(
    "prompt",
    [[259], [5, 10**9], [[5], [300]], [-1], [2**63], [10**30], [5, True], [5, 1.5], [5, "a"], ["a", 5],
     [[5], "a"], ["a", [5]], [[[5]]], [None], {"a": 1}, 5, True, [], [[]], [""], "", ["a", ""], None],
)  # fmt: skip
def test_12_and_16_prompts_that_are_none(url: str, prompt: Any) -> None:
    """vllm-project/vllm#16529, #7283: the engine died of an empty one."""
    reply = post(url, prompt=prompt)
    assert (reply.status, reply.error["param"]) == (400, "prompt")


def test_13_and_14_how_many_tokens(url: str) -> None:
    """vllm-project/vllm#19862, #6521; abetlen/llama-cpp-python#1907."""
    long = "x" * 40
    assert post(url, prompt=long, max_tokens=None).json["choices"][0]["text"] == "x" * 16
    chat = {"messages": [{"role": "user", "content": long}]}
    assert post(url, "chat/completions", **chat).json["choices"][0]["finish_reason"] == "stop"
    for kind, asked in (("chat/completions", chat), ("completions", {"prompt": long})):
        reply = post(url, kind, **asked, max_tokens=30, max_completion_tokens=3).json
        assert reply["usage"]["completion_tokens"] == 3
        for wrong in (0, -1, 2.5, "3", True, 10**30):
            assert post(url, kind, **asked, max_tokens=wrong).status == 400, wrong
    echoed = both(url, prompt="only this", echo=True, max_tokens=0)
    assert (echoed["text"], echoed["finish_reason"]) == ("only this", "length")
    usage = post(url, prompt="only this", echo=True, max_tokens=0, n=2).json["usage"]
    assert (usage["prompt_tokens"], usage["completion_tokens"]) == (9, 0)


def test_15_one_token_is_one(url: str) -> None:
    """lmstudio-ai/lmstudio-bug-tracker#2335."""
    for kind, asked in (
        ("completions", {"prompt": "Hi"}),
        ("chat/completions", {"messages": HELLO}),
    ):
        reply = post(url, kind, **asked, max_tokens=1).json
        assert reply["usage"]["completion_tokens"] == 1
        assert reply["choices"][0]["finish_reason"] == "length"


def test_echo_puts_the_prompt_first_once(url: str, encode: Any) -> None:
    assert both(url, prompt="Hi", echo=True)["text"] == "HiHi"
    assert both(url, prompt=encode("Hé"), echo=True)["text"] == "HéHé"
    assert texts(events(url, prompt=["a", "b"], n=2, echo=True)) == ["aa", "aa", "bb", "bb"]
    assert both(url, prompt="a STOP b", echo=True, stop="STOP")["text"] == "a STOP ba "


@pytest.mark.parametrize(
    "messages",
    [[], None, "hi", {}, [1], [None], [[]], [{}], [{"role": "user"}], [{"content": "a"}],
     [{"role": "alien", "content": "a"}], [{"role": 1, "content": "a"}], [{"role": "user", "content": 7}],
     [{"role": "user", "content": None}], [{"role": "user", "content": []}], [HELLO[0], {"role": "user"}],
     [{"role": "user", "content": ["a"]}], [{"role": "user", "content": [{"text": "a"}]}],
     [{"role": "user", "content": [{"type": "text"}]}], [{"role": "user", "content": "\ud800"}],
     [{"role": "assistant", "content": "a", "tool_calls": [{"id": "1"}]}]],
)  # fmt: skip
def test_16_messages_that_are_none(url: str, messages: Any) -> None:
    """letta-ai/letta#3381."""
    reply = post(url, "chat/completions", messages=messages)
    assert reply.status == 400
    assert reply.error["param"].startswith("messages")


def test_17_what_a_template_makes_of_odd_chats(url: str) -> None:
    """EricLBuehler/mistral.rs#506: the template's answer, or its words as 400, never 500."""
    turn = {"role": "user", "content": "Hi"}
    for messages in (
        [{"role": "system", "content": "Hi"}],
        [turn, turn],
        [{"role": "assistant", "content": "a"}],
    ):
        assert post(url, "chat/completions", messages=messages).status == 200


def test_18_parts_are_the_string(url: str) -> None:
    """ggml-org/llama.cpp#14353, #17700."""
    text = {"type": "text", "text": "Hello "}
    parts = [text, {"type": "text", "text": "there"}]
    whole = [post(url, "chat/completions", messages=[{"role": "user", "content": c}]).json
             for c in (parts, "Hello there")]  # fmt: skip
    assert whole[0]["choices"] == whole[1]["choices"]
    assert whole[0]["usage"]["prompt_tokens"] == whole[1]["usage"]["prompt_tokens"]
    for kind in ("image_url", "input_audio", "refusal", "file", 7):
        content = [text, {"type": kind, kind: {}}] if isinstance(kind, str) else [{"type": kind}]
        reply = post(url, "chat/completions", messages=[{"role": "user", "content": content}])
        assert reply.status == 400
        assert str(kind) in reply.error["message"] or "string" in reply.error["message"]


@pytest.mark.parametrize("name", ["temperature", "top_p"])
@pytest.mark.parametrize("value", [1e-4, 1e-30, 1e-40, 5e-324])
def test_23_almost_greedy(url: str, name: str, value: float) -> None:
    """vllm-project/vllm#1623, #2937. The parrot is greedy by its own rule, so this draws."""
    asked = {"prompt": "Tell", "max_tokens": 6, "seed": 1, "ignore_eos": True, "logprobs": 1}
    found = post(url, **asked | {"temperature": 1, name: value})
    if name == "temperature" and value < 1e-30:
        assert found.json["choices"][0]["text"] == "Tell"
        return
    seen = found.json["choices"][0]["logprobs"]
    for token, tops in zip(seen["tokens"], seen["top_logprobs"], strict=True):
        assert token == max(tops, key=lambda each: tops[each])


@pytest.mark.parametrize(
    ("name", "value"),
    [("temperature", -0.1), ("temperature", 2.1), ("temperature", "1"), ("temperature", True),
     ("temperature", [1]), ("top_p", 0), ("top_p", 1.5), ("top_p", -1), ("n", 0), ("n", 1.5), ("n", "2"),
     ("n", -3), ("seed", 1.5), ("seed", 2**63), ("seed", "x"), ("logprobs", -1), ("logprobs", 6),
     ("logprobs", True), ("stream", 1), ("stream", "true"), ("echo", "yes"), ("model", 5), ("top_k", -2),
     ("best_of", 2), ("best_of", 0), ("suffix", "b"), ("stream_options", {"include_usage": True})],
)  # fmt: skip
def test_a_field_out_of_its_range_is_named(url: str, name: str, value: Any) -> None:
    reply = post(url, **{"prompt": "a", name: value})
    assert (reply.status, reply.error["param"]) == (400, name)
    assert reply.error["type"] == "invalid_request_error"


def test_every_optional_field_may_be_null(url: str) -> None:
    names = (
        *("model", "max_tokens", "n", "temperature", "top_p", "seed", "stop", "stream", "echo"),
        *("stream_options", "logprobs", "user", "suffix", "best_of", "logit_bias", "tools", "xyz"),
    )
    nothing = dict.fromkeys(names)
    nothing["max_completion_tokens"] = 2  # a chat would fill the context
    assert post(url, prompt="a", **nothing).status == 200
    assert post(url, "chat/completions", messages=HELLO, **nothing, top_logprobs=None).status == 200


@pytest.mark.parametrize(
    ("name", "value", "neutral"),
    [("tools", [{"type": "function"}], []), ("response_format", {"type": "json_object"}, {"type": "text"}),
     ("tool_choice", "required", "auto"), ("logit_bias", {"5": 1}, {}), ("presence_penalty", 0.5, 0),
     ("frequency_penalty", -1, 0.0), ("repetition_penalty", 1.1, 1.0), ("min_p", 0.1, 0),
     ("functions", [{}], []), ("modalities", ["audio"], ["text"]), ("min_tokens", 3, 0),
     ("reasoning_effort", "high", "none"), ("guided_json", {}, None), ("max_token", 5, None)],
)  # fmt: skip
def test_25_what_would_be_ignored_is_refused(url: str, name: str, value: Any, neutral: Any) -> None:
    """ROCm/FastFlowLM#554."""
    reply = post(url, "chat/completions", messages=HELLO, **{name: value})
    assert (reply.status, reply.error["param"]) == (400, name)
    assert post(url, "chat/completions", messages=HELLO, **{name: neutral}).status == 200


def test_what_benchmarks_send(url: str) -> None:
    vllm = {"repetition_penalty": 1.0, "logprobs": None, "ignore_eos": True, "max_tokens": 5,
            "stream_options": {"include_usage": True}}  # fmt: skip
    assert events(url, prompt="ab", **vllm)[-1]["usage"]["completion_tokens"] == 5
    parts = [{"role": "user", "content": [{"type": "text", "text": "ab"}]}]
    chat = {"messages": parts, "max_completion_tokens": 5, "ignore_eos": True}
    assert post(url, "chat/completions", **chat).json["usage"]["completion_tokens"] == 5
    sglang = {"best_of": 1, "ignore_eos": True, "max_tokens": 5}
    assert all(chunk["choices"] for chunk in events(url, prompt="ab", **sglang))
    assert json.dumps(post(url, prompt="ab", user="me", metadata={"a": "b"}).json)

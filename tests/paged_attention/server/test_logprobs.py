# ruff: noqa: E501
"""Likelihoods stay in step with text, none is lost, and they are the model's own."""

from typing import Any

import pytest
import torch
from helpers.api import events, post

from paged_attention.model import Model


def rounded(value: Any) -> Any:
    """What is equal although other neighbours, or a prefix that was found, rounded otherwise."""
    if isinstance(value, dict):
        return {key: rounded(one) for key, one in value.items()}
    if isinstance(value, list):
        return [rounded(one) for one in value]
    return pytest.approx(value, abs=1e-4) if isinstance(value, float) else value


def gathered(chunks: list[Any]) -> dict[str, list[Any]]:
    """The four lists of a completion's stream."""
    found: dict[str, list[Any]] = {}
    for chunk in chunks:
        for name, values in (chunk["choices"][0]["logprobs"] or {}).items():
            found.setdefault(name, []).extend(values)
    return found


@pytest.mark.parametrize("stop", [None, "STOP"])
@pytest.mark.parametrize("said", ["plain", "a😀é STO", "x STOP y", "你STOP"])
def test_24_as_many_entries_as_tokens(url: str, said: str, stop: str | None) -> None:
    """abetlen/llama-cpp-python#1787, vllm-project/vllm#4795."""
    asked: dict[str, Any] = {"prompt": said, "stop": stop, "logprobs": 2, "max_tokens": 30}
    whole = post(url, **asked).json
    seen, text = whole["choices"][0]["logprobs"], whole["choices"][0]["text"]
    assert {len(values) for values in seen.values()} == {whole["usage"]["completion_tokens"]}
    assert rounded(gathered(events(url, **asked))) == rounded(seen)
    for token, offset, log, top in zip(
        *(seen[k] for k in ("tokens", "text_offset", "token_logprobs", "top_logprobs")), strict=True
    ):
        assert 0 <= offset <= len(text)
        assert 2 <= len(top) <= 3
        assert top[token] == log <= 0
        if not token.startswith(("bytes:", "<|")) and offset < len(text):
            assert text[offset:].startswith(token)


def test_24_the_newer_shape(url: str) -> None:
    messages = [{"role": "user", "content": "a😀b"}]
    asked: dict[str, Any] = {"messages": messages, "logprobs": True, "max_tokens": 20}
    for top in (None, 0, 3):
        whole = post(url, "chat/completions", **asked, top_logprobs=top).json
        content = whole["choices"][0]["logprobs"]["content"]
        assert len(content) == whole["usage"]["completion_tokens"]
        assert {len(entry["top_logprobs"]) for entry in content} == {top or 0}
        assert all(set(entry) == {"token", "logprob", "bytes", "top_logprobs"} for entry in content)
        assert bytes(b for entry in content for b in entry["bytes"] or ()).decode() == "a😀b"
        chunks = events(url, "chat/completions", **asked, top_logprobs=top)
        parts = [chunk["choices"][0]["logprobs"] for chunk in chunks]
        streamed = [entry for part in parts if part for entry in part["content"]]
        assert rounded(streamed) == rounded(content)
    without = post(url, "chat/completions", messages=messages, logprobs=False).json
    assert without["choices"][0]["logprobs"] is None
    for wrong in (
        {"top_logprobs": 21},
        {"top_logprobs": -1},
        {"logprobs": 3},
        {"logprobs": "true"},
    ):
        assert post(url, "chat/completions", **asked | wrong).status == 400
    bare = post(url, "chat/completions", messages=messages, top_logprobs=2)
    assert bare.error["param"] == "top_logprobs"


def test_24_zero_is_the_chosen_token_alone(url: str) -> None:
    seen = post(url, prompt="abc", logprobs=0).json["choices"][0]["logprobs"]
    assert [list(top) for top in seen["top_logprobs"]] == [[token] for token in seen["tokens"]]


@pytest.mark.parametrize("ids", [False, True])
def test_24_an_echoed_prompt_has_likelihoods_of_its_own(
    url: str, tiny: Model, encode: Any, ids: bool
) -> None:
    """vllm-project/vllm#47815: offsets count the echoed text."""
    said = "Hé 你 and so on, over a block"
    tokens = encode(said)
    prompt = tokens if ids else said
    asked: dict[str, Any] = {"prompt": prompt, "echo": True, "logprobs": 1, "max_tokens": 4}
    whole = post(url, **asked)
    seen, text = whole.json["choices"][0]["logprobs"], whole.json["choices"][0]["text"]
    assert text == said + "Hé "
    assert len(seen["tokens"]) == len(tokens) + 4
    assert seen["text_offset"][len(tokens)] == len(said)
    assert all(text[at:].startswith(t) for at, t in zip(seen["text_offset"], seen["tokens"], strict=True)
               if not t.startswith("bytes:"))  # fmt: skip
    assert seen["token_logprobs"][0] is None
    assert rounded(gathered(events(url, **asked))) == rounded(seen)
    again = post(url, **asked).json["choices"][0][
        "logprobs"
    ]  # nothing of it was found in the index
    assert rounded(again) == rounded(seen)
    ids_ = torch.tensor([tokens])
    logits = all_logits(tiny, ids_)
    right = logits[:-1].log_softmax(-1)[range(len(tokens) - 1), ids_[0, 1:]]
    assert seen["token_logprobs"][1 : len(tokens)] == pytest.approx(right.tolist(), abs=1e-4)
    scored = post(url, **asked | {"max_tokens": 0, "n": 2}).json
    assert scored["usage"]["completion_tokens"] == 0
    for choice in scored["choices"]:
        assert choice["text"] == said
        found = choice["logprobs"]["token_logprobs"]
        assert rounded(found) == rounded(seen["token_logprobs"][: len(tokens)])


def all_logits(model: Model, ids: torch.Tensor) -> torch.Tensor:
    """Logits [T, vocab] after each of ``ids`` [1, T], with no paged cache."""
    from paged_attention.attention import as_attending
    from paged_attention.contiguous import ContiguousKVCache

    c = model.config
    cache = ContiguousKVCache(c.layers, ids.shape[1], c.kv_heads, c.head_dim)
    cache.create("a", ids.shape[1])
    cache.reserve("a", ids.shape[1])
    cache.set_batch(["a"])
    positions = torch.arange(ids.shape[1])[None]
    hidden = model.decoder.hidden_states(ids, positions, as_attending(cache))
    logits: torch.Tensor = model.decoder.lm_head(hidden)
    return logits[0]

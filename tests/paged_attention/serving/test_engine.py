"""The engine with a model: texts as alone, whatever happens; and what a caller may rely on."""

import copy
import random
from dataclasses import replace
from typing import Any

import pytest
import torch

from paged_attention.cache import PagedKVCache
from paged_attention.errors import RequestExists, RequestTooLarge
from paged_attention.generate import generate
from paged_attention.model import Model, load_model, smollm2, tiny_model
from paged_attention.prefix import PrefixCache
from paged_attention.sampling import GREEDY, Sampling
from paged_attention.serving import Engine, HostStore, PagedMemory

KINDS: dict[str, dict[str, Any]] = {
    "paged": {},
    "whole prompts": {"chunk": 0},
    "prefix": {"prefix": True, "chunk": 3},
    "swap": {"host": 40},
    "prefix and swap": {"prefix": True, "host": 40},
}


@pytest.fixture(scope="module")
def tiny() -> Model:
    torch.set_num_threads(1)
    return tiny_model()


def memory(
    model: Model, num_blocks: int, *, block_size: int = 4, prefix: bool = False, host: int = 0
) -> PagedMemory:
    c = model.config
    cache = PagedKVCache(c.layers, num_blocks, block_size, c.kv_heads, c.head_dim)
    cache.k_pool.fill_(torch.nan)
    cache.v_pool.fill_(torch.nan)
    return PagedMemory(
        cache, PrefixCache(cache) if prefix else None, HostStore(cache, host) if host else None
    )


def engine(model: Model, num_blocks: int = 20, **kind: Any) -> Engine:
    parts = {k: kind.pop(k) for k in ("block_size", "prefix", "host") if k in kind}
    limits = {"max_running": 6, "budget": 12, "spare": 0} | kind
    return Engine(model.decoder, memory(model, num_blocks, **parts), **limits)


def alone(model: Model, prompt: list[int], new: int, sampling: Sampling = GREEDY) -> list[int]:
    cache = memory(model, 64, block_size=4).cache
    return generate(model.decoder, cache, [prompt], new, sampling=[sampling])[0]


@pytest.mark.parametrize("kind", KINDS)
def test_texts_under_pressure_are_those_of_runs_alone(tiny: Model, kind: str) -> None:
    draw, e = random.Random(kind), engine(tiny, **KINDS[kind])
    shared = [draw.randrange(3, 250) for _ in range(8)]
    wanted: dict[Any, list[int]] = {}
    for nth in range(8):
        prompt = (shared if draw.random() < 0.5 else []) + [
            draw.randrange(3, 250) for _ in range(draw.randrange(1, 16))
        ]
        new, samples = draw.randrange(1, 20), draw.choice([1, 1, 3])
        sampling = Sampling(1.0, seed=nth) if nth % 2 else GREEDY
        e.submit(prompt, new, name=nth, sampling=sampling, samples=samples)
        for k in range(samples):
            seeded = Sampling(sampling.temperature, seed=sampling.seed + k)
            wanted[(nth, k) if k else nth] = alone(tiny, prompt, new, seeded)
    streams: dict[Any, list[int | None]] = {name: [] for name in wanted}
    for new_token in e.drain():
        assert new_token.nth == len(streams[new_token.request])
        streams[new_token.request].append(new_token.token)
        e.scheduler.check_invariants()
        (e.memory.prefix or e.memory.cache).check_invariants()
    assert streams == wanted
    assert sum(r.stats.preemptions for r in e.requests.values())
    assert e.memory.cache.allocator.num_held == 0


def test_a_stop_token_and_a_rule_of_the_callers_own(tiny: Model) -> None:
    text = alone(tiny, [5, 6, 7], 12)
    e = Engine(tiny.decoder, memory(tiny, 20), eos_ids=[text[4]])
    e.submit([5, 6, 7], 12, name="eos")
    e.submit([5, 6, 7], 12, name="rule", stop=lambda answer: len(answer) == 1)
    ends = {new.request: new for new in e.drain() if new.finish}
    assert {name: (new.nth, new.finish) for name, new in ends.items()} == {
        "eos": (text.index(text[4]), "stop"),
        "rule": (0, "stop"),
    }


@pytest.mark.parametrize("fault", ["logits", "rule"])
def test_one_request_fails_alone(tiny: Model, fault: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """m87-labs/kestrel#135: one bad row ended everybody."""
    e = engine(tiny)

    def rule(answer: object) -> bool:
        if len(e.requests["bad"].answer) == 2 and fault == "rule":
            raise ZeroDivisionError("in a caller's rule")
        return False

    e.submit([5, 6], 6, name="good")
    e.submit([7, 8], 6, name="bad", stop=rule)
    news = e.step() + e.step()
    if fault == "logits":
        row = list(e.scheduler.running).index("bad")
        right = tiny.decoder.lm_head.forward

        def spoiled(hidden: torch.Tensor) -> torch.Tensor:
            logits = right(hidden)
            logits[row] = torch.nan
            return logits

        monkeypatch.setattr(tiny.decoder.lm_head, "forward", spoiled)
        news += e.step()
        monkeypatch.undo()
    news += list(e.drain())
    bad = [new for new in news if new.request == "bad"]
    assert (bad[-1].nth, bad[-1].token, bad[-1].finish) == (2, None, "error")
    assert isinstance(
        e.requests["bad"].error, ValueError if fault == "logits" else ZeroDivisionError
    )
    assert e.requests["good"].answer == alone(tiny, [5, 6], 6)
    assert e.memory.cache.allocator.num_held == 0


def test_a_request_that_cannot_be_is_refused_with_nothing_queued(tiny: Model) -> None:
    e = engine(tiny)
    e.submit([5], 4, name="here", samples=2)
    wrong: list[tuple[Any, int, dict[str, Any], type[Exception]]] = [
        ([], 3, {}, ValueError),
        ("text", 3, {}, TypeError),
        ([5.5], 3, {}, TypeError),
        ([259], 3, {}, ValueError),
        ([-1], 3, {}, ValueError),
        ([5], 0, {}, ValueError),
        ([5], 9000, {}, RequestTooLarge),
        ([5], 300, {}, RequestTooLarge),
        ([5], "3", {}, TypeError),  # type: ignore[list-item]
        ([5], 1.5, {}, TypeError),  # type: ignore[list-item]
        ([5], 3, {"stop": [2]}, TypeError),
        ([5], 3, {"sampling": "greedy"}, TypeError),
        ([5], 3, {"samples": 0}, ValueError),
        ([5], 3, {"samples": 7}, ValueError),
        ([5], 3, {"salt": 1}, TypeError),
        ([5], 3, {"name": "here"}, RequestExists),
        ([5], 3, {"name": ("here", 1)}, RequestExists),
    ]
    for prompt, new, asked, error in wrong:
        with pytest.raises(error):
            e.submit(prompt, new, **asked)
        assert set(e.requests) == {"here", ("here", 1)}
        assert len(e) == 1
    e.submit(torch.tensor([5, 6]), 2, name="tensor")  # type: ignore[arg-type]
    assert len([new for new in e.drain() if new.finish]) == 3


def test_a_prompt_as_long_as_the_model_has_an_answer_of_one_token(tiny: Model) -> None:
    """vllm-project/vllm#16445: the last new token is never run, as ``generate`` knows."""
    short = copy.copy(tiny.decoder)
    short.config = replace(tiny.config, max_positions=8)
    e = Engine(short, memory(tiny, 8))
    with pytest.raises(RequestTooLarge, match=r"8 \+ 2 tokens"):
        e.submit([5] * 8, 2)
    e.submit([5] * 8, 1)
    e.submit([5] * 5, 4)
    assert [new.finish for new in e.drain() if new.finish] == ["length", "length"]


def test_who_stops_listening_misses_nothing(tiny: Model) -> None:
    e = engine(tiny)
    for nth in range(3):
        e.submit([5 + nth, 6], 6)
    heard: dict[Any, list[int | None]] = {nth: [] for nth in range(3)}
    while len(e) or any(len(text) < 6 for text in heard.values()):
        for count, new in enumerate(e.drain()):
            assert new.nth == len(heard[new.request])
            heard[new.request].append(new.token)
            if count == 1:
                break  # the caller goes away in the middle of a step's news
    assert heard == {nth: alone(tiny, [5 + nth, 6], 6) for nth in range(3)}


def test_no_news_of_an_aborted_request(tiny: Model) -> None:
    e = engine(tiny)
    for nth in range(3):
        e.submit([5 + nth, 6], 6, samples=2)
    after = []
    for new in e.drain():
        if new.nth == 2:
            e.abort(1)
        if e.requests[1].finish == "abort":
            after.append(new.request)
    assert not {1, (1, 1)} & set(after[1:])
    assert e.memory.cache.allocator.num_held == 0


def test_a_thousand_requests_leak_nothing(tiny: Model) -> None:
    """vllm-project/vllm#46283, #32255; sgl-project/sglang#11970. A third is aborted somewhere."""
    draw, e = random.Random(0), engine(tiny, 40, prefix=True, host=8, budget=48, max_running=12)
    for nth in range(1000):
        e.submit([draw.randrange(3, 9) for _ in range(draw.randrange(1, 12))], 3, name=nth)
        if nth % 4 == 3:
            e.step()
        if nth % 3 == 2:
            e.abort(draw.randrange(max(0, nth - 9), nth + 1))
    for _ in e.drain():
        pass
    e.memory.prefix.check_invariants()  # type: ignore[union-attr]
    allocator, host = e.memory.cache.allocator, e.memory.host
    assert (allocator.num_held, allocator.num_free + allocator.num_cached) == (0, 40)
    assert host is not None
    assert host.allocator.num_free == 8
    assert {r.finish for r in e.requests.values()} == {"length", "abort"}
    for name in list(e.requests):
        e.forget(name)
    assert not e.requests


@pytest.mark.skipif(
    smollm2.ready_folder() is None,
    reason="SmolLM2 is not on this machine: python -m paged_attention model",
)
@pytest.mark.parametrize("kind", [pytest.param("paged", marks=pytest.mark.slow), "prefix and swap"])
def test_the_real_model_under_pressure_says_what_it_says_alone(kind: str) -> None:
    model = load_model()
    texts = [
        "The capital of France is",
        "The capital of Italy is",
        "Once upon a time, there was a little",
        "def fibonacci(n):\n    ",
    ]
    prompts = [model.tokenizer.encode(text) for text in texts]
    settings = [GREEDY, Sampling(0.8, seed=1), GREEDY, Sampling(1.0, top_k=20, seed=2)]
    e = engine(model, 9, block_size=4, max_running=4, budget=24, **KINDS[kind])
    for prompt, sampling in zip(prompts, settings, strict=True):
        e.submit(prompt, 10, sampling=sampling)
    for _ in e.drain():
        pass
    right = [
        alone(model, prompt, 10, sampling)
        for prompt, sampling in zip(prompts, settings, strict=True)
    ]
    assert [e.requests[nth].answer for nth in range(4)] == right
    assert sum(r.stats.preemptions for r in e.requests.values())

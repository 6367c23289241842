"""What the engine tells beside tokens, and how a caller ends one answer and lets records go."""

from typing import Any

import pytest
import torch

from paged_attention.logprobs import token_logprobs
from paged_attention.model import Model, tiny_model
from paged_attention.sampling import Sampling
from paged_attention.server.building import build_engine
from paged_attention.serving import Engine
from workbook.toy import ToyEngine, alone, toy_memory

PROMPT = [5, 6, 7]


@pytest.fixture(scope="module")
def tiny() -> Model:
    return tiny_model()


def engine(model: Model, **sizes: Any) -> Engine:
    return build_engine(model, **{"num_blocks": 40, "block_size": 4} | sizes)


def drained(e: Engine) -> None:
    for _ in e.drain():
        pass


def test_logprobs_are_the_models_own() -> None:
    logits = torch.tensor([1.0, 3.0, 2.0, -torch.inf])
    seen = token_logprobs(logits, 2, 2)
    assert seen.token == 2
    assert [token for token, _ in seen.top] == [1, 2]
    assert seen.logprob == pytest.approx(seen.top[1][1])
    assert sum(map(torch.exp, torch.tensor([log for _, log in token_logprobs(logits, 0, 9).top])))
    assert token_logprobs(logits, 0, 0).top == []


@pytest.mark.parametrize("num_blocks", [40, 8])
def test_every_token_said_has_its_logprobs_preempted_or_not(tiny: Model, num_blocks: int) -> None:
    e = engine(tiny, num_blocks=num_blocks, spare=0, prefix_cache=False)
    for nth in range(4):
        sampling = Sampling(1.0, seed=nth)
        e.submit(PROMPT, 9, name=nth, top_logprobs=2, samples=1 + nth % 2, sampling=sampling)
    e.submit(PROMPT, 2, name="silent")
    drained(e)
    for request in e.requests.values():
        if request.name == "silent":
            assert request.logprobs == []
            continue
        assert [seen.token for seen in request.logprobs] == request.answer
        assert all(len(seen.top) == 2 and seen.logprob <= 0 for seen in request.logprobs)
    assert bool(sum(r.stats.preemptions for r in e.requests.values())) == (num_blocks == 8)


@pytest.mark.parametrize(
    "sizes", [{}, {"chunk": 3}, {"chunk": 3, "num_blocks": 7, "host_blocks": 9}]
)
def test_a_prompts_own_tokens_are_scored_each_once(tiny: Model, sizes: dict[str, int]) -> None:
    e = engine(tiny, spare=0, **sizes)
    prompt = [5, 6, 7, 8, 9, 10, 11, 12, 13]
    for nth in range(3):  # the index knows the prompt by then
        e.submit(prompt, 6, name=nth, top_logprobs=1, score_prompt=True, samples=1 + nth % 2)
        drained(e) if nth == 0 else e.step()
    e.submit([5], 1, name="short", top_logprobs=0, score_prompt=True)
    drained(e)
    right = [seen.logprob for seen in e.requests[0].prompt_logprobs]
    for nth in range(3):
        found = e.requests[nth].prompt_logprobs
        assert [seen.token for seen in found] == prompt[1:]
        assert [seen.logprob for seen in found] == pytest.approx(right, abs=1e-4)
        assert e.requests[nth].stats.cached_tokens == 0
    assert e.requests["short"].prompt_logprobs == []
    with pytest.raises(ValueError, match="score_prompt needs it"):
        e.submit(prompt, 6, score_prompt=True)


def test_an_answer_may_run_past_the_end_of_text(tiny: Model) -> None:
    e = engine(tiny)
    e.submit(PROMPT, 6, name="free")
    drained(e)
    said = e.requests["free"].answer
    e.eos_ids = frozenset(said[2:3])
    e.submit(PROMPT, 6, name="ends")
    e.submit(PROMPT, 6, name="goes on", ignore_eos=True)
    drained(e)
    assert len(e.requests["ends"].answer) == said.index(said[2]) + 1
    assert e.requests["goes on"].answer == said


def test_samples_of_the_highest_seed(tiny: Model) -> None:
    e = engine(tiny)
    e.submit(PROMPT, 2, name="r", samples=3, sampling=Sampling(1.0, seed=2**63 - 1))
    e.submit(PROMPT, 2, name="first", sampling=Sampling(1.0, seed=0))
    drained(e)
    assert e.requests["r", 1].answer == e.requests["first"].answer


def test_one_sample_ends_alone() -> None:
    e = ToyEngine(toy_memory(40, prefix=True))
    e.ask("a", PROMPT, 6, 1, samples=3)
    with pytest.raises(ValueError, match="has not said a token yet"):
        e.end("a")
    assert len(e) == 1
    e.step()
    assert e.end("a")
    assert not e.end("a")
    assert not e.end("nobody")
    assert e.requests["a"].finish == "stop"
    news = [new for new in e.drain() if new.request == "a"]
    assert not news
    assert e.requests["a", 1].answer == alone(PROMPT, 6, 2)
    assert e.memory.cache.allocator.num_held == 0


def test_records_go_when_they_are_told_to() -> None:
    e = ToyEngine(toy_memory(40, prefix=True))
    e.ask("a", PROMPT, 3)
    e.ask("b", PROMPT, 9)
    e.step()
    e.forget("b")  # it is alive
    e.step()
    e.step()
    assert [step.tokens for step in e.take_steps()] == [6, 2, 2]
    assert e.take_steps() == []
    for name in ("a", "b"):
        e.forget(name)
    assert set(e.requests) == {"b"}
    assert e.memory.prefix is not None
    assert e.memory.prefix.stats._counted == {"b"}

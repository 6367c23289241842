"""Several samples of one prompt: one prefill, shared blocks, the tokens of separate runs."""

import pytest
import torch

from paged_attention.cache import PagedKVCache
from paged_attention.contiguous import ContiguousKVCache
from paged_attention.errors import BlockPoolExhausted
from paged_attention.generate import generate, stream
from paged_attention.model import Model, tiny_model
from paged_attention.sampling import Sampling

HOT = [Sampling(temperature=1.0, seed=seed) for seed in (3, 1, 2)]


@pytest.fixture(scope="module")
def tiny() -> Model:
    torch.set_num_threads(1)
    return tiny_model()


def paged(model: Model, num_blocks: int = 60) -> PagedKVCache:
    config = model.config
    return PagedKVCache(config.layers, num_blocks, 4, config.kv_heads, config.head_dim)


def alone(model: Model, prompt: list[int], settings: Sampling, tokens: int) -> list[int]:
    """One run from scratch on the contiguous cache."""
    config = model.config
    cache = ContiguousKVCache(config.layers, 100, config.kv_heads, config.head_dim)
    return generate(model.decoder, cache, [prompt], tokens, sampling=settings)[0]


@pytest.mark.parametrize("length", [1, 3, 4, 5, 6, 8])
def test_each_sample_equals_its_own_run(tiny: Model, length: int) -> None:
    cache = paged(tiny)
    prompt = tiny.tokenizer.encode("The capital")[:length]
    got = generate(tiny.decoder, cache, [prompt], 12, samples=3, sampling=HOT)
    assert got == [alone(tiny, prompt, settings, 12) for settings in HOT]
    assert len({tuple(tokens) for tokens in got}) == 3
    assert cache.allocator.num_free == cache.allocator.num_blocks


def test_several_prompts_of_several_samples(tiny: Model) -> None:
    cache = paged(tiny)
    prompts = [tiny.tokenizer.encode(text) for text in ("Once upon", "a")]
    got = generate(tiny.decoder, cache, prompts, 6, samples=2, sampling=HOT[0])
    seeds = [Sampling(temperature=1.0, seed=seed) for seed in (3, 4)]
    assert got == [alone(tiny, p, settings, 6) for p in prompts for settings in seeds]


def test_the_prompt_is_run_and_stored_once(tiny: Model) -> None:
    cache = paged(tiny)
    prompt = tiny.tokenizer.encode("seven t")[:6]
    news = stream(tiny.decoder, cache, [prompt], 3, samples=3, sampling=HOT)
    for _ in range(3):
        next(news)
    assert [cache.tables[i] for i in range(3)] == [[0, 1]] * 3
    next(news)  # every sample has written its first token: two copies, the last writer in place
    assert cache.allocator.num_held == 4
    cache.check_invariants()
    news.close()  # type: ignore[attr-defined]
    assert cache.allocator.num_free == cache.allocator.num_blocks


def test_samples_that_do_not_fit_leave_nothing_behind(tiny: Model) -> None:
    cache = paged(tiny, num_blocks=3)
    prompt = tiny.tokenizer.encode("seven t")[:6]
    with pytest.raises(BlockPoolExhausted):
        generate(tiny.decoder, cache, [prompt], 3, samples=3, sampling=HOT)
    assert cache.allocator.num_free == 3


def test_bad_arguments(tiny: Model) -> None:
    config = tiny.config
    contiguous = ContiguousKVCache(config.layers, 100, config.kv_heads, config.head_dim)
    with pytest.raises(ValueError, match="a ContiguousKVCache can't fork"):
        stream(tiny.decoder, contiguous, [[1]], 1, samples=2)
    with pytest.raises(ValueError, match="samples must be at least 1, got 0"):
        stream(tiny.decoder, paged(tiny), [[1]], 1, samples=0)
    with pytest.raises(ValueError, match="4 requests need as many settings, got 3"):
        stream(tiny.decoder, paged(tiny), [[1], [2]], 1, samples=2, sampling=HOT)

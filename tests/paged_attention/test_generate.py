"""The loop serves any cache, gives the same tokens in each, and always gives the memory back."""

import copy
from collections.abc import Hashable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
import torch
from torch import Tensor

from paged_attention.attention import UpdatingCache
from paged_attention.beam import beam_search
from paged_attention.cache import PagedKVCache
from paged_attention.contiguous import ContiguousKVCache
from paged_attention.errors import (
    BlockPoolExhausted,
    SequenceExists,
    SlotsExhausted,
    UnknownSequence,
)
from paged_attention.generate import generate, run, stream
from paged_attention.model import Model, tiny_model
from paged_attention.sampling import Sampling

PROMPTS = ["Once", "a", "The capital of France is", "0123456789abcdef!"]


@pytest.fixture(scope="module")
def tiny() -> Model:
    torch.set_num_threads(1)
    return tiny_model()


@pytest.fixture(scope="module")
def prompts(tiny: Model) -> list[list[int]]:
    return [tiny.tokenizer.encode(text) for text in PROMPTS]


def paged(model: Model, num_blocks: int = 40, block_size: int = 4) -> PagedKVCache:
    config = model.config
    return PagedKVCache(config.layers, num_blocks, block_size, config.kv_heads, config.head_dim)


def contiguous(model: Model, num_slots: int = 200) -> ContiguousKVCache:
    config = model.config
    return ContiguousKVCache(config.layers, num_slots, config.kv_heads, config.head_dim)


class UpdateOnly:
    """A reader's own cache as chapter 3 leaves it: everything but ``attend``."""

    def __init__(self, inner: PagedKVCache) -> None:
        self._inner = inner
        self.create, self.reserve = inner.create, inner.reserve
        self.set_batch, self.free = inner.set_batch, inner.free

    def update(
        self, layer: int, k: Tensor, v: Tensor, positions: Tensor
    ) -> tuple[Tensor, Tensor, Tensor]:
        return self._inner.update(layer, k, v, positions)


def without_cache(model: Model, prompt: Sequence[int], count: int) -> list[int]:
    """Greedy tokens, the whole text run again for each."""

    class Nothing(UpdatingCache):
        def update(
            self, layer: int, k: Tensor, v: Tensor, positions: Tensor
        ) -> tuple[Tensor, Tensor, Tensor]:
            return k, v, torch.arange(k.shape[2])

    from paged_attention.attention import as_attending

    text = list(prompt)
    for _ in range(count):
        logits = model.decoder.next_logits(
            torch.tensor([text]), torch.arange(len(text)), as_attending(Nothing())
        )
        text.append(int(logits.argmax()))
    return text[len(prompt) :]


def test_every_cache_gives_the_tokens_that_no_cache_gives(
    tiny: Model, prompts: list[list[int]]
) -> None:
    right = [without_cache(tiny, prompt, 9) for prompt in prompts]
    for cache in (paged(tiny), contiguous(tiny), UpdateOnly(paged(tiny))):
        assert generate(tiny.decoder, cache, prompts, 9) == right


def test_a_sequence_holds_prompt_and_outputs_less_one_while_it_streams(
    tiny: Model, prompts: list[list[int]]
) -> None:
    cache = paged(tiny)
    prompt = prompts[0]
    for made, (request, _) in enumerate(stream(tiny.decoder, cache, [prompt], 5), start=1):
        assert request == 0
        assert cache.lengths[0] == len(prompt) + made - 1
        assert len(cache.tables[0]) == cache.blocks_needed(cache.lengths[0])
        cache.check_invariants()
    assert cache.tables == {}
    assert cache.allocator.num_free == 40


def test_exactly_the_needed_memory_is_enough(tiny: Model, prompts: list[list[int]]) -> None:
    most = len(prompts[2]) + 8 - 1
    blocks = -(-most // 4)
    assert len(generate(tiny.decoder, paged(tiny, blocks), [prompts[2]], 8)[0]) == 8
    assert len(generate(tiny.decoder, contiguous(tiny, most), [prompts[2]], 8)[0]) == 8
    with pytest.raises(BlockPoolExhausted):
        generate(tiny.decoder, paged(tiny, blocks - 1), [prompts[2]], 8)
    with pytest.raises(SlotsExhausted):
        generate(tiny.decoder, contiguous(tiny, most - 1), [prompts[2]], 8)


def test_a_pool_that_runs_out_half_way_is_given_back_whole(
    tiny: Model, prompts: list[list[int]]
) -> None:
    cache = paged(tiny, 20)
    tokens = stream(tiny.decoder, cache, prompts, 50)
    for _ in range(len(prompts) + 8):  # two steps of decode fit
        next(tokens)
    with pytest.raises(BlockPoolExhausted, match="sequence"):
        list(tokens)
    assert cache.tables == {}
    assert cache.allocator.num_free == 20
    cache.check_invariants()


def test_closing_the_stream_gives_the_memory_back(tiny: Model, prompts: list[list[int]]) -> None:
    for stop_after in range(1, 7):  # in the prefill and in the decode, between rows too
        cache = paged(tiny)
        tokens = stream(tiny.decoder, cache, prompts, 20)
        for _ in range(stop_after):
            next(tokens)
        assert cache.tables != {}
        tokens.close()  # type: ignore[attr-defined]
        assert cache.tables == {}
        assert cache.allocator.num_free == 40


def test_an_interrupt_in_the_model_gives_the_memory_back(
    tiny: Model, prompts: list[list[int]], monkeypatch: pytest.MonkeyPatch
) -> None:
    cache = contiguous(tiny)
    honest = tiny.decoder.next_logits
    calls = 0

    def interrupted(*args: Any) -> Tensor:
        nonlocal calls
        calls += 1
        if calls == len(prompts) + 3:
            raise KeyboardInterrupt
        return honest(*args)

    monkeypatch.setattr(tiny.decoder, "next_logits", interrupted)
    with pytest.raises(KeyboardInterrupt):
        generate(tiny.decoder, cache, prompts, 20)
    assert cache.lengths == {}
    assert cache.slots.num_free == 200


def test_a_sequence_that_was_there_before_is_left_alone(
    tiny: Model, prompts: list[list[int]]
) -> None:
    cache = paged(tiny)
    cache.create(1)
    cache.reserve(1, 5)
    with pytest.raises(SequenceExists):
        generate(tiny.decoder, cache, prompts[:2], 3)
    assert list(cache.tables) == [1]
    assert len(cache.tables[1]) == 2


def test_eos_ends_one_request_and_not_the_others(tiny: Model, prompts: list[list[int]]) -> None:
    whole = generate(tiny.decoder, paged(tiny), prompts, 12)
    eos = whole[0][3]
    cut = generate(tiny.decoder, paged(tiny), prompts, 12, eos_ids={eos})
    for long, short in zip(whole, cut, strict=True):
        end = long.index(eos) + 1 if eos in long else len(long)
        assert short == long[:end]
    assert len(cut[0]) <= 4


def test_an_ended_request_frees_its_blocks_for_the_others(
    tiny: Model, prompts: list[list[int]]
) -> None:
    eos = generate(tiny.decoder, paged(tiny), prompts[:1], 1)[0][0]
    others = [p for p in prompts[1:] if eos not in generate(tiny.decoder, paged(tiny), [p], 9)[0]]
    cache = paged(tiny)
    for news in stream(tiny.decoder, cache, [prompts[0], *others], 9, eos_ids={eos}):
        if news.request > 0:
            assert 0 not in cache.tables


def test_each_request_has_its_own_settings_and_stream(
    tiny: Model, prompts: list[list[int]]
) -> None:
    hot = [Sampling(2.0, seed=seed) for seed in range(4)]
    together = generate(tiny.decoder, paged(tiny), prompts, 12, sampling=hot)
    for prompt, chosen, out in zip(prompts, hot, together, strict=True):
        assert generate(tiny.decoder, contiguous(tiny), [prompt], 12, sampling=chosen) == [out]
    back = generate(tiny.decoder, paged(tiny), prompts[::-1], 12, sampling=hot[::-1])
    assert back == together[::-1]
    assert together != generate(tiny.decoder, paged(tiny), prompts, 12)


def test_run_is_one_step_of_rows_of_one_length(tiny: Model) -> None:
    cache = paged(tiny)
    cache.create("x")
    cache.create("y")
    logits = run(tiny.decoder, cache, ["x", "y"], [[5, 6, 7], [8, 9, 10]], [0, 0])
    assert tuple(logits.shape) == (2, tiny.config.vocab_size)
    assert cache.lengths == {"x": 3, "y": 3}


def test_no_request_is_no_output(tiny: Model) -> None:
    assert generate(tiny.decoder, paged(tiny), [], 3) == []


@pytest.mark.parametrize(
    ("prompts", "count", "fragment"),
    [
        ([[]], 3, "request 0 has an empty prompt"),
        ([[1], [1, 400]], 3, "request 1 holds token 400"),
        ([[-1]], 3, "request 0 holds token -1"),
        ([[1]], 0, "max_new_tokens must be at least 1"),
        ([[1] * 8190], 4, r"request 0 may reach 8190 \+ 4 tokens"),
    ],
)
def test_what_can_not_run_is_refused_before_anything_is_created(
    tiny: Model, prompts: list[list[int]], count: int, fragment: str
) -> None:
    cache = paged(tiny)
    with pytest.raises(ValueError, match=fragment):
        stream(tiny.decoder, cache, prompts, count)
    assert cache.tables == {}


def test_requests_may_come_from_a_generator(tiny: Model) -> None:
    rows = [[5, 6], [7]]
    assert generate(tiny.decoder, paged(tiny), (row for row in rows), 2) == generate(  # type: ignore[arg-type]
        tiny.decoder, paged(tiny), rows, 2
    )


def test_settings_must_match_the_requests(tiny: Model) -> None:
    with pytest.raises(ValueError, match="2 requests need as many settings, got 1"):
        generate(tiny.decoder, paged(tiny), [[1], [2]], 3, sampling=[Sampling()])


def test_a_step_takes_room_for_every_row_or_for_none(tiny: Model) -> None:
    cache = paged(tiny, num_blocks=3)
    for seq in "xy":
        cache.create(seq)
    rows = [[5] * 8, [6] * 8]
    with pytest.raises(BlockPoolExhausted, match="Nothing was taken"):
        run(tiny.decoder, cache, "xy", rows, [0, 0])
    assert cache.tables == {"x": [], "y": []}
    assert cache.allocator.num_free == 3
    slots = contiguous(tiny, 12)
    for seq, most in (("x", 8), ("y", 4)):
        slots.create(seq, most)
    with pytest.raises(SlotsExhausted):
        run(tiny.decoder, slots, "xy", rows, [0, 0])
    assert slots.lengths == {"x": 0, "y": 0}


@pytest.mark.parametrize("dtype", [np.int64, np.int32, np.uint8])
def test_prompts_may_be_arrays(tiny: Model, dtype: Any) -> None:
    # volcengine/verl#772, NVIDIA/TensorRT-LLM#16912, PaddlePaddle/FastDeploy#3944.
    right = generate(tiny.decoder, paged(tiny), [[5, 6, 7], [8, 9, 10]], 3, eos_ids=[250])
    rows = np.array([[5, 6, 7], [8, 9, 10]], dtype=dtype)
    for prompts in (rows, list(rows), torch.tensor(rows), tuple(map(tuple, rows))):
        got = generate(tiny.decoder, paged(tiny), prompts, 3, eos_ids=np.array([250]))
        assert got == right


@pytest.mark.parametrize(
    ("prompts", "options", "error", "fragment"),
    [
        (np.array([[5.0, 6.0]]), {}, TypeError, "request 0 holds 5.0 where a token id should be"),
        ([5, 6], {}, TypeError, "the prompt of request 0 must be a list, got 5 alone"),
        (np.array([5, 6]), {}, TypeError, "the prompt of request 0 must be a list, got 5 alone"),
        (["words"], {}, TypeError, "the prompt of request 0 must be token ids, got text"),
        ("words", {}, TypeError, "prompts must be token ids, got text"),
        ([[None]], {}, TypeError, "request 0 holds None"),
        ([[5]], {"eos_ids": 2}, TypeError, "eos_ids must be a list, got 2 alone"),
        ([[5]], {"eos_ids": [2.5]}, TypeError, "eos_ids holds 2.5"),
        ([[5]], {"eos_ids": "</s>"}, TypeError, "eos_ids must be token ids, got text"),
        ([[5]], {"samples": 1.5}, TypeError, "samples must be a whole number, got 1.5"),
    ],
)
def test_what_is_no_prompt_is_refused_in_words(
    tiny: Model, prompts: Any, options: Any, error: type[Exception], fragment: str
) -> None:
    cache = paged(tiny)
    with pytest.raises(error, match=fragment):
        stream(tiny.decoder, cache, prompts, 2, **options)
    assert cache.tables == {}


def test_a_text_may_fill_the_model_to_its_last_position(tiny: Model) -> None:
    # vllm-project/vllm#16445, EleutherAI/lm-evaluation-harness#2880.
    decoder = copy.deepcopy(tiny.decoder)
    decoder.config = replace(decoder.config, max_positions=8)
    for length, new in ((8, 1), (7, 2), (1, 8)):
        assert len(generate(decoder, paged(tiny), [[5] * length], new)[0]) == new
        assert beam_search(decoder, paged(tiny), [5] * length, 2, new)
        with pytest.raises(ValueError, match="may reach"):
            generate(decoder, paged(tiny), [[5] * length], new + 1)


def test_float64_runs_by_gather(tiny: Model) -> None:
    decoder, config = copy.deepcopy(tiny.decoder).double(), tiny.config
    out = [
        generate(
            decoder,
            PagedKVCache(
                config.layers,
                40,
                4,
                config.kv_heads,
                config.head_dim,
                dtype=torch.float64,
                **options,
            ),
            [[5, 6, 7]],
            4,
        )
        for options in ({}, {"decode": None, "prefill": None})
    ]
    assert out[0] == out[1]


def test_a_sequence_that_somebody_else_freed_does_not_keep_the_others(
    tiny: Model, prompts: list[list[int]]
) -> None:
    # sgl-project/sglang#36926, #40360.
    for victim in range(3):
        cache = paged(tiny)
        news = stream(tiny.decoder, cache, prompts[:3], 6)
        for _ in range(4):
            next(news)
        cache.free(victim)
        with pytest.raises(UnknownSequence, match=f"no sequence {victim} ") as caught:
            list(news)
        assert not getattr(caught.value, "__notes__", [])
        assert cache.allocator.num_free == 40


class FailingFree(PagedKVCache):
    """Two of its sequences can't be freed."""

    def free(self, seq: Hashable) -> None:
        if seq in (0, 2):
            raise RuntimeError(f"{seq} stays")
        super().free(seq)


def test_clean_up_goes_on_after_a_failure_and_hides_no_error(
    tiny: Model, prompts: list[list[int]]
) -> None:
    config = tiny.config

    def started() -> tuple[PagedKVCache, Any]:
        cache = FailingFree(config.layers, 24, 4, config.kv_heads, config.head_dim)
        news = stream(tiny.decoder, cache, prompts, 60)
        for _ in range(4):
            next(news)
        return cache, news

    cache, news = started()
    with pytest.raises(BlockPoolExhausted) as full:
        list(news)
    assert list(cache.lengths) == [0, 2]
    notes = full.value.__notes__
    assert [note.split(": ")[-1] for note in notes] == ["2 stays", "0 stays"]
    cache, news = started()
    with pytest.raises(RuntimeError, match="2 stays") as closed:
        news.close()
    assert list(cache.lengths) == [0, 2]
    assert any("0 stays" in note for note in closed.value.__notes__)

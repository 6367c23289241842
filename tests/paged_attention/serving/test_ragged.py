"""Rows of different lengths in one pass give what each gives alone."""

from typing import Any

import pytest
import torch
from helpers.kv import snapshot
from torch import Tensor

from paged_attention.cache import PagedKVCache
from paged_attention.errors import BadBatch, BlockShared, PositionNotReserved, UnknownSequence
from paged_attention.generate import run
from paged_attention.kernels import paged_decode_attention, paged_prefill_attention
from paged_attention.kernels.linear import library
from paged_attention.model import Model, tiny_model
from paged_attention.serving.ragged import RaggedStep, run_ragged

LENGTHS = {"a": 13, "b": 9, "c": 21, "d": 5, "e": 1}
CUTS = [
    {"a": 12, "b": 4},
    {"a": 1, "b": 4, "c": 8},
    {"b": 1, "c": 12, "d": 4},
    {"e": 1, "c": 1, "d": 1},
]


@pytest.fixture(scope="module")
def tiny() -> Model:
    torch.set_num_threads(1)
    return tiny_model()


def nan_cache(model: Model, *, gather: bool = False) -> PagedKVCache:
    c = model.config
    kernel = {"decode": None, "prefill": None} if gather else {}
    cache = PagedKVCache(c.layers, 32, 4, c.kv_heads, c.head_dim, **kernel)
    cache.k_pool.fill_(torch.nan)
    cache.v_pool.fill_(torch.nan)
    return cache


def prompts() -> dict[str, list[int]]:
    draw = torch.Generator().manual_seed(0)
    return {n: torch.randint(3, 250, (k,), generator=draw).tolist() for n, k in LENGTHS.items()}


@pytest.mark.parametrize("gather", [False, True])
def test_chunks_and_decodes_in_one_pass_equal_whole_prompts(tiny: Model, gather: bool) -> None:
    """GeeeekExplorer/nano-vllm#212: a chunk attended to slots behind itself. Here those are NaN."""
    texts = prompts()
    cache, done = nan_cache(tiny, gather=gather), dict.fromkeys(texts, 0)
    for name in texts:
        cache.create(name)
    got = {}
    for cut in CUTS:
        rows = [texts[name][done[name] : done[name] + n] for name, n in cut.items()]
        for name, n in cut.items():
            cache.reserve(name, n)
            done[name] += n
        ended = [i for i, name in enumerate(cut) if done[name] == len(texts[name])]
        logits = run_ragged(tiny.decoder, cache, list(cut), rows, ended)
        got |= {list(cut)[i]: row for i, row in zip(ended, logits, strict=True)}
        assert {name: cache.lengths[name] for name in cut} == {name: done[name] for name in cut}
    for name, text in texts.items():
        alone = nan_cache(tiny)
        alone.create(name)
        right = run(tiny.decoder, alone, [name], [text], [0])[0]
        assert torch.allclose(got[name], right, atol=1e-4)
        assert got[name].argmax() == right.argmax()


def test_each_row_goes_to_the_kernel_for_its_tokens(tiny: Model) -> None:
    calls = []

    def decode(q: Tensor, *rest: Any) -> Tensor:
        calls.append(("decode", len(q), rest[3].tolist()))
        return paged_decode_attention(q, *rest)

    def prefill(q: Tensor, *rest: Any) -> Tensor:
        calls.append(("prefill", len(q), rest[3].tolist(), rest[4].tolist()))
        return paged_prefill_attention(q, *rest)

    cache = nan_cache(tiny)
    cache.decode, cache.prefill = decode, prefill
    for name in "abcd":
        cache.create(name)
        cache.reserve(name, 9)
    run_ragged(tiny.decoder, cache, list("abcd"), [[5], [6, 7, 8], [9], [10, 11]], [])
    assert calls[:2] == [("decode", 2, [1, 1]), ("prefill", 5, [3, 2], [0, 3, 5])]
    calls.clear()
    run_ragged(tiny.decoder, cache, ["b", "a"], [[5], [6]], [])
    assert calls[0] == ("decode", 2, [4, 2])
    assert {name for name, *_ in calls} == {"decode"}


@pytest.mark.skipif(library(torch.float32) is None, reason="sums in another order without C++")
def test_a_row_s_logits_are_the_same_to_the_last_digit_whoever_shares_the_step(tiny: Model) -> None:
    texts, logits = prompts(), []
    for crowd in ([], ["c"], ["a", "d", "c"]):
        cache = nan_cache(tiny)
        for name in ["b", *crowd]:
            cache.create(name)
            cache.reserve(name, 12)
        found = []
        for cut in (slice(0, 5), slice(5, 6), slice(6, 7), slice(7, 9)):
            others = [texts[name][:4] for name in crowd]  # as prompts, and cut back again
            names, rows = [*crowd, "b"], [*others, texts["b"][cut]]
            found.append(run_ragged(tiny.decoder, cache, names, rows, [len(crowd)]))
            for name in crowd:
                cache.truncate(name, 0)
                cache.reserve(name, 4)
        logits.append(torch.cat(found))
    assert torch.equal(logits[0], logits[1])
    assert torch.equal(logits[0], logits[2])


@pytest.mark.parametrize("gather", [False, True])
def test_fp8_pools_are_written_and_read_with_their_scales(tiny: Model, gather: bool) -> None:
    c, (text, near) = tiny.config, (prompts()["a"], {})
    kernels: dict[str, Any] = {"decode": None, "prefill": None} if gather else {}
    for step, chunks in (("whole", [13]), ("ragged", [7, 1, 5])):
        cache = PagedKVCache(
            *(c.layers, 32, 4, c.kv_heads, c.head_dim),
            **({"dtype": torch.float8_e4m3fn, "k_scale": 0.5, "v_scale": 0.25} | kernels),
        )
        cache.create("a")
        done = 0
        for count in chunks:
            cache.reserve("a", count)
            rows = text[done : done + count]
            if step == "whole":
                near[step] = run(tiny.decoder, cache, ["a"], [rows], [0])
            else:
                near[step] = run_ragged(tiny.decoder, cache, ["a"], [rows], [0])
            done += count
    torch.testing.assert_close(near["ragged"], near["whole"], atol=0.2, rtol=0.05)


def test_a_model_of_another_type_than_the_pools_is_refused(tiny: Model) -> None:
    c = tiny.config
    cache = PagedKVCache(c.layers, 8, 4, c.kv_heads, c.head_dim, dtype=torch.bfloat16)
    cache.create("a")
    cache.reserve("a", 2)
    with pytest.raises(RuntimeError, match=r"[Ii]ndex put|dtype"):
        run_ragged(tiny.decoder, cache, ["a"], [[5, 6]], [])
    assert cache.lengths["a"] == 0


def test_no_logits_are_asked_for(tiny: Model) -> None:
    cache = nan_cache(tiny)
    cache.create("a")
    cache.reserve("a", 4)
    assert run_ragged(tiny.decoder, cache, ["a"], [[5, 6, 7]], []).shape == (0, 259)
    assert cache.lengths["a"] == 3


def test_rows_that_cannot_be(tiny: Model) -> None:
    cache = nan_cache(tiny)
    cache.create("a")
    cache.reserve("a", 6)
    run_ragged(tiny.decoder, cache, ["a"], [[5, 6, 7, 8, 9, 10]], [])
    cache.reserve("a", 2)
    cache.fork("a", "b")
    before = snapshot(cache)
    wrong: list[tuple[list[str], list[int], type[Exception]]] = [
        ([], [], BadBatch),
        (["a", "a"], [1, 1], BadBatch),
        (["a"], [0], BadBatch),
        (["a"], [3], PositionNotReserved),
        (["z"], [1], UnknownSequence),
        (["a"], [1], BlockShared),  # reserved before the fork
    ]
    for seqs, counts, error in wrong:
        with pytest.raises(error):
            RaggedStep(cache, seqs, counts)
        assert snapshot(cache) == before


@pytest.mark.parametrize("at", ["layer", "logits"])
def test_a_model_that_fails_has_grown_no_sequence(tiny: Model, at: str, monkeypatch) -> None:
    cache = nan_cache(tiny)
    for name in "ab":
        cache.create(name)
        cache.reserve(name, 5)
    part = tiny.decoder.layers[-1].mlp if at == "layer" else tiny.decoder.lm_head

    def fail(*args: object) -> None:
        raise RuntimeError("no memory for activations")

    monkeypatch.setattr(part, "forward", fail)
    with pytest.raises(RuntimeError, match="activations"):
        run_ragged(tiny.decoder, cache, ["a", "b"], [[5, 6, 7], [8]], [0, 1])
    assert cache.lengths == {"a": 0, "b": 0}
    monkeypatch.undo()
    run_ragged(tiny.decoder, cache, ["a", "b"], [[5, 6, 7], [8]], [0, 1])
    assert cache.lengths == {"a": 3, "b": 1}

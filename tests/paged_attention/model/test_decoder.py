"""The decoder's logits are transformers' logits, whichever cache holds the history."""

import itertools
import random
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
import torch
from torch import Tensor

from paged_attention.attention import as_attending
from paged_attention.cache import PagedKVCache
from paged_attention.contiguous import ContiguousKVCache
from paged_attention.model.checkpoint import load_decoder
from paged_attention.model.config import Llama3Scaling, ModelConfig
from paged_attention.model.decoder import Decoder, rope_frequencies

BLOCK = 4
VARIANTS = [
    "llama",
    "llama-tied",
    "llama-wide-heads",
    "llama-llama3-rope",
    "llama-biases",
    "qwen3",
    "qwen3-tied",
    "qwen3-one-kv-head",
]
LENGTHS = [1, BLOCK - 1, BLOCK, BLOCK + 1, 300]


class ListCache:
    """The simplest cache there is: one sequence, a growing tensor a layer, only ``update``."""

    def __init__(self) -> None:
        self.history: dict[int, tuple[Tensor, Tensor]] = {}

    def update(
        self, layer: int, k: Tensor, v: Tensor, positions: Tensor
    ) -> tuple[Tensor, Tensor, Tensor]:
        if layer in self.history:
            old_k, old_v = self.history[layer]
            k, v = torch.cat([old_k, k], dim=2), torch.cat([old_v, v], dim=2)
        self.history[layer] = k, v
        return k, v, torch.arange(k.shape[2])


def paged(decoder: Decoder, num_blocks: int = 400, seed: int = 0) -> PagedKVCache:
    """A cache whose pools are full of NaN and whose free blocks are in no order."""
    config = decoder.config
    cache = PagedKVCache(
        config.layers, num_blocks, BLOCK, config.kv_heads, config.head_dim, dtype=decoder.dtype
    )
    for layer in range(config.layers):
        cache.k_pool[layer].fill_(torch.nan)
        cache.v_pool[layer].fill_(torch.nan)
    blocks = cache.allocator.allocate_many(num_blocks)
    random.Random(seed).shuffle(blocks)
    for block in blocks:
        cache.allocator.release(block)
    return cache


def contiguous(decoder: Decoder, num_slots: int = 1600) -> ContiguousKVCache:
    """A cache of runs whose slots are full of NaN."""
    config = decoder.config
    cache = ContiguousKVCache(
        config.layers, num_slots, config.kv_heads, config.head_dim, dtype=decoder.dtype
    )
    cache.k_pool.fill_(torch.nan)
    cache.v_pool.fill_(torch.nan)
    return cache


def texts(lengths: Sequence[int], vocab: int, seed: int = 1) -> list[list[int]]:
    source = random.Random(seed)
    return [[source.randrange(vocab) for _ in range(length)] for length in lengths]


@torch.no_grad()
def expected(oracle: Any, text: Sequence[int]) -> Tensor:
    """The oracle's logits [T, vocab], without any cache."""
    logits: Tensor = oracle(torch.tensor([text])).logits[0]
    return logits


def prefill_then_decode(
    decoder: Decoder, cache: Any, rows: Sequence[Sequence[int]], steps: int
) -> list[Tensor]:
    """Logits of each text: all but ``steps`` tokens alone at first, then one a step together."""
    logits: list[list[Tensor]] = []
    for seq, row in enumerate(rows):
        head = row[: len(row) - steps]
        if isinstance(cache, PagedKVCache):
            cache.create(seq)
        else:
            cache.create(seq, len(row))
        cache.reserve(seq, len(head))
        cache.set_batch([seq])
        logits.append([decoder(torch.tensor([head]), torch.arange(len(head)), cache)[0]])
    for step in range(steps, 0, -1):
        for seq in range(len(rows)):
            cache.reserve(seq, 1)
        cache.set_batch(list(range(len(rows))))
        tokens = torch.tensor([[row[-step]] for row in rows])
        positions = torch.tensor([[len(row) - step] for row in rows])
        for seq, out in enumerate(decoder(tokens, positions, cache)):
            logits[seq].append(out)
    return [torch.cat(parts) for parts in logits]


@pytest.mark.parametrize("oracle", VARIANTS, indirect=True)
@pytest.mark.parametrize("length", LENGTHS)
def test_logits_equal_transformers_alone_in_either_cache(
    oracle: tuple[Any, Path], length: int
) -> None:
    model, folder = oracle
    decoder = load_decoder(folder)
    rows = texts([length + 3], decoder.config.vocab_size)
    right = expected(model, rows[0])
    for cache in (paged(decoder), contiguous(decoder)):
        (logits,) = prefill_then_decode(decoder, cache, rows, steps=3)
        torch.testing.assert_close(logits, right, atol=2e-4, rtol=1e-4)
        assert cache.lengths[0] == length + 3


@pytest.mark.parametrize("oracle", VARIANTS, indirect=True)
def test_a_ragged_batch_decodes_as_each_of_its_rows_would_alone(oracle: tuple[Any, Path]) -> None:
    model, folder = oracle
    decoder = load_decoder(folder)
    rows = texts([length + 6 for length in LENGTHS], decoder.config.vocab_size)
    for cache in (paged(decoder), contiguous(decoder)):
        for row, logits in zip(rows, prefill_then_decode(decoder, cache, rows, 6), strict=True):
            torch.testing.assert_close(logits, expected(model, row), atol=2e-4, rtol=1e-4)
    paged_cache = paged(decoder)
    prefill_then_decode(decoder, paged_cache, rows, steps=6)
    paged_cache.check_invariants()


@pytest.mark.parametrize("oracle", ["llama", "qwen3"], indirect=True)
def test_a_ragged_prefill_repeats_the_last_token_at_its_own_position(
    oracle: tuple[Any, Path],
) -> None:
    model, folder = oracle
    decoder = load_decoder(folder)
    rows = texts([1, 3, 4, 5, 37], decoder.config.vocab_size)
    width = max(map(len, rows))
    tokens = torch.tensor([row + [row[-1]] * (width - len(row)) for row in rows])
    places = torch.tensor(
        [list(range(len(row))) + [len(row) - 1] * (width - len(row)) for row in rows]
    )
    for cache in (paged(decoder), contiguous(decoder)):
        for seq, row in enumerate(rows):
            if isinstance(cache, PagedKVCache):
                cache.create(seq)
            else:
                cache.create(seq, len(row))
            cache.reserve(seq, len(row))
        cache.set_batch(list(range(len(rows))))
        last = decoder.next_logits(tokens, places, cache)
        for seq, row in enumerate(rows):
            right = expected(model, row)[-1]
            torch.testing.assert_close(last[seq], right, atol=2e-4, rtol=1e-4)
            assert cache.lengths[seq] == len(row)


@pytest.mark.parametrize("oracle", ["llama-tied", "qwen3"], indirect=True)
def test_a_cache_with_only_update_serves_through_as_attending(oracle: tuple[Any, Path]) -> None:
    model, folder = oracle
    decoder = load_decoder(folder)
    (row,) = texts([9], decoder.config.vocab_size)
    cache = as_attending(ListCache())
    parts = [
        decoder(torch.tensor([row[start:end]]), torch.arange(start, end), cache)[0]
        for start, end in itertools.pairwise([0, 6, 7, 9])
    ]
    torch.testing.assert_close(torch.cat(parts), expected(model, row), atol=2e-4, rtol=1e-4)


@pytest.mark.parametrize("oracle", ["llama-llama3-rope", "qwen3-tied"], indirect=True)
def test_in_bfloat16_both_caches_err_no_more_than_transformers_does(
    oracle: tuple[Any, Path],
) -> None:
    model, folder = oracle
    rows = texts([length + 3 for length in LENGTHS], model.config.vocab_size)
    right = [expected(model, row) for row in rows]
    half = type(model).from_pretrained(folder, dtype=torch.bfloat16).eval()
    theirs = max(
        float((expected(half, row).float() - exact).norm() / exact.norm())
        for row, exact in zip(rows, right, strict=True)
    )
    decoder = load_decoder(folder, torch.bfloat16)
    for cache in (paged(decoder), contiguous(decoder)):
        for logits, exact in zip(prefill_then_decode(decoder, cache, rows, 3), right, strict=True):
            assert logits.dtype == torch.bfloat16
            assert float((logits.float() - exact).norm() / exact.norm()) < 1.5 * theirs + 0.01


def test_next_logits_are_the_last_of_forward(oracle_folder: Any) -> None:
    decoder = load_decoder(oracle_folder("llama")[1])
    tokens, places = torch.tensor(texts([7], 211)), torch.arange(7)
    whole = decoder(tokens, places, as_attending(ListCache()))
    last = decoder.next_logits(tokens, places, as_attending(ListCache()))
    torch.testing.assert_close(last, whole[:, -1])


def test_casting_a_decoder_leaves_its_rotary_angles_exact() -> None:
    config = ModelConfig(32, 16, 16, 1, 2, 1, 8, max_positions=64)
    decoder = Decoder(config).to(torch.bfloat16)
    assert decoder.frequencies.dtype == torch.float32
    assert torch.equal(decoder.frequencies, rope_frequencies(config))


def test_llama3_scaling_slows_only_the_slow_pairs() -> None:
    plain = ModelConfig(32, 16, 16, 1, 2, 1, 64, max_positions=64)
    scaling = Llama3Scaling(8.0, 1.0, 4.0, 128)
    scaled = ModelConfig(32, 16, 16, 1, 2, 1, 64, max_positions=64, rope_scaling=scaling)
    before, after = rope_frequencies(plain), rope_frequencies(scaled)
    assert torch.equal(after[0], before[0])  # turns every 6 tokens
    torch.testing.assert_close(after[-1], before[-1] / 8)  # would turn once in 45,000 tokens
    assert bool((after <= before).all())
    assert bool((after.diff() <= 0).all())

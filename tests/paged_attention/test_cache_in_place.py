"""Attention in place and by gather: the same cache, the same logits, the same tokens."""

import random
import subprocess
import sys
from typing import Any

import pytest
import torch
from helpers.kv import paged, random_kv, scramble
from torch import Tensor

from paged_attention.batch_tables import BatchTables
from paged_attention.cache import PagedKVCache
from paged_attention.contiguous import ContiguousKVCache
from paged_attention.errors import BadTensor
from paged_attention.generate import generate, run
from paged_attention.kernels import (
    cpu,
    gather,
    paged_decode_attention,
    paged_prefill_attention,
)
from paged_attention.kernels.inputs import checked
from paged_attention.model import Model, load_model, smollm2, tiny_model

GATHERING: dict[str, Any] = {"decode": None, "prefill": None}
PROMPTS = ["Once", "a", "The capital of France is", "0123456789abcdef!"]


@pytest.fixture(scope="module", params=["tiny", "SmolLM2"])
def model(request: pytest.FixtureRequest) -> Model:
    if request.param == "SmolLM2" and smollm2.ready_folder() is None:
        pytest.skip("SmolLM2 is not on this machine: make model")
    return tiny_model() if request.param == "tiny" else load_model()


def cache_for(model: Model, **how: Any) -> PagedKVCache:
    config = model.config
    cache = PagedKVCache(config.layers, 24, 4, config.kv_heads, config.head_dim, **how)
    cache.k_pool.fill_(torch.nan)
    cache.v_pool.fill_(torch.nan)
    scramble(cache)
    return cache


def test_logits_are_the_same_step_for_step(model: Model) -> None:
    torch.manual_seed(0)
    in_place, gathered = cache_for(model), cache_for(model, **GATHERING)
    lengths = [3, 4, 9]
    for seq, length in enumerate(lengths):
        tokens = torch.randint(0, 200, (length,)).tolist()
        for cache in (in_place, gathered):
            cache.create(seq)
            run(model.decoder, cache, [seq], [tokens], [0])
    for step in range(3 if model.name == smollm2.NAME else 6):
        seqs = [0, 1, 2] if step % 2 else [2, 0]  # rows change places and come and go
        tokens = torch.randint(0, 200, (len(seqs), 1)).tolist()
        starts = [in_place.lengths[seq] for seq in seqs]
        new = run(model.decoder, in_place, seqs, tokens, starts)
        right = run(model.decoder, gathered, seqs, tokens, starts)
        torch.testing.assert_close(new, right, atol=2e-4, rtol=2e-4)
        assert in_place.tables == gathered.tables
        assert in_place.lengths == gathered.lengths
    in_place.check_invariants()


def test_tokens_are_the_same_in_every_cache(model: Model) -> None:
    texts = PROMPTS[2:3] if model.name == smollm2.NAME else PROMPTS
    prompts = [model.tokenizer.encode(text) for text in texts]
    config = model.config
    contiguous = ContiguousKVCache(config.layers, 200, config.kv_heads, config.head_dim)
    right = generate(model.decoder, contiguous, prompts, 5)
    for cache in (cache_for(model), cache_for(model, **GATHERING)):
        assert generate(model.decoder, cache, prompts, 5) == right
        assert cache.allocator.num_free == 24


def step(cache: PagedKVCache, seqs: list[Any], q: Tensor, kv: list[tuple[Tensor, Tensor]]) -> Any:
    for seq in seqs:
        cache.reserve(seq, q.shape[2])
    cache.set_batch(seqs)
    starts = torch.tensor([cache.lengths[seq] for seq in seqs])[:, None]
    positions = starts + torch.arange(q.shape[2])
    return [cache.attend(layer, q, k, v, positions) for layer, (k, v) in enumerate(kv)]


def test_forks_truncations_and_mixed_steps() -> None:
    """Random work on twin caches, one in place, one by gather."""
    rng = random.Random(0)
    torch.manual_seed(0)
    twins = [PagedKVCache(2, 64, 4, 2, 3), PagedKVCache(2, 64, 4, 2, 3, **GATHERING)]
    for cache in twins:
        cache.k_pool.fill_(torch.nan)
        cache.v_pool.fill_(torch.nan)
        scramble(cache)
        cache.create(0)
    alive, name = [0], 0
    for _ in range(60):
        seq = rng.choice(alive)
        action = rng.choice(["fork", "truncate", "free", "step", "step", "step"])
        if action == "fork" and len(alive) < 6:
            name += 1
            for cache in twins:
                cache.fork(seq, name)
            alive.append(name)
        elif action == "truncate":
            length = rng.randrange(twins[0].lengths[seq] + 1)
            for cache in twins:
                cache.truncate(seq, length)
        elif action == "free" and len(alive) > 1:
            for cache in twins:
                cache.free(seq)
            alive.remove(seq)
        else:
            seqs, tokens = rng.sample(alive, rng.randint(1, len(alive))), rng.choice([1, 1, 1, 3])
            q = torch.randn(len(seqs), 4, tokens, 3)
            kv = [random_kv(len(seqs), tokens, twins[0]) for _ in range(2)]
            outs = [step(cache, seqs, q, kv) for cache in twins]
            torch.testing.assert_close(*outs, atol=1e-5, rtol=1e-5)
            assert all(out.isfinite().all() for out in outs[0])
        twins[0].check_invariants()
        assert twins[0].tables == twins[1].tables


def test_a_query_in_the_past_sees_its_past_only() -> None:
    """Writing position 3 again, of 10: the query there must not see 4 to 9."""
    cache = paged(layers=1)
    cache.create("a")
    cache.reserve("a", 10)
    cache.set_batch(["a"])
    k, v = random_kv(1, 10, cache)
    cache.update(0, k, v, torch.arange(10))
    q = torch.randn(1, 2, 1, 3)
    again = cache.attend(0, q, k[:, :, 3:4], v[:, :, 3:4], torch.tensor([3]))
    right = torch.nn.functional.scaled_dot_product_attention(q, k[:, :, :4], v[:, :, :4])
    torch.testing.assert_close(again, right)
    assert cache.lengths["a"] == 10


def test_tokens_before_the_last_ones(monkeypatch: pytest.MonkeyPatch) -> None:
    """Writing positions 3 to 5 again, of 10; and the last ones backwards, which are gathered."""
    gathered: list[int] = []
    gather = BatchTables.gather
    monkeypatch.setattr(BatchTables, "gather", lambda *args: gathered.append(1) or gather(*args))
    cache = paged(layers=1)
    cache.create("a")
    cache.reserve("a", 10)
    cache.set_batch(["a"])
    k, v = random_kv(1, 10, cache)
    cache.update(0, k, v, torch.arange(10))
    for where in (torch.tensor([3, 4, 5]), torch.tensor([9, 8, 7])):
        q = torch.randn(1, 4, 3, 3)
        gathered.clear()
        out = cache.attend(0, q, k[:, :, where], v[:, :, where], where)
        seen = torch.arange(10) <= where[:, None]
        right = torch.nn.functional.scaled_dot_product_attention(
            q, k, v, attn_mask=seen, enable_gqa=True
        )
        torch.testing.assert_close(out, right)
        assert len(gathered) == (2 if where[0] > where[1] else 0)  # keys and values
    assert cache.lengths["a"] == 10


def test_rows_filled_up_with_their_last_token(monkeypatch: pytest.MonkeyPatch) -> None:
    """They are asked once and answered everywhere, in place, as the row alone would be."""
    torch.manual_seed(0)
    real = torch.tensor([5, 2, 1, 4])
    index = torch.arange(5).minimum(real[:, None] - 1)  # [B, T]
    caches = [
        PagedKVCache(1, 40, 4, 2, 3),
        PagedKVCache(1, 40, 4, 2, 3, **GATHERING),
    ]
    outs = []
    q, k, v = (torch.randn(4, heads, 5, 3) for heads in (4, 2, 2))
    q, k, v = (x.gather(2, index[:, None, :, None].expand_as(x)) for x in (q, k, v))
    known = [random_kv(1, length, caches[0]) for length in (9, 3, 4, 0)]
    for cache in caches:
        cache.k_pool.fill_(torch.nan)
        cache.v_pool.fill_(torch.nan)
        for seq, kv in enumerate(known):
            cache.create(seq)
            if kv[0].shape[2]:
                step(cache, [seq], torch.randn(1, 4, kv[0].shape[2], 3), [kv])
            cache.reserve(seq, int(real[seq]))
        if cache.prefill is not None:
            monkeypatch.setattr(BatchTables, "gather", lambda *_: pytest.fail("gathered"))
        cache.set_batch(range(4))
        outs.append(cache.attend(0, q, k, v, torch.tensor([[9], [3], [4], [0]]) + index))
        monkeypatch.undo()
        assert list(cache.lengths.values()) == [14, 5, 5, 4]
    torch.testing.assert_close(*outs, atol=1e-5, rtol=1e-5)
    assert outs[0].isfinite().all()


def test_no_step_of_new_tokens_gathers(monkeypatch: pytest.MonkeyPatch) -> None:
    """Prompt, prefix hit, chunk, one token, and many rows at once."""
    monkeypatch.setattr(BatchTables, "gather", lambda *_: pytest.fail("gathered"))
    cache = paged(layers=1, num_blocks=40)
    cache.create("a")
    for tokens in (9, 1, 4, 3, 1):
        step(cache, ["a"], torch.randn(1, 4, tokens, 3), [random_kv(1, tokens, cache)])
    cache.fork("a", "b")
    cache.create("c")
    for tokens in (2, 5, 1):
        k, v = random_kv(3, tokens, cache)
        (out,) = step(cache, ["a", "b", "c"], torch.randn(3, 4, tokens, 3), [(k, v)])
        assert out.isfinite().all()
    assert cache.lengths == {"a": 26, "b": 26, "c": 8}


@pytest.mark.parametrize("chunk", [1, 2, 7, 16, 100])
def test_chunks_of_any_size_attend_alike(chunk: int) -> None:
    """A key is met in the same order whatever the chunk, so answers agree to the last digit; one
    token alone takes decode's kernel, whose sums have another order.
    """
    torch.manual_seed(0)
    q = torch.randn(1, 4, 150, 16)
    k, v = (torch.randn(1, 2, 150, 16) for _ in "kv")
    outs = {}
    for size in (150, chunk):
        cache = PagedKVCache(1, 40, 4, 2, 16)
        cache.create("a")
        parts = []
        for begin in range(0, 150, size):
            new = slice(begin, min(begin + size, 150))
            parts += step(cache, ["a"], q[:, :, new], [(k[:, :, new], v[:, :, new])])
        outs[size] = torch.cat(parts, dim=2)
    if chunk > 1 and cpu.find_compiler() is not None:
        assert torch.equal(outs[chunk], outs[150])
    torch.testing.assert_close(outs[chunk], outs[150], atol=1e-6, rtol=1e-5)


def test_the_kernels_are_chosen_when_the_cache_is_made() -> None:
    calls = []

    def prefill(q: Tensor, k_pool: Tensor, v_pool: Tensor, tables: Tensor, *rest: Any) -> Tensor:
        lengths, starts, _ = rest
        calls.append((tuple(q.shape), lengths.tolist(), starts.tolist()))
        return paged_prefill_attention(q, k_pool, v_pool, tables, *rest)

    def decode(q: Tensor, k_pool: Tensor, v_pool: Tensor, tables: Tensor, *rest: Any) -> Tensor:
        calls.append((tuple(q.shape), tuple(k_pool.shape), tuple(tables.shape)))
        return paged_decode_attention(q, k_pool, v_pool, tables, *rest)

    cache = PagedKVCache(1, 8, 4, 2, 3, decode=decode, prefill=prefill)
    cache.create("a")
    for tokens in (5, 1):
        k, v = random_kv(1, tokens, cache)
        step(cache, ["a"], torch.randn(1, 4, tokens, 3), [(k, v)])
    assert calls == [((5, 4, 3), [5], [0, 5]), ((1, 4, 3), (8, 2, 4, 3), (1, 2))]


def test_bad_queries_are_refused() -> None:
    cache = paged(layers=1)
    cache.create("a")
    with pytest.raises(BadTensor, match="3 query heads can't share 2 KV heads"):
        step(cache, ["a"], torch.randn(1, 3, 1, 3), [random_kv(1, 1, cache)])
    assert cache.lengths["a"] == 0


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16])
def test_half_precision_caches(dtype: torch.dtype) -> None:
    cache = PagedKVCache(1, 8, 4, 2, 16, dtype=dtype)
    cache.create("a")
    for tokens in (6, 1):
        k, v = (torch.randn(1, 2, tokens, 16, dtype=dtype) for _ in "kv")
        q = torch.randn(1, 4, tokens, 16, dtype=dtype)
        (out,) = step(cache, ["a"], q, [(k, v)])
    tables = torch.tensor([cache.tables["a"]])
    pools = cache.k_pool[0], cache.v_pool[0]
    right = gather.decode(checked(q[:, :, 0], *pools, tables, torch.tensor([7]), 4))
    assert out.dtype == dtype
    torch.testing.assert_close(out[:, :, 0], right, atol=2e-2, rtol=2e-2)


WITHOUT_TRITON = """
import sys
sys.modules["triton"] = None  # what an import finds where it isn't installed
import torch
import paged_attention
from paged_attention import kernels
from workbook.checks import check, exercises
from paged_attention.generate import generate
from paged_attention.kernels import twin, reference
from paged_attention.model import tiny_model
from helpers.decode import WITHOUT_TRITON, decode_step

assert not kernels.triton_is_here()
assert exercises()
step = decode_step([0, 5, 40])
for name, kernel in WITHOUT_TRITON.items():
    assert (kernel(step) - reference.decode(step)).abs().max() < 1e-5, name
model = tiny_model()
cache = paged_attention.PagedKVCache(4, 16, 4, 2, 16)
assert generate(model.decoder, cache, [[1, 2, 3]], 4) == generate(
    model.decoder, paged_attention.PagedKVCache(4, 16, 4, 2, 16, decode=None, prefill=None),
    [[1, 2, 3]],
    4,
)
assert not [name for name in sys.modules if name.startswith("triton.")]
"""


def test_without_triton_everything_else_works() -> None:
    done = subprocess.run(
        [sys.executable, "-c", WITHOUT_TRITON],
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
        env={"PYTHONPATH": "tests", "PATH": "/usr/bin:/bin"},
    )
    assert done.returncode == 0, done.stderr

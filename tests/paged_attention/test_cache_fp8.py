"""A cache in fp8: a quarter of float32's bytes, rounded once, one answer from every way to read."""

from typing import Any

import pytest
import torch
from torch import Tensor

from paged_attention.cache import PagedKVCache
from paged_attention.contiguous import ContiguousKVCache
from paged_attention.errors import BadTensor
from paged_attention.generate import generate, run
from paged_attention.kernels.inputs import FP8_TYPES
from paged_attention.model import tiny_model
from paged_attention.prefix import PrefixCache

GATHERED = {"decode": None, "prefill": None}
RELATIVE = {torch.float8_e4m3fn: 2**-4, torch.float8_e5m2: 2**-3}  # half of the last digit


@pytest.fixture(scope="module")
def model() -> Any:
    torch.set_num_threads(1)
    return tiny_model()


def cache_for(model: Any, dtype: torch.dtype, **options: Any) -> PagedKVCache:
    sizes = model.config
    return PagedKVCache(sizes.layers, 40, 4, sizes.kv_heads, sizes.head_dim, dtype=dtype, **options)


def written(cache: PagedKVCache, k: Tensor, v: Tensor) -> tuple[Tensor, Tensor]:
    cache.create("a")
    cache.reserve("a", k.shape[2])
    cache.set_batch(["a"])
    keys, values, _ = cache.update(0, k, v, torch.arange(k.shape[2]))
    return keys, values


@pytest.mark.parametrize("dtype", FP8_TYPES)
@pytest.mark.parametrize("given", [torch.float32, torch.float16, torch.bfloat16])
def test_what_is_read_is_what_was_written_rounded(dtype: torch.dtype, given: torch.dtype) -> None:
    cache = PagedKVCache(1, 8, 4, 2, 16, dtype=dtype, k_scale=0.25, v_scale=4.0)
    k, v = torch.randn(1, 2, 9, 16).to(given), 50 * torch.randn(1, 2, 9, 16).to(given)
    keys, values = written(cache, k, v)
    assert keys.dtype == values.dtype == given
    for got, right, scale in ((keys, k, 0.25), (values, v, 4.0)):
        nearest = (right.float() / scale).to(dtype).float() * scale
        assert torch.equal(got.float(), nearest.to(given).float())
        small = right.float().abs() > scale * 2.0**-6  # below lie numbers with fewer digits
        off = (got.float() - right.float()).abs() / right.float().abs()
        assert off[small].max() <= RELATIVE[dtype] * 1.01


@pytest.mark.parametrize("dtype", FP8_TYPES)
def test_what_is_too_large_becomes_the_largest(dtype: torch.dtype) -> None:
    cache = PagedKVCache(1, 2, 4, 1, 2, dtype=dtype, k_scale=2.0)
    k = torch.tensor([1e9, -torch.inf]).expand(1, 1, 1, 2)
    keys, values = written(cache, k, torch.full((1, 1, 1, 2), torch.nan))
    assert keys.flatten().tolist() == [2 * torch.finfo(dtype).max, -2 * torch.finfo(dtype).max]
    assert values.isnan().all()


@pytest.mark.parametrize("dtype", FP8_TYPES)
@pytest.mark.parametrize("scales", [{}, {"k_scale": 0.02, "v_scale": 0.01}], ids=str)
def test_kernels_and_gather_give_one_answer(
    model: Any, dtype: torch.dtype, scales: dict[str, float]
) -> None:
    caches = [cache_for(model, dtype, **scales), cache_for(model, dtype, **scales, **GATHERED)]
    logits = []
    for cache in caches:
        for seq in "ab":
            cache.create(seq)
        run(model.decoder, cache, ["a", "b"], [list(range(5, 14)), list(range(20, 29))], [0, 0])
        logits.append(run(model.decoder, cache, ["a", "b"], [[3], [4]], [9, 9]))
    torch.testing.assert_close(logits[0], logits[1], atol=1e-4, rtol=1e-4)


def test_logits_stay_near_those_of_float32(model: Any) -> None:
    logits = []
    for dtype, scales in (
        (torch.float32, {}),
        (torch.float8_e4m3fn, {"k_scale": 0.02, "v_scale": 0.01}),
    ):
        cache = cache_for(model, dtype, **scales)
        cache.create("a")
        logits.append(run(model.decoder, cache, ["a"], [list(range(5, 25))], [0]))
    off = (logits[0] - logits[1]).norm() / logits[0].norm()
    assert 0 < off < 0.1


@pytest.mark.parametrize("dtype", FP8_TYPES)
def test_forks_prefixes_and_ragged_rows(model: Any, dtype: torch.dtype) -> None:
    prompts = [[5, 6, 7, 8, 9, 10], [11, 12], [5, 6, 7, 8, 30]]
    plain, gathered = cache_for(model, dtype), cache_for(model, dtype, **GATHERED)
    for cache in (plain, gathered):
        cache.check_invariants()
    out = [generate(model.decoder, cache, prompts, 6, samples=2) for cache in (plain, gathered)]
    assert out[0] == out[1]
    prefix = PrefixCache(cache_for(model, dtype))
    twice = [generate(model.decoder, prefix.cache, prompts, 6) for _ in "ab"]
    assert twice[0] == twice[1]


def test_a_number_takes_one_byte() -> None:
    wide, small = (
        PagedKVCache(2, 8, 4, 1, 8, dtype=dtype) for dtype in (torch.float32, FP8_TYPES[0])
    )
    assert small.k_pool.nbytes * 4 == wide.k_pool.nbytes


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"k_scale": 2.0}, "k_scale is 2.0, but torch.float32 holds numbers as they are"),
        ({"dtype": FP8_TYPES[0], "v_scale": 0.0}, "v_scale is 0.0; it must be finite and above 0"),
        ({"dtype": FP8_TYPES[0], "k_scale": -1.0}, "k_scale is -1.0"),
        ({"dtype": FP8_TYPES[0], "k_scale": float("nan")}, "k_scale is nan"),
        ({"dtype": FP8_TYPES[0], "v_scale": float("inf")}, "v_scale is inf"),
        ({"dtype": torch.int8}, "can't be stored as torch.int8; choose one of float32"),
        ({"dtype": torch.float8_e4m3fnuz}, "can't be stored as torch.float8_e4m3fnuz"),
    ],
    ids=str,
)
def test_types_and_scales_that_can_not_be(options: dict[str, Any], said: str) -> None:
    with pytest.raises(ValueError) as caught:  # noqa: PT011 (the message is compared below)
        PagedKVCache(1, 2, 4, 1, 2, **options)
    assert said in str(caught.value)


def test_a_contiguous_cache_says_that_it_has_no_scales() -> None:
    with pytest.raises(ValueError, match="use PagedKVCache"):
        ContiguousKVCache(1, 8, 1, 2, dtype=FP8_TYPES[0])


def test_fp8_numbers_themselves_are_refused() -> None:
    """Whether a scale was taken out of them nobody could know."""
    cache = PagedKVCache(1, 2, 4, 1, 2, dtype=FP8_TYPES[0])
    with pytest.raises(BadTensor, match=r"k is torch\.float8_e4m3fn"):
        written(cache, *torch.zeros(2, 1, 1, 1, 2).to(FP8_TYPES[0]))

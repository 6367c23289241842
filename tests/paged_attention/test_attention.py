"""Attention over a history: causal by position, grouped heads, update-only caches."""

import math

import pytest
import torch
from helpers.kv import paged, random_kv

from paged_attention.attention import as_attending, attend


def naive(
    q: torch.Tensor, k: torch.Tensor, v: torch.Tensor, positions: torch.Tensor
) -> torch.Tensor:
    """One query, one head, one sequence at a time, in float64."""
    out = torch.zeros_like(q)
    group = q.shape[1] // k.shape[1]
    for b, h, t in torch.cartesian_prod(*map(torch.arange, q.shape[:3])).tolist():
        seen = int(positions[b, t]) + 1
        kh, vh = k[b, h // group, :seen].double(), v[b, h // group, :seen].double()
        weights = (kh @ q[b, h, t].double() / math.sqrt(q.shape[-1])).softmax(0)
        out[b, h, t] = weights @ vh
    return out


@pytest.mark.parametrize(("heads", "kv_heads"), [(2, 2), (6, 2), (4, 1)])
def test_a_query_sees_its_past_and_itself(heads: int, kv_heads: int) -> None:
    torch.manual_seed(0)
    q = torch.randn(2, heads, 3, 8)
    k, v = torch.randn(2, kv_heads, 9, 8), torch.randn(2, kv_heads, 9, 8)
    positions = torch.tensor([[6, 7, 8], [1, 2, 3]])
    got = attend(q, k, v, positions, torch.arange(9))
    torch.testing.assert_close(got, naive(q, k, v, positions))
    shared = attend(q, k, v, positions[0], torch.arange(9))
    torch.testing.assert_close(shared, naive(q, k, v, positions[:1].expand(2, 3)))


def test_a_cache_with_update_only_can_attend() -> None:
    class UpdateOnly:
        def __init__(self) -> None:
            self.inner = paged()

        def update(self, *args: object) -> object:
            return self.inner.update(*args)  # type: ignore[arg-type]

    theirs, ours = UpdateOnly(), paged()
    q = torch.randn(1, 4, 5, 3)
    k, v = random_kv(1, 5, ours)
    out = []
    for cache, inner in ((as_attending(theirs), theirs.inner), (as_attending(ours), ours)):
        inner.create("a")
        inner.reserve("a", 5)
        inner.set_batch(["a"])
        out.append(cache.attend(0, q, k, v, torch.arange(5)))
    assert as_attending(ours) is ours
    torch.testing.assert_close(*out)

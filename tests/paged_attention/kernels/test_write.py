"""New tokens to their slots: what the compiled loop writes is what an index would have written."""

import pytest
import torch
from helpers.decode import far_pool
from hypothesis import given, settings
from hypothesis import strategies as st
from torch import Tensor

from paged_attention.kernels import write as module
from paged_attention.kernels.write import library, write

TYPES = [torch.float32, torch.float64, torch.bfloat16, torch.float16, torch.float8_e4m3fn]
needs_kernel = pytest.mark.skipif(library() is None, reason="no C++ compiler here")


def bits(x: Tensor) -> Tensor:
    """Bytes, for NaN is not itself and fp8 can't be compared."""
    return x.contiguous().view(torch.uint8)


@needs_kernel
@settings(max_examples=40)
@given(
    rows=st.integers(1, 3),
    tokens=st.integers(1, 5),
    heads=st.integers(1, 3),
    head_dim=st.integers(1, 9),
    dtype=st.sampled_from(TYPES),
    turned=st.booleans(),
    seed=st.integers(0, 99),
)
def test_it_writes_as_an_index_does(
    rows: int, tokens: int, heads: int, head_dim: int, dtype: torch.dtype, turned: bool, seed: int
) -> None:
    draw = torch.Generator().manual_seed(seed)
    new = torch.randn(rows, tokens, heads, head_dim, generator=draw).to(dtype).transpose(1, 2)
    new = new if turned else new.contiguous()  # a model's keys lie token by token
    pool = torch.zeros(8, 2, heads, 4, head_dim).to(dtype)[:, 1]  # one layer of several: gaps
    places = torch.randperm(32, generator=draw)[: rows * tokens].view(rows, tokens)
    right = pool.clone()
    right.view(torch.uint8 if new.element_size() == 1 else dtype)[places // 4, :, places % 4] = (
        new.transpose(1, 2).view(torch.uint8 if new.element_size() == 1 else dtype)
    )
    write(pool, new, places // 4, places % 4)
    assert torch.equal(bits(pool), bits(right))


@needs_kernel
def test_the_last_token_for_a_slot_stays() -> None:
    pool, new = torch.zeros(1, 1, 2, 1), torch.tensor([1.0, 2.0, 3.0]).view(1, 1, 3, 1)
    write(pool, new, torch.zeros(1, 3, dtype=torch.int64), torch.tensor([[0, 1, 0]]))
    assert pool.flatten().tolist() == [3.0, 2.0]


@needs_kernel
@pytest.mark.parametrize(("block", "slot"), [(2, 0), (-3, 0), (0, 4), (0, -5)])
def test_a_place_outside_the_pool_is_refused(block: int, slot: int) -> None:
    pool = torch.zeros(2, 1, 4, 3)
    with pytest.raises(IndexError, match="blocks 0 to 1 of 4 slots"):
        write(pool, torch.ones(1, 1, 2, 3), torch.tensor([[0, block]]), torch.tensor([[1, slot]]))
    assert not pool.any()


def test_without_a_compiler_an_index_writes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "library", lambda: None)
    pool, new = torch.zeros(2, 1, 2, 3), torch.ones(1, 1, 1, 3)
    write(pool, new, torch.tensor([[1]]), torch.tensor([[0]]))
    assert pool[1, 0, 0].all()
    assert pool.sum() == 3


@needs_kernel
def test_it_writes_beyond_2_to_the_31_elements() -> None:
    """vllm-project/vllm#47671."""
    pool, (far, _) = far_pool()
    new = torch.randn(1, 1, 1, 64).half()
    write(pool, new, torch.tensor([[far]]), torch.tensor([[7]]))
    assert torch.equal(pool[far, 0, 7], new[0, 0, 0])

"""Every prefill kernel against float64: one answer, whatever is new and whatever is known.

Unwritten slots hold NaN, blocks lie in random order, and table entries past a row's end point
nowhere (see ``helpers.prefill``). Triton's kernel runs in the interpreter.
"""

import random
from collections.abc import Sequence
from itertools import pairwise

import pytest
import torch
from helpers.grid import thinned
from helpers.prefill import WITHOUT_TRITON, backwards, check, prefill_step, public, with_triton
from hypothesis import given, settings
from hypothesis import strategies as st

from paged_attention.kernels import prefill_gather
from paged_attention.kernels.inputs import FP8_TYPES

pytest.importorskip("triton")
KERNELS = WITHOUT_TRITON | with_triton() | {"paged_prefill_attention": public}
# A first prompt, a prefix hit, a chunk, one token, a fresh long one, no new token.
MIXED = [(5, 5), (40, 8), (33, 33), (17, 1), (70, 19), (9, 0)]


SHAPES = [  # heads, kv_heads, head_dim, block_size
    (2, 2, 48, 16),  # no groups
    (4, 2, 64, 24),
    (9, 3, 64, 16),  # SmolLM2
    (8, 2, 96, 48),
    (5, 1, 80, 24),  # vllm-project/vllm#18088: 16 rows hold 3 tokens of a group of 5
    (6, 1, 128, 1),
    (7, 1, 100, 16),
    (8, 1, 256, 16),
    (3, 1, 16, 256),
]


@pytest.mark.parametrize(("name", "shape"), thinned(list(KERNELS), SHAPES))
def test_shapes(name: str, shape: tuple[int, int, int, int]) -> None:
    heads, kv_heads, head_dim, block_size = shape
    step = prefill_step(
        MIXED, heads=heads, kv_heads=kv_heads, head_dim=head_dim, block_size=block_size
    )
    check(KERNELS[name], step)


@pytest.mark.parametrize(
    ("name", "dtype"), thinned(list(KERNELS), [torch.float16, torch.bfloat16, *FP8_TYPES])
)
def test_types(name: str, dtype: torch.dtype) -> None:
    check(KERNELS[name], prefill_step(MIXED, head_dim=64, block_size=16, dtype=dtype))


@pytest.mark.parametrize("name", KERNELS)
def test_mixed_types(name: str) -> None:
    step = prefill_step(MIXED)
    for query, pool in ((torch.float16, torch.float32), (torch.float32, torch.bfloat16)):
        check(
            KERNELS[name],
            step._replace(
                q=step.q.to(query),
                k_pool=step.k_pool.to(pool),
                v_pool=step.v_pool.to(pool),
                v_scale=3.0,
            ),
        )


def test_float64_keeps_its_digits() -> None:
    step = prefill_step(MIXED)
    step = step._replace(q=step.q.double(), k_pool=step.k_pool.double())
    step = step._replace(v_pool=step.v_pool.double())
    for kernel in (public, prefill_gather.prefill):
        check(kernel, step, tolerance=1e-13)


LONG = [((4099, 3),), ((2048, 1), (3, 3)), ((300, 300),)]


@pytest.mark.parametrize(("name", "rows"), thinned(list(KERNELS), LONG))
def test_long_histories_and_long_prompts(name: str, rows: Sequence[tuple[int, int]]) -> None:
    check(KERNELS[name], prefill_step(rows, heads=2, kv_heads=1, block_size=16))


@pytest.mark.parametrize("name", KERNELS)
def test_sequences_without_new_tokens_shift_nothing(name: str) -> None:
    check(KERNELS[name], prefill_step([(0, 0), (9, 3), (7, 0), (0, 0), (6, 6), (5, 0)]))


@pytest.mark.parametrize("name", [name for name in KERNELS if "riton" in name])
def test_programs_in_any_order(name: str) -> None:
    """A row past a tile's end that is stored is a race: run in order, the next tile repairs it."""
    step = prefill_step(MIXED, heads=4, kv_heads=2)
    assert torch.equal(KERNELS[name](step), backwards(step))
    check(backwards, step)


@pytest.mark.parametrize("name", KERNELS)
def test_large_scores(name: str) -> None:
    step = prefill_step([(9, 4), (30, 30)])
    step.q.mul_(1000)
    check(KERNELS[name], step, tolerance=5e-3)


@pytest.mark.parametrize(
    ("name", "where"),
    thinned(list(KERNELS), [range(64), range(32), range(20, 64), range(0, 64, 2)]),
)
def test_scores_of_minus_infinity(name: str, where: range) -> None:
    """A whole tile of them, and a query that sees nothing else: it gets zeros."""
    step = prefill_step([(64, 40), (3, 3)], heads=2, kv_heads=1)
    step.q.abs_().add_(0.1)
    for position in where:
        step.k_pool[step.block_tables[0, position // 4], :, position % 4] = -torch.inf
    check(KERNELS[name], step)


@pytest.mark.parametrize("name", KERNELS)
@pytest.mark.parametrize("pool", ["k_pool", "v_pool"])
def test_a_nan_that_was_written_reaches_those_who_see_it(name: str, pool: str) -> None:
    step = prefill_step([(70, 6), (9, 9)], heads=2, kv_heads=1)
    getattr(step, pool)[step.block_tables[0, 66 // 4], :, 66 % 4] = torch.nan  # the third new one
    out = KERNELS[name](step)
    assert out[2:6].isnan().all()
    assert out[6:].isfinite().all()


def test_the_c_kernel_looks_at_nothing_behind_a_token() -> None:
    step = prefill_step([(70, 6)], heads=2, kv_heads=1)
    step.v_pool[step.block_tables[0, 66 // 4], :, 66 % 4] = torch.nan
    assert KERNELS["cpu"](step)[:2].isfinite().all()


def test_one_row_without_new_tokens_at_all() -> None:
    assert public(prefill_step([(9, 0)])).shape == (0, 6, 16)
    step = prefill_step([(9, 0)])
    nobody = step._replace(block_tables=step.block_tables[:0], lengths=step.lengths[:0])
    assert public(nobody._replace(query_starts=step.query_starts[:1])).shape == (0, 6, 16)


def test_nothing_given_is_changed() -> None:
    step = prefill_step(MIXED)
    given_tensors = step[:6]
    copies = [x.numpy().tobytes() for x in given_tensors]
    for kernel in KERNELS.values():
        kernel(step)
    assert copies == [x.numpy().tobytes() for x in given_tensors]


@pytest.mark.parametrize("name", KERNELS)
def test_tables_and_queries_in_any_order_of_memory(name: str) -> None:
    step = prefill_step(MIXED, head_dim=8)
    both = torch.stack([step.k_pool, step.v_pool], dim=3).movedim(1, 0)  # [Hkv, blocks, BS, 2, D]
    k_pool, v_pool = (both[:, :, :, i].transpose(0, 1) for i in (0, 1))
    turned = step._replace(
        q=step.q.transpose(0, 1).contiguous().transpose(0, 1),
        k_pool=k_pool,
        v_pool=v_pool,
        block_tables=step.block_tables[:, :-1].int(),
        lengths=step.lengths.int(),
    )
    check(KERNELS[name], turned)
    check(KERNELS[name], step._replace(q=step.q.transpose(1, 2).contiguous().transpose(1, 2)))


@given(
    st.lists(st.tuples(st.integers(0, 90), st.integers(0, 70)), min_size=1, max_size=5),
    st.integers(1, 40),
    st.integers(0, 99),
)
@settings(max_examples=25)
def test_any_step(known_and_new: list[tuple[int, int]], block_size: int, seed: int) -> None:
    rows = [(known + new, new) for known, new in known_and_new]
    step = prefill_step(rows, heads=3, kv_heads=1, head_dim=8, block_size=block_size, seed=seed)
    for name in ("cpu", "gather", "twin", "paged_prefill_attention"):
        check(KERNELS[name], step)
    if sum(new for _, new in rows) and seed % 4 == 0:
        check(KERNELS["Triton"], step)


@pytest.mark.parametrize("name", ["cpu", "twin"])
@given(cuts=st.sets(st.integers(1, 149)), seed=st.integers(0, 99))
@settings(max_examples=15)
def test_any_chunks_give_the_same_answer_to_the_last_digit(
    name: str, cuts: set[int], seed: int
) -> None:
    """Chunks of any size, one token too, over a history of any length."""
    known = random.Random(seed).randrange(200)
    whole = prefill_step([(known + 150, 150)], heads=3, kv_heads=1, seed=seed)
    right = KERNELS[name](whole)
    edges = [0, *sorted(cuts), 150]
    for begin, end in pairwise(edges):
        part = whole._replace(
            q=whole.q[begin:end],
            lengths=torch.tensor([known + end]),
            query_starts=torch.tensor([0, end - begin]),
        )
        if name == "cpu":
            assert torch.equal(KERNELS[name](part), right[begin:end])
        else:  # NumPy's products may add in another order
            torch.testing.assert_close(KERNELS[name](part), right[begin:end], atol=1e-6, rtol=1e-5)

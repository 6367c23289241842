"""Every kernel, from the NumPy twin to split-KV, against float64: one answer, whatever the shapes.

Unwritten slots hold NaN, blocks lie in random order, and table entries past a row's end point
nowhere (see ``helpers.decode``). Triton's kernels run in the interpreter.
"""

import pytest
import torch
from helpers.decode import TOLERANCE, WITHOUT_TRITON, Kernel, decode_step, far_pool, with_triton
from helpers.grid import thinned
from hypothesis import given, settings
from hypothesis import strategies as st

from paged_attention.errors import BadTensor, KernelNotBuilt
from paged_attention.kernels import gather, launch, paged_decode_attention, reference
from paged_attention.kernels.inputs import FP8_TYPES, POOL_TYPES, QUERY_TYPES, Decode, checked

pytest.importorskip("triton")
KERNELS = (
    WITHOUT_TRITON
    | with_triton()
    | {
        "paged_decode_attention": lambda step: paged_decode_attention(
            *step[:5], step.block_size, scale=step.scale, k_scale=step.k_scale, v_scale=step.v_scale
        )
    }
)
SCALES = ("k_scale", "v_scale")
READ_FP8 = [name for name in KERNELS if name != "naive"]


def check(kernel: Kernel, step: Decode, tolerance: float | None = None) -> None:
    """The kernel's answer is the reference's, NaN where that is NaN."""
    got, right = kernel(step), reference.decode(step)
    assert got.shape == step.q.shape
    assert got.dtype == step.q.dtype
    tolerance = TOLERANCE[step.q.dtype] if tolerance is None else tolerance
    torch.testing.assert_close(got.double(), right, atol=tolerance, rtol=tolerance, equal_nan=True)


def edges(block_size: int) -> list[int]:
    return [0, 1, block_size - 1, block_size, block_size + 1, 2 * block_size + 3]


SHAPES = [  # heads, kv_heads, head_dim, block_size
    (2, 2, 48, 16),  # no groups
    (9, 3, 64, 16),  # SmolLM2
    (8, 2, 80, 24),
    (16, 1, 96, 32),  # the widest group
    (5, 1, 128, 48),
    (2, 1, 256, 1),
    (2, 1, 16, 256),
]


@pytest.mark.parametrize(("name", "shape"), thinned(list(KERNELS), SHAPES))
def test_shapes(name: str, shape: tuple[int, int, int, int]) -> None:
    heads, kv_heads, head_dim, block_size = shape
    step = decode_step(
        edges(block_size),
        heads=heads,
        kv_heads=kv_heads,
        head_dim=head_dim,
        block_size=block_size,
    )
    check(KERNELS[name], step)


@pytest.mark.parametrize(("name", "dtype"), thinned(list(KERNELS), [torch.float16, torch.bfloat16]))
def test_half_precision(name: str, dtype: torch.dtype) -> None:
    check(KERNELS[name], decode_step(edges(16), head_dim=64, block_size=16, dtype=dtype))


@pytest.mark.parametrize(("name", "dtype"), thinned(READ_FP8, list(FP8_TYPES)))
def test_fp8_pools_with_scales(name: str, dtype: torch.dtype) -> None:
    check(KERNELS[name], decode_step(edges(16), head_dim=64, block_size=16, dtype=dtype))


@pytest.mark.parametrize("name", KERNELS)
def test_thousands_of_tokens(name: str) -> None:
    check(KERNELS[name], decode_step([2100, 2], heads=2, kv_heads=1, block_size=64))


@pytest.mark.parametrize("name", KERNELS)
def test_more_splits_than_tokens(name: str) -> None:
    """vllm-project/vllm#27491: 8 parts over 3 tokens, -inf - -inf in the merge."""
    check(KERNELS[name], decode_step([3, 0, 1], heads=2, kv_heads=1))


@pytest.mark.parametrize("name", KERNELS)
def test_rows_of_length_0_are_zeros(name: str) -> None:
    """sgl-project/sglang#1469: padded rows of a batch."""
    step = decode_step([0, 17, 40, 0])
    out = KERNELS[name](step)
    assert not out[[0, 3]].any()
    check(KERNELS[name], step)
    assert not KERNELS[name](decode_step([0, 0])).any()


@pytest.mark.parametrize("name", KERNELS)
def test_int32_tables(name: str) -> None:
    check(KERNELS[name], decode_step([5, 9], table_dtype=torch.int32))


@pytest.mark.parametrize("name", KERNELS)
def test_large_scores(name: str) -> None:
    """exp(1,000) is infinite in every type: only differences to the highest score are safe."""
    step = decode_step([9, 30])
    step.q.mul_(1000)
    check(KERNELS[name], step, tolerance=5e-3)  # a score of 1,000 has 4 digits after the point


@pytest.mark.parametrize("name", KERNELS)
def test_pools_cut_out_of_a_larger_tensor(name: str) -> None:
    """Keys and values side by side in one tensor, tables with spare columns, queries of one T."""
    step = decode_step([3, 0, 17, 8], heads=4, kv_heads=2)
    both = torch.stack([step.k_pool, step.v_pool], dim=3).movedim(1, 0)  # [Hkv, blocks, BS, 2, D]
    k_pool, v_pool = (both[:, :, :, i].transpose(0, 1) for i in (0, 1))
    assert not k_pool.is_contiguous()
    q = torch.randn(4, 16, 4).transpose(1, 2)
    cut = Decode(q, k_pool, v_pool, step.block_tables[:, :-1], step.lengths, step.scale)
    check(KERNELS[name], cut)


@pytest.mark.parametrize("name", [name for name in KERNELS if "twin" not in name])
def test_pools_beyond_2_to_the_31_elements(name: str) -> None:
    """vllm-project/vllm#47671, Dao-AILab/flash-attention#772: int32 block × stride wraps around."""
    pool, blocks = far_pool()
    pool[blocks] = torch.randn(2, 1, 16, 64).half()
    tables, lengths = torch.tensor([blocks], dtype=torch.int32), torch.tensor([20])
    step = Decode(torch.randn(1, 2, 64).half(), pool, pool, tables, lengths, 0.125)
    small = Decode(step.q, pool[blocks], pool[blocks], torch.tensor([[0, 1]]), lengths, 0.125)
    torch.testing.assert_close(
        KERNELS[name](step).double(), reference.decode(small), atol=4e-3, rtol=4e-3
    )


@pytest.mark.parametrize("name", KERNELS)
@pytest.mark.parametrize("pool", ["k_pool", "v_pool"])
def test_a_nan_that_was_written_is_not_hidden(name: str, pool: str) -> None:
    step = decode_step([9, 9], heads=2, kv_heads=1)
    getattr(step, pool)[step.block_tables[0, 1], :, 2] = torch.nan  # position 6 of row 0
    out = KERNELS[name](step)
    assert out[0].isnan().all()
    assert out[1].isfinite().all()


ONE_OF_EACH = ("cpu", "gather", "twin in 3 parts", "naive", "grouped", "split in 3")


@pytest.mark.parametrize(
    ("name", "query", "pool"), thinned(ONE_OF_EACH, list(QUERY_TYPES), list(POOL_TYPES))
)
def test_any_two_types(name: str, query: torch.dtype, pool: torch.dtype) -> None:
    """The reference's answer, or a refusal that names another way."""
    step = decode_step([0, 1, 5, 40])
    step = step._replace(
        q=step.q.to(query), k_pool=step.k_pool.to(pool), v_pool=step.v_pool.to(pool), k_scale=0.5
    )
    refuses = (name == "naive" and pool in FP8_TYPES) or (name == "cpu" and pool == torch.float64)
    if refuses:
        with pytest.raises((BadTensor, KernelNotBuilt), match=r"grouped|gather"):
            KERNELS[name](step)
    else:
        check(KERNELS[name], step)


def test_float64_keeps_its_digits() -> None:
    step = decode_step([0, 5, 9])
    step = step._replace(q=step.q.double(), k_pool=step.k_pool.double())
    step = step._replace(v_pool=step.v_pool.double())
    for name in ("gather", "paged_decode_attention"):
        check(KERNELS[name], step, tolerance=1e-13)


@pytest.mark.parametrize("name", KERNELS)
@pytest.mark.parametrize("pool", [torch.float32, torch.bfloat16])
def test_a_pool_wider_than_the_queries(name: str, pool: torch.dtype) -> None:
    """vllm-project/vllm#53334: 1e5 passes float16's range, an average of such numbers does not."""
    k_pool = torch.zeros(2, 1, 4, 16, dtype=pool)
    v_pool = torch.full((2, 1, 4, 16), 1e5, dtype=pool)
    v_pool[:, :, ::2] *= -1
    where = torch.tensor([[1]]), torch.tensor([4])
    check(KERNELS[name], checked(torch.zeros(1, 2, 16).half(), k_pool, v_pool, *where, 4))
    big_keys = torch.full((2, 1, 4, 16), 1e5, dtype=pool)
    query = torch.full((1, 2, 16), 1e-5).half()
    check(KERNELS[name], checked(query, big_keys, torch.ones_like(big_keys), *where, 4))


@pytest.mark.parametrize(("name", "dtype"), thinned(READ_FP8, list(FP8_TYPES)))
def test_fp8_numbers_whose_scale_leads_beyond_float16(name: str, dtype: torch.dtype) -> None:
    """vllm-project/vllm#53334: 400 × 200 is infinite in float16."""
    large = torch.full((2, 1, 4, 16), 400.0)
    large[:, :, ::2] *= -1
    large[:, :, 1] /= 2
    small, large = torch.randn(2, 1, 4, 16).to(dtype), large.to(dtype)
    where, scales = (
        (torch.tensor([[1]]), torch.tensor([4]), 4),
        {"k_scale": 200.0, "v_scale": 200.0},
    )
    same = torch.zeros(1, 2, 16).half()
    check(KERNELS[name], checked(same, large, large, *where, **scales))
    check(KERNELS[name], checked(same + 1e-4, large, small, *where, **scales))


@pytest.mark.parametrize("name", KERNELS)
def test_a_value_s_scale_is_for_every_type_of_pool(name: str) -> None:
    step = decode_step([3, 9])._replace(k_scale=0.5, v_scale=3.0)
    if name == "naive":
        with pytest.raises(BadTensor, match=r"no v_scale, got 3\.0; use grouped"):
            launch.naive(step)
    else:
        check(KERNELS[name], step)


def with_infinite_scores(length: int, where: set[int], infinity: float) -> Decode:
    """Row 0's keys at the positions ``where`` make every query score ``infinity``."""
    step = decode_step([length, 3], heads=2, kv_heads=1)
    step.q.abs_().add_(0.1)
    for position in where:
        block = step.block_tables[0, position // step.block_size]
        step.k_pool[block, :, position % step.block_size] = infinity
    return step


NOWHERE = [  # positions whose scores are minus infinity, of 64
    *(range(40), range(33), range(8, 64), range(63), range(32, 48), range(0, 64, 2), range(64))
]


@pytest.mark.parametrize(("name", "where"), thinned(list(KERNELS), NOWHERE))
def test_scores_of_minus_infinity(name: str, where: range) -> None:
    """vllm-project/vllm#27491: whole tiles, before, between and after numbers; all 64, too."""
    check(KERNELS[name], with_infinite_scores(64, set(where), -torch.inf))


@pytest.mark.parametrize("name", KERNELS)
def test_long_rows_with_scores_of_minus_infinity(name: str) -> None:
    """Long enough to be read in parts, some of which hold nothing else."""
    check(KERNELS[name], with_infinite_scores(600, set(range(560)), -torch.inf))
    check(KERNELS[name], with_infinite_scores(600, set(range(600)), -torch.inf))


@pytest.mark.parametrize("name", KERNELS)
def test_minus_infinity_has_weight_0_even_of_large_values(name: str) -> None:
    step = with_infinite_scores(6, {0, 1, 2, 5}, -torch.inf)
    for position in (0, 1, 2, 5):
        step.v_pool[step.block_tables[0, position // 4], :, position % 4] = 3e38
    check(KERNELS[name], step)


@pytest.mark.parametrize(("name", "where"), thinned(list(KERNELS), [(0,), (63,), (5, 40)]))
def test_a_score_of_infinity_is_nan_as_in_softmax(name: str, where: tuple[int, ...]) -> None:
    step = with_infinite_scores(64, set(where), torch.inf)
    assert reference.decode(step)[0].isnan().all()
    check(KERNELS[name], step)


@settings(max_examples=4)
@given(
    st.lists(st.integers(0, 70), min_size=1, max_size=3),
    st.sets(st.integers(0, 69)),
    st.sampled_from([torch.float32, torch.float16, torch.bfloat16]),
    st.sampled_from([torch.float32, torch.float16, torch.bfloat16, torch.float8_e5m2]),
    st.sampled_from([1, 4, 5, 16]),
)
def test_any_step(
    lengths: list[int],
    infinite: set[int],
    query: torch.dtype,
    pool: torch.dtype,
    block_size: int,
) -> None:
    step = decode_step(lengths, heads=4, kv_heads=2, block_size=block_size)
    step.q.abs_().add_(0.1)
    for row, length in enumerate(lengths):
        for position in (p for p in infinite if p < length):
            block = step.block_tables[row, position // block_size]
            step.k_pool[block, :, position % block_size] = -torch.inf
    step = step._replace(
        q=step.q.to(query), k_pool=step.k_pool.to(pool), v_pool=step.v_pool.to(pool)
    )
    for name, kernel in KERNELS.items():
        if name in ONE_OF_EACH and not (name == "naive" and pool in FP8_TYPES):
            check(kernel, step)


def test_each_kernel_agrees_with_the_one_before() -> None:
    step = decode_step([0, 1, 4, 5, 40], heads=8, kv_heads=2, head_dim=32)
    before = gather.decode(step)
    for kernel in KERNELS.values():
        after = kernel(step)
        torch.testing.assert_close(after, before)
        before = after


def test_nothing_given_is_changed() -> None:
    step = decode_step([0, 5, 9])
    given = (step.q, step.k_pool, step.v_pool, step.block_tables, step.lengths)
    copies = [x.numpy().tobytes() for x in given]
    for kernel in KERNELS.values():
        kernel(step)
    assert copies == [x.numpy().tobytes() for x in given]

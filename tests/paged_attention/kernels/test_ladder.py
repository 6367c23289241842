"""Every kernel, from the NumPy twin to split-KV, against float64: one answer, whatever the shapes.

Unwritten slots hold NaN, blocks lie in random order, and table entries past a row's end point
nowhere (see ``helpers.decode``). Triton's kernels run in the interpreter.
"""

import pytest
import torch
from helpers.decode import TOLERANCE, WITHOUT_TRITON, Kernel, decode_step, with_triton

from paged_attention.kernels import gather, reference
from paged_attention.kernels.inputs import FP8_TYPES, Decode

pytest.importorskip("triton")
KERNELS = WITHOUT_TRITON | with_triton()
READ_FP8 = [name for name in KERNELS if name != "naive"]


def check(kernel: Kernel, step: Decode, tolerance: float | None = None) -> None:
    got, right = kernel(step), reference.decode(step)
    assert got.shape == step.q.shape
    assert got.dtype == step.q.dtype
    tolerance = TOLERANCE[step.q.dtype] if tolerance is None else tolerance
    torch.testing.assert_close(got.double(), right, atol=tolerance, rtol=tolerance)


def edges(block_size: int) -> list[int]:
    return [0, 1, block_size - 1, block_size, block_size + 1, 2 * block_size + 3]


@pytest.mark.parametrize("name", KERNELS)
@pytest.mark.parametrize(
    ("heads", "kv_heads", "head_dim", "block_size"),
    [
        (2, 2, 48, 16),  # no groups
        (9, 3, 64, 16),  # SmolLM2
        (8, 2, 80, 24),
        (16, 1, 96, 32),  # the widest group
        (5, 1, 128, 48),
        (2, 1, 256, 1),
        (2, 1, 16, 256),
    ],
)
def test_shapes(name: str, heads: int, kv_heads: int, head_dim: int, block_size: int) -> None:
    step = decode_step(
        edges(block_size),
        heads=heads,
        kv_heads=kv_heads,
        head_dim=head_dim,
        block_size=block_size,
    )
    check(KERNELS[name], step)


@pytest.mark.parametrize("name", KERNELS)
@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16])
def test_half_precision(name: str, dtype: torch.dtype) -> None:
    check(KERNELS[name], decode_step(edges(16), head_dim=64, block_size=16, dtype=dtype))


@pytest.mark.parametrize("name", READ_FP8)
@pytest.mark.parametrize("dtype", FP8_TYPES)
def test_fp8_pools_with_scales(name: str, dtype: torch.dtype) -> None:
    check(KERNELS[name], decode_step(edges(16), head_dim=64, block_size=16, dtype=dtype))


@pytest.mark.parametrize("name", KERNELS)
def test_thousands_of_tokens(name: str) -> None:
    check(KERNELS[name], decode_step([4096, 2, 3001], heads=2, kv_heads=1, block_size=64))


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
    """vllm-project/vllm#47671, Dao-AILab/flash-attention#772: int32 block × stride wraps around.

    The pool is 4 GiB of addresses, of which a few pages are ever touched.
    """
    shape = (2**31 // (16 * 64) + 3, 1, 16, 64)
    try:
        pool = torch.empty(shape, dtype=torch.float16)
    except RuntimeError:
        pytest.skip("this machine does not hand out 4 GiB of addresses")
    blocks = [shape[0] - 1, shape[0] - 2]
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

"""Faults that other engines' prefill had: each report's input, and the answer that is right.

Every kernel gets it, over NaN in whatever nobody wrote (vllm-project/vllm PR#30887 and
flashinfer-ai/flashinfer#1046: blocks that were taken and not yet written). Triton's kernel runs in
the interpreter.
"""

import math
from typing import Any

import pytest
import torch
from helpers.decode import decode_step, far_pool
from helpers.decode import with_triton as decode_with_triton
from helpers.prefill import (
    WITHOUT_TRITON,
    check,
    prefill_step,
    public,
    with_triton,
)
from torch import Tensor

from paged_attention.cache import PagedKVCache
from paged_attention.kernels import cpu, paged_prefill_attention, reference, twin
from paged_attention.kernels.prefill_inputs import Prefill, checked_prefill

pytest.importorskip("triton")
KERNELS = WITHOUT_TRITON | with_triton() | {"paged_prefill_attention": public}
VALUES, WEIGHTS = [4, 8, 2, 1, 3, 6, 2, 1, 5], [1, 1, 2, 4, 4, 2, 2, 16, 32]


def plain(known: int, length: int = 9) -> Prefill:
    """One head of one number: token i weighs ``WEIGHTS[i]`` and is worth ``VALUES[i]``. Blocks of 4
    in the table [5, 1, 7]; the tokens after ``known`` are new.
    """
    k_pool, v_pool = (torch.full((8, 1, 4, 1), torch.nan) for _ in "kv")
    for i in range(length):
        block, slot = [5, 1, 7][i // 4], i % 4
        k_pool[block, 0, slot], v_pool[block, 0, slot] = math.log(WEIGHTS[i]), VALUES[i]
    return checked_prefill(
        torch.ones(length - known, 1, 1),
        k_pool,
        v_pool,
        torch.tensor([[5, 1, 7]]),
        torch.tensor([length]),
        torch.tensor([0, length - known]),
        4,
    )


@pytest.mark.parametrize("name", KERNELS)
def test_which_keys_a_new_token_sees(name: str) -> None:
    """gittensor-ai-lab/sparkinfer#3: a triangle from key 0, right only where nothing is known."""
    out = KERNELS[name](plain(known=6)).flatten()
    torch.testing.assert_close(out, torch.tensor([3, 2, 3.5]))


@pytest.mark.parametrize("name", decode_with_triton())
def test_parts_that_are_merged_have_one_base(name: str) -> None:
    """sgl-project/sglang#40903: prefix and chunk merged, sums in base 2 read as base e. New token
    6 must get 3; it got 3.08, its chunk's weight 0.125 had become 0.057.
    """
    step = plain(known=6, length=7).history
    out = decode_with_triton()[name](step._replace(q=torch.ones(1, 1, 1))).item()
    assert out == pytest.approx(3)


@pytest.mark.parametrize("parts", [2, 3, 7, 9])
def test_the_twin_merges_a_prefix_and_a_chunk(parts: int) -> None:
    """The same, cut at every place."""
    step = plain(known=6, length=7).history
    assert twin.decode(step._replace(q=torch.ones(1, 1, 1)), parts).item() == pytest.approx(3)


@pytest.mark.parametrize("name", decode_with_triton())
def test_two_hits_of_unequal_length_read_in_parts(name: str) -> None:
    """sgl-project/sglang#22291 (PR#22688), vllm-project/vllm#49334, PR#15492: the short one leaves
    parts empty. They weigh 0, whatever lies where their sums are kept.
    """
    step = decode_step([133, 5, 64, 1], heads=2, kv_heads=1)
    torch.use_deterministic_algorithms(True)  # lets ``empty`` find NaN
    try:
        out = decode_with_triton()[name](step)
    finally:
        torch.use_deterministic_algorithms(False)
    torch.testing.assert_close(out.double(), reference.decode(step), atol=2e-5, rtol=2e-5)


@pytest.mark.parametrize("name", KERNELS)
@pytest.mark.parametrize("length", [4, 5, 6])
def test_a_chunk_s_keys_end_with_the_chunk(name: str, length: int) -> None:
    """GeeeekExplorer/nano-vllm#212: the whole prompt's length for a chunk of it reads slots that
    nobody has written; so does the whole reservation.
    """
    step = prefill_step([(length, 4)], heads=2, kv_heads=1)
    out = KERNELS[name](step)
    assert out.isfinite().all()
    check(KERNELS[name], step)


@pytest.mark.parametrize("name", KERNELS)
def test_part_filled_blocks_of_two_sequences(name: str) -> None:
    """flashinfer-ai/flashinfer#725: equal sequences, equal answers, none of them zeros."""
    step = prefill_step([(3, 3), (3, 3)], heads=2, kv_heads=1)
    first, second = step.block_tables[:, 0].tolist()
    step.k_pool[second], step.v_pool[second] = step.k_pool[first], step.v_pool[first]
    step.q[3:] = step.q[:3]
    out = KERNELS[name](step)
    torch.testing.assert_close(out[:3], out[3:])
    assert out.abs().amin(dim=(1, 2)).gt(0).all()


@pytest.mark.parametrize("name", KERNELS)
def test_the_last_chunk_of_one_token(name: str) -> None:
    """vllm-project/vllm-ascend#5445: still a prefill, with the same answer."""
    whole = prefill_step([(33, 33)])
    last = whole._replace(q=whole.q[-1:], query_starts=torch.tensor([0, 1]))
    torch.testing.assert_close(KERNELS[name](last), KERNELS[name](whole)[-1:], atol=1e-6, rtol=1e-5)


@pytest.mark.parametrize("name", KERNELS)
def test_every_answer_is_written(name: str) -> None:
    """flashinfer-ai/flashinfer#1533: rows of ``torch.empty`` that no program fills."""
    step = prefill_step([(1, 1), (2, 2), (50, 17)])
    torch.use_deterministic_algorithms(True)  # lets ``empty`` find NaN
    try:
        assert torch.empty(1).isnan()
        assert KERNELS[name](step).isfinite().all()
    finally:
        torch.use_deterministic_algorithms(False)


@pytest.mark.slow
@pytest.mark.skipif(cpu.find_compiler() is None, reason="a gather would build a mask of 4 GiB")
def test_65536_tokens_in_one_piece() -> None:
    """sgl-project/sglang#34941: computed or refused, and never skipped. A few rows stand for
    all.
    """
    step = prefill_step([(65_536, 65_536)], heads=1, kv_heads=1, head_dim=8, block_size=64)
    out = public(step)
    for token in (0, 1, 32_767, 65_535):
        seen = torch.tensor([token + 1])
        one = step.history._replace(q=step.q[token : token + 1], lengths=seen)
        torch.testing.assert_close(
            out[token : token + 1].double(), reference.decode(one), atol=2e-5, rtol=2e-5
        )
    assert out.isfinite().all()


@pytest.mark.parametrize("chunks", [[4, 4, 1], [3, 3, 3], [9]], ids=str)
def test_chunks_of_a_prompt_that_is_reserved_whole(chunks: list[int]) -> None:
    """GeeeekExplorer/nano-vllm#212, PR#213: 9 tokens reserved, a chunk of 4: its keys end at 4.
    lablup/mlxcel PR#998, #1001: a chunk of 3 is causal, though nobody hands a mask over.
    """
    told: list[list[int]] = []

    def prefill(q: Tensor, *rest: Any) -> Tensor:
        told.append(rest[3].tolist())
        return paged_prefill_attention(q, *rest)

    torch.manual_seed(0)
    q, (k, v) = torch.randn(1, 4, 9, 8), (torch.randn(1, 2, 9, 8) for _ in "kv")
    cache = PagedKVCache(1, 5, 4, 2, 8, decode=None, prefill=prefill)
    for pool in (cache.k_pool, cache.v_pool):
        pool.fill_(torch.nan)
    cache.create("a")
    cache.reserve("a", 9)
    cache.set_batch(["a"])
    outs, done = [], 0
    for count in chunks:
        new = slice(done, done + count)
        positions = torch.arange(9)[new]
        outs.append(cache.attend(0, q[:, :, new], k[:, :, new], v[:, :, new], positions))
        done += count
    right = torch.nn.functional.scaled_dot_product_attention(
        q, k, v, is_causal=True, enable_gqa=True
    )
    torch.testing.assert_close(torch.cat(outs, dim=2), right, atol=1e-5, rtol=1e-5)
    ends = [sum(chunks[: i + 1]) for i in range(len(chunks))]
    assert told == [[end] for end, count in zip(ends, chunks, strict=True) if count > 1]


@pytest.mark.parametrize("name", KERNELS)
def test_blocks_that_are_taken_and_not_written(name: str) -> None:
    """vllm-project/vllm PR#30887, flashinfer-ai/flashinfer#1046: NaN in them reaches nobody."""
    step = prefill_step([(5, 3), (4, 4)], heads=2, kv_heads=1)
    empty = [block for block in range(len(step.k_pool)) if step.k_pool[block].isnan().all()]
    assert len(empty) == 3
    tables = torch.cat([step.block_tables[:, :2], torch.tensor([empty[:2]] * 2)], dim=1)
    tables[1, 1] = empty[2]  # the second sequence fills one block
    step = step._replace(block_tables=tables)
    assert KERNELS[name](step).isfinite().all()
    check(KERNELS[name], step)


@pytest.mark.parametrize("name", KERNELS)
def test_a_group_of_5_in_16_rows(name: str) -> None:
    """vllm-project/vllm#18088: three tokens in a tile, and row 15 belongs to nobody."""
    check(KERNELS[name], prefill_step([(33, 7), (6, 6)], heads=5, kv_heads=1))


@pytest.mark.parametrize("name", [name for name in KERNELS if "twin" not in name])
def test_pools_beyond_2_to_the_31_elements(name: str) -> None:
    """vllm-project/vllm#47671: int32 block × stride wraps around."""
    pool, blocks = far_pool()
    pool[blocks] = torch.randn(2, 1, 16, 64).half()
    tables, rest = torch.tensor([blocks], dtype=torch.int32), (torch.tensor([20]),)
    rest += (torch.tensor([0, 3]), 0.125)
    step = Prefill(torch.randn(3, 2, 64).half(), pool, pool, tables, *rest)
    small = Prefill(step.q, pool[blocks], pool[blocks], torch.tensor([[0, 1]]), *rest)
    torch.testing.assert_close(
        KERNELS[name](step).double(), reference.prefill(small), atol=4e-3, rtol=4e-3
    )

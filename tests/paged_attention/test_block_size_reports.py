"""Faults that came of a block's size in other engines: each report's input, and what is right.

Here any size will do: what can't be is refused at once, by the call that asks for it.
"""

import math
from functools import partial

import pytest
import torch
from helpers.decode import decode_step
from helpers.prefill import check, prefill_step, public

from paged_attention.cache import PagedKVCache
from paged_attention.errors import BadTensor, BlockPoolExhausted
from paged_attention.kernels import paged_decode_attention, reference
from paged_attention.kernels.inputs import Decode
from paged_attention.prefix import PrefixCache
from paged_attention.tables import blocks_needed, kernel_table, physical_slot

SIZES = [1, 3, 16, 24]  # one, an odd one, a power of two, and one that is none


def small_cache(num_blocks: int, block_size: int) -> PagedKVCache:
    return PagedKVCache(1, num_blocks, block_size, 1, 1)


def decode(step: Decode, block_size: int) -> torch.Tensor:
    return paged_decode_attention(*step[:5], block_size)


def served(prompts: list[range], block_size: int) -> tuple[PrefixCache, int]:
    """One prompt after another; the index, and the tokens that the last one reused."""
    room = sum(blocks_needed(len(prompt), block_size) for prompt in prompts)
    prefix = PrefixCache(small_cache(room, block_size))
    for seq, prompt in enumerate(prompts):
        reused = prefix.attach(seq, prompt)
        prefix.cache.reserve(seq, len(prompt) - reused)
        prefix.cache.advance({seq: len(prompt)})
        prefix.remember(seq, prompt)
    return prefix, reused


@pytest.mark.parametrize(("tokens", "in_the_last"), [(100, 4), (112, 16)])
def test_tokens_in_the_last_block(tokens: int, in_the_last: int) -> None:
    """flashinfer-ai/flashinfer PR#2079: counted from the number of blocks, 7 and 7."""
    blocks = list(range(blocks_needed(tokens, 16)))
    assert physical_slot(blocks, tokens - 1, 16) == (blocks[-1], in_the_last - 1)


@pytest.mark.parametrize("size", [*SIZES, 256, 544, 768])
def test_kernels_read_as_far_as_the_last_token_at_any_size(size: int) -> None:
    """The same, over NaN. flashinfer-ai/flashinfer#4347: pages of 256 were read wrong; #1796: 544
    were refused in the first step, long after loading; microsoft/onnxruntime-genai PR#2568: 768 is
    a multiple of 256 and no power of two, 16 was refused.
    """
    step = decode_step([37, 40, 100, 112, 1], heads=2, kv_heads=1, block_size=size)
    out = decode(step, size)
    torch.testing.assert_close(out.double(), reference.decode(step), atol=2e-5, rtol=2e-5)
    rows = [(100, 20), (112, 1), (16, 16)]
    check(public, prefill_step(rows, heads=2, kv_heads=1, block_size=size))


def test_a_shared_prefix_below_one_block_is_never_found_and_the_counts_say_why() -> None:
    """vllm-project/vllm#54607: 240 shared tokens, blocks of 784; a hit rate of 0 and no word."""
    prompts = [range(300), [*range(240), *range(1_000, 1_060)]]
    prefix, reused = served(prompts, 784)
    assert (reused, prefix.stats.hit_rate) == (0, 0)
    assert (prefix.stats.queried_tokens, prefix.stats.findable_tokens) == (600, 0)
    prefix, reused = served(prompts, 16)
    assert reused == 240
    assert prefix.stats.findable_tokens == 2 * 288


@pytest.mark.parametrize(("size", "reusable"), [(4_096, 0), (512, 3_584)])
def test_what_a_repeated_prompt_reuses(size: int, reusable: int) -> None:
    """jundot/omlx#3443, PR#3557: a prompt of 3,600 tokens in blocks of 4,096 and of 512."""
    prefix, reused = served([range(3_600)] * 2, size)
    assert reused == reusable
    assert prefix.stats.findable_tokens == 2 * reusable


def test_room_is_counted_in_blocks_not_in_tokens() -> None:
    """vllm-project/vllm#54458: 12 tokens took a page of 7,808 in each of 23 groups: 23 pages."""
    cache = small_cache(22, 7_808)
    groups = dict.fromkeys(range(23), 12)
    for group in groups:
        cache.create(group)
    assert cache.blocks_to_reserve(groups) == 23
    with pytest.raises(BlockPoolExhausted, match=r"23 blocks wanted .* 22 of 22 are free"):
        cache.reserve_many(groups)
    assert cache.allocator.num_free == 22


def test_blocks_of_two_sizes_end_together_at_their_common_multiple() -> None:
    """vllm-project/vllm PR#52804: groups of 1,536 and 3,456 hit in units of 13,824; one is no page
    of the other.
    """
    with pytest.raises(ValueError, match="pages of 1536 don't fill blocks of 3456"):
        kernel_table([0], 3_456, 1_536)
    prompt = range(20_000)
    ends = []
    for size in (1_536, 3_456):
        prefix, reused = served([prompt, prompt], size)
        assert len(prefix.match(prompt)) * size == reused
        ends.append(set(range(size, reused + 1, size)))
    assert max(ends[0] & ends[1]) == 13_824 == math.lcm(1_536, 3_456)


def test_managed_in_1024_read_in_128() -> None:
    """vllm-project/vllm#24280, PR#24486: a block of 1,024 is 8 pages, and a kernel may read no
    larger ones.
    """
    step = decode_step([1_500, 1_024, 7], heads=2, kv_heads=1, head_dim=4, block_size=1_024)
    tables = [
        row[: blocks_needed(n, 1_024)]
        for row, n in zip(step.block_tables.tolist(), step.lengths.tolist(), strict=True)
    ]
    paged = [kernel_table(table, 1_024, 128) for table in tables]
    assert paged[0][8:10] == [tables[0][1] * 8, tables[0][1] * 8 + 1]
    width = max(map(len, paged))
    as_pages = partial(torch.Tensor.view, size=(-1, 1, 128, 4))
    small = step._replace(
        k_pool=as_pages(step.k_pool),
        v_pool=as_pages(step.v_pool),
        block_tables=torch.tensor([[*row, *[0] * (width - len(row))] for row in paged]),
    )
    torch.testing.assert_close(decode(small, 128), decode(step, 1_024), atol=1e-6, rtol=1e-5)


def test_a_size_that_pages_do_not_fill_is_refused_when_it_is_chosen() -> None:
    """flashinfer-ai/flashinfer#1796: 544 behind a kernel that reads 128 at most."""
    with pytest.raises(ValueError, match="pages of 128 don't fill blocks of 544"):
        kernel_table([], 544, 128)
    assert len(kernel_table([3], 544, 32)) == 17


def test_a_block_s_size_is_not_the_head_size() -> None:
    """flashinfer-ai/flashinfer PR#1407: of a pool [blocks, heads, slots, D] it is the third."""
    step = decode_step([5], head_dim=64, block_size=16)
    with pytest.raises(BadTensor, match=r"block_size is 64, .* blocks of 16"):
        decode(step, 64)

"""PyTorch's own paged attention: flex attention over pages, as its experimental module shows it."""

from collections.abc import Callable

import torch
from torch import Tensor
from torch.nn.attention.experimental._paged_attention import PagedAttention
from torch.nn.attention.flex_attention import create_block_mask, flex_attention, noop_mask

from paged_attention.kernels.inputs import Decode
from paged_attention.tables import ceil_div

PAGE = 128  # flex attention's block; smaller ones are not what it is made for


def prepare(step: Decode, compiled: bool) -> Callable[[], Tensor]:
    """Copy the step's histories into pages; what is returned is timed."""
    device, longest = step.q.device, int(step.lengths.max())
    pages = step.rows * ceil_div(longest, PAGE)
    paged = PagedAttention(pages, PAGE, step.rows, str(device))
    caches = [step.k_pool.new_zeros(1, step.kv_heads, pages * PAGE, step.head_dim) for _ in "kv"]
    for row, (table, length) in enumerate(
        zip(step.block_tables, step.lengths.tolist(), strict=True)
    ):
        which = torch.tensor([row], device=device)
        paged.reserve(which, torch.tensor(length, device=device))
        blocks = table[: ceil_div(length, step.block_size)].long()
        keys, values = (
            pool[blocks].transpose(0, 1).flatten(1, 2)[None, :, :length]
            for pool in (step.k_pool, step.v_pool)
        )
        positions = torch.arange(length, device=device)[None]
        paged.assign(which, positions, keys, values, *caches)
    logical = create_block_mask(
        noop_mask, step.rows, None, 1, longest, device=str(device), BLOCK_SIZE=(PAGE, PAGE)
    )
    mask = paged.convert_logical_block_mask(logical, kv_len=step.lengths)
    attend = torch.compile(flex_attention) if compiled else flex_attention
    q, scale, gqa = step.q[:, :, None], step.scale, step.group > 1

    def decode() -> Tensor:
        out: Tensor = attend(q, *caches, block_mask=mask, scale=scale, enable_gqa=gqa)
        return out[:, :, 0]

    return decode

"""The scores of a group of queries, for keys that lie in memory in any order.

``scores`` is the first half of chapter 8's grouped kernel. Where that computes the place of each
number, this asks a function of the reader's, so that one line can be tried and compiled.
"""
# Triton compiles the kernel itself: its arguments are pointers, numbers and constants.
# mypy: disable-error-code="no-untyped-def, untyped-decorator"

from typing import Any

from workbook.triton_or_stub import tl, triton


@triton.jit
def slot_by_slot(
    block,
    kv_head,
    slot,
    d,
    KV_HEADS: tl.constexpr,
    HEAD_DIM: tl.constexpr,
    BLOCK_SIZE: tl.constexpr,
    P: tl.constexpr,  # noqa: ARG001
):
    """The book's layout, [blocks, KV heads, slots, D]: places [tokens, D] of the pool."""
    token = (block * KV_HEADS + kv_head) * BLOCK_SIZE + slot
    return token[:, None] * HEAD_DIM + d[None, :]


@triton.jit
def scores(
    q,
    k_pool,
    block_tables,
    lengths,
    out,
    scale,
    HEADS: tl.constexpr,
    KV_HEADS: tl.constexpr,
    GROUP: tl.constexpr,
    QUERIES: tl.constexpr,
    HEAD_DIM: tl.constexpr,
    BLOCK_SIZE: tl.constexpr,
    MAX_BLOCKS: tl.constexpr,
    TILE: tl.constexpr,
    P: tl.constexpr,
    PLACE: tl.constexpr,
):
    """Scores [B, HEADS, MAX_BLOCKS * BLOCK_SIZE] of one query a row, up to each row's length."""
    row, kv_head = tl.program_id(0), tl.program_id(1)
    g, d = tl.arange(0, QUERIES), tl.arange(0, HEAD_DIM)
    head = row * HEADS + kv_head * GROUP + g
    real = (g < GROUP)[:, None]
    group = tl.load(q + head[:, None] * HEAD_DIM + d[None, :], mask=real, other=0.0)
    length, table = tl.load(lengths + row), block_tables + row * MAX_BLOCKS
    for start in range(0, length, TILE):
        position = start + tl.arange(0, TILE)
        written = position < length
        block = tl.load(table + position // BLOCK_SIZE, mask=written, other=0).to(tl.int64)
        slot = position % BLOCK_SIZE
        place = PLACE(block, kv_head, slot, d, KV_HEADS, HEAD_DIM, BLOCK_SIZE, P)
        k = tl.load(k_pool + place, mask=written[:, None], other=0.0)
        score = tl.dot(group, tl.trans(k), input_precision="ieee") * scale
        at = head[:, None] * (MAX_BLOCKS * BLOCK_SIZE) + position[None, :]
        tl.store(out + at, score, mask=real & written[None, :])


def arguments(q: Any, k_pool: Any, block_tables: Any, lengths: Any, **sizes: int) -> dict[str, Any]:
    """All that ``scores`` takes but PLACE and P, by name.

    ``k_pool`` is [blocks, KV heads, slots, D], or the same numbers in another order; ``BLOCK_SIZE``
    is among ``sizes``. ``out`` is new.
    """
    import torch

    rows, heads, head_dim = q.shape
    kv_heads, block_size = k_pool.shape[1], sizes["BLOCK_SIZE"]
    width = block_tables.shape[1]
    out = torch.full((rows, heads, width * block_size), torch.nan)
    return {
        "q": q,
        "k_pool": k_pool,
        "block_tables": block_tables,
        "lengths": lengths,
        "out": out,
        "scale": 1.0,
        "HEADS": heads,
        "KV_HEADS": kv_heads,
        "GROUP": heads // kv_heads,
        "QUERIES": 16,
        "HEAD_DIM": head_dim,
        "MAX_BLOCKS": width,
        "TILE": 64,
    } | sizes


def in_pieces(k_pool: Any, numbers: int) -> Any:
    """A pool [blocks, KV heads, slots, D] as [blocks, KV heads, D / P, slots, P], contiguous."""
    blocks, kv_heads, slots, head_dim = k_pool.shape
    cut = k_pool.view(blocks, kv_heads, slots, head_dim // numbers, numbers)
    return cut.transpose(2, 3).contiguous()

"""The second Triton kernel: one program for each sequence and KV head, a tile of tokens at a time.

All query heads of a group share each key that is read, and tensor cores multiply them in one go.
``walk`` is the heart; ``split`` uses it again.
"""
# Triton compiles the functions below itself: their arguments are pointers, numbers and constants.
# mypy: disable-error-code="no-untyped-def, untyped-decorator"
# ruff: noqa: E741

import triton
import triton.language as tl


@triton.jit
def load_group(
    q,  # pointer to [B, Hq, D]
    row,
    kv_head,
    q_row_stride,
    q_head_stride,
    GROUP: tl.constexpr,
    QUERIES: tl.constexpr,
    HEAD_DIM: tl.constexpr,
    LANES: tl.constexpr,
):
    """The queries of one group as a tile [QUERIES, LANES]; rows past the group are zeros."""
    g = tl.arange(0, QUERIES)  # [QUERIES]
    d = tl.arange(0, LANES)  # [LANES]
    place = row * q_row_stride + (kv_head * GROUP + g[:, None]) * q_head_stride + d[None, :]
    real = (g < GROUP)[:, None] & (d < HEAD_DIM)[None, :]  # [QUERIES, LANES]
    return tl.load(q + place, mask=real, other=0.0)


@triton.jit
def walk(
    group,  # [QUERIES, LANES]
    k_pool,  # pointer to this KV head in block 0
    v_pool,
    table,  # pointer to the first entry of this sequence's block table
    first,  # the positions to read are first, first + 1, … last - 1
    last,
    scale,
    block_stride,
    slot_stride,
    QUERIES: tl.constexpr,
    HEAD_DIM: tl.constexpr,
    LANES: tl.constexpr,
    BLOCK_SIZE: tl.constexpr,
    TILE: tl.constexpr,
):
    """The running values (m [QUERIES], l [QUERIES], acc [QUERIES, LANES]) after these positions."""
    d = tl.arange(0, LANES)  # [LANES]
    m = tl.full([QUERIES], float("-inf"), tl.float32)  # the highest score so far
    l = tl.zeros([QUERIES], tl.float32)  # the sum of all weights so far, each 2 ** (score - m)
    acc = tl.zeros([QUERIES, LANES], tl.float32)  # the sum of all weighted values so far

    for start in range(first, last, TILE):
        position = start + tl.arange(0, TILE)  # [TILE]
        written = position < last  # [TILE]
        # One table entry for each token: a tile may begin, end and change blocks anywhere.
        block = tl.load(table + position // BLOCK_SIZE, mask=written, other=0)  # [TILE]
        slot = position % BLOCK_SIZE  # [TILE]
        # block * block_stride passes 2 ** 31 in large pools, hence int64.
        start_of_key = block.to(tl.int64) * block_stride + slot.to(tl.int64) * slot_stride
        place = start_of_key[:, None] + d[None, :]  # [TILE, LANES]
        readable = written[:, None] & (d < HEAD_DIM)[None, :]  # [TILE, LANES]

        k = tl.load(k_pool + place, mask=readable, other=0.0).to(group.dtype)  # [TILE, LANES]
        # "ieee": float32 stays float32, where the default would drop digits (TF32).
        score = tl.dot(group, tl.trans(k), input_precision="ieee") * scale  # [QUERIES, TILE]
        score = tl.where(written[None, :], score, float("-inf"))

        higher = tl.maximum(m, tl.max(score, 1))  # [QUERIES]
        # A key may hold -inf, and all scores so far with it: -inf - -inf would be NaN.
        top = tl.where(higher == float("-inf"), 0.0, higher)  # [QUERIES]
        p = tl.exp2(score - top[:, None])  # [QUERIES, TILE], this tile's weights
        shrink = tl.exp2(m - top)  # [QUERIES], what all earlier weights are worth now
        v = tl.load(v_pool + place, mask=readable, other=0.0).to(group.dtype)  # [TILE, LANES]
        acc = acc * shrink[:, None]
        acc = tl.dot(p.to(group.dtype), v, acc, input_precision="ieee")  # [QUERIES, LANES]
        l = l * shrink + tl.sum(p, 1)
        m = higher
    return m, l, acc


@triton.jit(do_not_specialize=["table_stride"])  # it grows with the longest sequence
def decode_grouped(
    q,  # pointer to [B, Hq, D]
    k_pool,  # pointer to [num_blocks, Hkv, block_size, D]
    v_pool,  # the same
    block_tables,  # pointer to int [B, max_blocks]
    lengths,  # pointer to int [B]
    out,  # pointer to [B, Hq, D], contiguous
    scale,  # 1 / sqrt(D) * log2(e), times what a stored key is multiplied by
    v_scale,  # what a stored value is multiplied by; 1 unless the pool holds fp8
    q_row_stride,  # elements from one row of q to the next
    q_head_stride,
    block_stride,  # elements from one block of a pool to the next
    head_stride,
    slot_stride,
    table_stride,  # entries from one table to the next
    HEADS: tl.constexpr,  # Hq
    GROUP: tl.constexpr,  # query heads that read one KV head
    QUERIES: tl.constexpr,  # GROUP rounded up to a power of two; an instruction takes 16 rows
    HEAD_DIM: tl.constexpr,  # D
    LANES: tl.constexpr,  # D rounded up to a power of two
    BLOCK_SIZE: tl.constexpr,
    TILE: tl.constexpr,  # tokens read at a time, whatever the block size
):
    """``out[row, head]`` for every query head of one group."""
    row = tl.program_id(0).to(tl.int64)
    kv_head = tl.program_id(1).to(tl.int64)
    length = tl.load(lengths + row).to(tl.int32)  # positions divide faster in 32 bits
    group = load_group(
        q, row, kv_head, q_row_stride, q_head_stride, GROUP, QUERIES, HEAD_DIM, LANES
    )
    _, l, acc = walk(
        group,
        k_pool + kv_head * head_stride,
        v_pool + kv_head * head_stride,
        block_tables + row * table_stride,
        0,
        length,
        scale,
        block_stride,
        slot_stride,
        QUERIES,
        HEAD_DIM,
        LANES,
        BLOCK_SIZE,
        TILE,
    )
    # A sequence of length 0 has l = 0 and acc = 0: it gets zeros, not 0 / 0.
    answer = acc / tl.where(l == 0, 1.0, l)[:, None] * v_scale  # [QUERIES, LANES]

    g = tl.arange(0, QUERIES)  # [QUERIES]
    d = tl.arange(0, LANES)  # [LANES]
    place = (row * HEADS + kv_head * GROUP + g[:, None]) * HEAD_DIM + d[None, :]
    real = (g < GROUP)[:, None] & (d < HEAD_DIM)[None, :]  # [QUERIES, LANES]
    tl.store(out + place, answer.to(out.dtype.element_ty), mask=real)

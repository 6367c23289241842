"""The first Triton kernel: one program for each sequence and query head, one block at a time.

Every query head of a group reads the same keys again; ``grouped`` mends that.
"""
# Triton compiles the functions below itself: their arguments are pointers, numbers and constants.
# mypy: disable-error-code="no-untyped-def, untyped-decorator"
# ruff: noqa: E741

import triton
import triton.language as tl


@triton.jit(do_not_specialize=["table_stride"])  # it grows with the longest sequence
def decode_naive(
    q,  # pointer to [B, Hq, D]
    k_pool,  # pointer to [num_blocks, Hkv, block_size, D]
    v_pool,  # the same
    block_tables,  # pointer to int [B, max_blocks]
    lengths,  # pointer to int [B]
    out,  # pointer to [B, Hq, D], contiguous
    scale,  # 1 / sqrt(D) * log2(e): the weights are powers of two
    q_row_stride,  # elements from one row of q to the next
    q_head_stride,
    block_stride,  # elements from one block of a pool to the next
    head_stride,
    slot_stride,
    table_stride,  # entries from one table to the next
    HEADS: tl.constexpr,  # Hq
    GROUP: tl.constexpr,  # query heads that read one KV head
    HEAD_DIM: tl.constexpr,  # D
    LANES: tl.constexpr,  # D rounded up to a power of two: Triton's tiles have no other sizes
    BLOCK_SIZE: tl.constexpr,
    SLOTS: tl.constexpr,  # block_size rounded up likewise
):
    """``out[row, head]`` = attention of one query over the ``length`` tokens of its sequence."""
    row = tl.program_id(0).to(tl.int64)
    head = tl.program_id(1)
    kv_head = (head // GROUP).to(tl.int64)
    length = tl.load(lengths + row)

    d = tl.arange(0, LANES)  # [LANES]
    slot = tl.arange(0, SLOTS)  # [SLOTS]
    real = d < HEAD_DIM  # [LANES]
    query = tl.load(q + row * q_row_stride + head * q_head_stride + d, mask=real, other=0.0)
    query = query.to(tl.float32) * scale  # [LANES]

    m = float("-inf")  # the highest score so far
    l = 0.0  # the sum of all weights so far, each 2 ** (score - m)
    acc = tl.zeros([LANES], tl.float32)  # the sum of all weighted values so far

    for index in range(tl.cdiv(length, BLOCK_SIZE)):
        # block * block_stride passes 2 ** 31 in large pools, hence int64.
        block = tl.load(block_tables + row * table_stride + index).to(tl.int64)
        written = (slot < BLOCK_SIZE) & (index * BLOCK_SIZE + slot < length)  # [SLOTS]
        start = block * block_stride + kv_head * head_stride
        place = start + slot.to(tl.int64)[:, None] * slot_stride + d[None, :]  # [SLOTS, LANES]
        readable = written[:, None] & real[None, :]  # [SLOTS, LANES]

        k = tl.load(k_pool + place, mask=readable, other=0.0).to(tl.float32)  # [SLOTS, LANES]
        score = tl.sum(k * query[None, :], 1)  # [SLOTS]
        score = tl.where(written, score, float("-inf"))

        higher = tl.maximum(m, tl.max(score, 0))
        # A key may hold -inf, and all scores so far with it: -inf - -inf would be NaN.
        top = tl.where(higher == float("-inf"), 0.0, higher)
        p = tl.exp2(score - top)  # [SLOTS], this block's weights
        shrink = tl.exp2(m - top)  # what all earlier weights are worth now
        # An unwritten slot has weight 0, but 0 × NaN is NaN: values are masked too.
        v = tl.load(v_pool + place, mask=readable, other=0.0).to(tl.float32)  # [SLOTS, LANES]
        acc = acc * shrink + tl.sum(p[:, None] * v, 0)  # [LANES]
        l = l * shrink + tl.sum(p, 0)
        m = higher

    # A sequence of length 0 has l = 0 and acc = 0: it gets zeros, not 0 / 0.
    answer = acc / tl.where(l == 0, 1.0, l)  # [LANES]
    place = (row * HEADS + head) * HEAD_DIM + d  # [LANES]
    tl.store(out + place, answer.to(out.dtype.element_ty), mask=real)

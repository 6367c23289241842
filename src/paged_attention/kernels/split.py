"""The third step: one sequence cut into parts that are read at the same time, then merged.

With one long sequence ``grouped`` starts a handful of programs and leaves most of a GPU idle. Here
each program reads a part of the positions and keeps what it knows as (m, l, acc);
``merge_splits`` brings the parts to one scale and adds them.
"""
# Triton compiles the functions below itself: their arguments are pointers, numbers and constants.
# mypy: disable-error-code="no-untyped-def, untyped-decorator"
# ruff: noqa: E741

import triton
import triton.language as tl

from paged_attention.kernels.grouped import load_group, walk


@triton.jit(do_not_specialize=["table_stride"])  # it grows with the longest sequence
def decode_split(
    q,  # pointer to [B, Hq, D]
    k_pool,  # pointer to [num_blocks, Hkv, block_size, D]
    v_pool,  # the same
    block_tables,  # pointer to int [B, max_blocks]
    lengths,  # pointer to int [B]
    part_m,  # pointer to float32 [B, Hq, splits]
    part_l,  # the same
    part_acc,  # pointer to float32 [B, Hq, splits, D]
    scale,  # 1 / sqrt(D) * log2(e), times what a stored key is multiplied by
    q_row_stride,  # elements from one row of q to the next
    q_head_stride,
    block_stride,  # elements from one block of a pool to the next
    head_stride,
    slot_stride,
    table_stride,  # entries from one table to the next
    HEADS: tl.constexpr,  # Hq
    GROUP: tl.constexpr,  # query heads that read one KV head
    QUERIES: tl.constexpr,  # GROUP rounded up to a power of two, 16 at least
    HEAD_DIM: tl.constexpr,  # D
    LANES: tl.constexpr,  # D rounded up to a power of two
    BLOCK_SIZE: tl.constexpr,
    TILE: tl.constexpr,  # tokens read at a time
):
    """(m, l, acc) of one group over one part of its sequence; of no tokens they are -inf, 0, 0."""
    row = tl.program_id(0).to(tl.int64)
    kv_head = tl.program_id(1).to(tl.int64)
    split = tl.program_id(2)
    splits = tl.num_programs(2)  # parts of every sequence
    length = tl.load(lengths + row).to(tl.int32)  # positions divide faster in 32 bits
    # Whole tiles each, so that only the last part ends within one. Short rows leave parts empty.
    span = tl.cdiv(tl.cdiv(length, splits), TILE) * TILE
    first = tl.minimum(split * span, length)
    last = tl.minimum(first + span, length)

    group = load_group(
        q, row, kv_head, q_row_stride, q_head_stride, GROUP, QUERIES, HEAD_DIM, LANES
    )
    m, l, acc = walk(
        group,
        k_pool + kv_head * head_stride,
        v_pool + kv_head * head_stride,
        block_tables + row * table_stride,
        first,
        last,
        scale,
        block_stride,
        slot_stride,
        QUERIES,
        HEAD_DIM,
        LANES,
        BLOCK_SIZE,
        TILE,
    )

    g = tl.arange(0, QUERIES)  # [QUERIES]
    d = tl.arange(0, LANES)  # [LANES]
    part = (row * HEADS + kv_head * GROUP + g) * splits + split  # [QUERIES]
    real = g < GROUP  # [QUERIES]
    tl.store(part_m + part, m, mask=real)
    tl.store(part_l + part, l, mask=real)
    place = part[:, None] * HEAD_DIM + d[None, :]  # [QUERIES, LANES]
    tl.store(part_acc + place, acc, mask=real[:, None] & (d < HEAD_DIM)[None, :])


@triton.jit
def merge_splits(
    part_m,  # pointer to float32 [B, Hq, splits]
    part_l,  # the same
    part_acc,  # pointer to float32 [B, Hq, splits, D]
    out,  # pointer to [B, Hq, D], contiguous
    v_scale,  # what a stored value is multiplied by; 1 unless the pool holds fp8
    splits,  # parts of every sequence
    HEADS: tl.constexpr,  # Hq
    HEAD_DIM: tl.constexpr,  # D
    LANES: tl.constexpr,  # D rounded up to a power of two
    PARTS: tl.constexpr,  # splits rounded up to a power of two
):
    """``out[row, head]`` from the parts of its sequence: to one scale, add, divide last."""
    row = tl.program_id(0).to(tl.int64)
    head = tl.program_id(1)
    s = tl.arange(0, PARTS)  # [PARTS]
    d = tl.arange(0, LANES)  # [LANES]
    part = (row * HEADS + head) * splits + s  # [PARTS]
    m = tl.load(part_m + part, mask=s < splits, other=float("-inf"))  # [PARTS]
    l = tl.load(part_l + part, mask=s < splits, other=0.0)  # [PARTS]
    place = part[:, None] * HEAD_DIM + d[None, :]  # [PARTS, LANES]
    # A part without tokens has nothing to read: its acc is all zeros.
    told = (l != 0)[:, None] & (d < HEAD_DIM)[None, :]  # [PARTS, LANES]
    acc = tl.load(part_acc + place, mask=told, other=0.0)  # [PARTS, LANES]

    # -inf - -inf is NaN, so a part without tokens gets its weight 0 by name.
    weight = tl.where(l != 0, tl.exp2(m - tl.max(m, 0)), 0.0)  # [PARTS]
    total = tl.sum(weight * l, 0)
    answer = tl.sum(weight[:, None] * acc, 0)  # [LANES]
    answer = answer / tl.where(total == 0, 1.0, total) * v_scale
    place = (row * HEADS + head) * HEAD_DIM + d  # [LANES]
    tl.store(out + place, answer.to(out.dtype.element_ty), mask=d < HEAD_DIM)

"""Paged prefill in Triton: a tile of new tokens over the whole history of their sequence.

All heads of a group and several neighbouring tokens form one tile of queries, so that each key that
is read serves all of them. The new tokens' own keys and values are in the pool already: history and
new tokens are one walk through one table, and only the causal mask tells them apart.
"""
# Triton compiles the functions below itself: their arguments are pointers, numbers and constants.
# mypy: disable-error-code="no-untyped-def, untyped-decorator"
# ruff: noqa: E741

import triton
import triton.language as tl


@triton.jit
def walk_tile(
    queries,  # [QUERIES, LANES]
    position,  # [QUERIES], where each query's token stands in its sequence
    k_pool,  # pointer to this KV head in block 0
    v_pool,
    table,  # pointer to the first entry of this sequence's block table
    last,  # positions 0 to last - 1 are read: up to the tile's last token, and no further
    scale,
    block_stride,
    slot_stride,
    QUERIES: tl.constexpr,
    HEAD_DIM: tl.constexpr,
    LANES: tl.constexpr,
    BLOCK_SIZE: tl.constexpr,
    TILE: tl.constexpr,
):
    """The sums l [QUERIES] of all weights and acc [QUERIES, LANES] of all weighted values."""
    d = tl.arange(0, LANES)  # [LANES]
    m = tl.full([QUERIES], float("-inf"), tl.float32)  # the highest score so far
    l = tl.zeros([QUERIES], tl.float32)
    acc = tl.zeros([QUERIES, LANES], tl.float32)

    for start in range(0, last, TILE):
        key = start + tl.arange(0, TILE)  # [TILE], positions
        written = key < last  # [TILE]
        block = tl.load(table + key // BLOCK_SIZE, mask=written, other=0)  # [TILE]
        slot = key % BLOCK_SIZE  # [TILE]
        # block * block_stride passes 2 ** 31 in large pools, hence int64.
        start_of_key = block.to(tl.int64) * block_stride + slot.to(tl.int64) * slot_stride
        place = start_of_key[:, None] + d[None, :]  # [TILE, LANES]
        readable = written[:, None] & (d < HEAD_DIM)[None, :]  # [TILE, LANES]

        k = tl.load(k_pool + place, mask=readable, other=0.0).to(queries.dtype)  # [TILE, LANES]
        score = tl.dot(queries, tl.trans(k), input_precision="ieee") * scale  # [QUERIES, TILE]
        # Its own key is the last that a query sees; nothing before position 0 needs a mask.
        score = tl.where(key[None, :] <= position[:, None], score, float("-inf"))

        higher = tl.maximum(m, tl.max(score, 1))  # [QUERIES]
        # A key may hold -inf, and all scores so far with it: -inf - -inf would be NaN.
        top = tl.where(higher == float("-inf"), 0.0, higher)  # [QUERIES]
        p = tl.exp2(score - top[:, None])  # [QUERIES, TILE], this tile's weights
        shrink = tl.exp2(m - top)  # [QUERIES], what all earlier weights are worth now
        # A weight of 0 doesn't save an unwritten slot, for 0 × NaN is NaN: the mask does.
        v = tl.load(v_pool + place, mask=readable, other=0.0).to(queries.dtype)  # [TILE, LANES]
        acc = acc * shrink[:, None]
        acc = tl.dot(p.to(queries.dtype), v, acc, input_precision="ieee")  # [QUERIES, LANES]
        l = l * shrink + tl.sum(p, 1)
        m = higher
    return l, acc


@triton.jit(do_not_specialize=["table_stride"])  # it grows with the longest sequence
def prefill(
    q,  # pointer to [N, Hq, D], the new tokens of all sequences one after another
    k_pool,  # pointer to [num_blocks, Hkv, block_size, D]
    v_pool,  # the same
    block_tables,  # pointer to int [B, max_blocks]
    lengths,  # pointer to int [B], the new tokens included
    query_starts,  # pointer to int [B + 1], where each sequence begins in q
    tiles,  # pointer to int32 [tiles, 2]: a sequence, and which of its new tokens comes first
    out,  # pointer to [N, Hq, D], contiguous
    scale,  # 1 / sqrt(D) * log2(e), times what a stored key is multiplied by
    v_scale,  # what a stored value is multiplied by; 1 unless the pool holds fp8
    q_row_stride,  # elements from one token of q to the next
    q_head_stride,
    block_stride,  # elements from one block of a pool to the next
    head_stride,
    slot_stride,
    table_stride,  # entries from one table to the next
    HEADS: tl.constexpr,  # Hq
    GROUP: tl.constexpr,  # query heads that read one KV head
    TOKENS: tl.constexpr,  # of a tile of queries
    QUERIES: tl.constexpr,  # TOKENS * GROUP rounded up to a power of two
    HEAD_DIM: tl.constexpr,  # D
    LANES: tl.constexpr,  # D rounded up to a power of two
    BLOCK_SIZE: tl.constexpr,
    TILE: tl.constexpr,  # keys read at a time, whatever the block size
):
    """``out[token, head]`` for the tokens of one tile and the query heads of one group."""
    row = tl.load(tiles + 2 * tl.program_id(0)).to(tl.int64)
    first = tl.load(tiles + 2 * tl.program_id(0) + 1)
    kv_head = tl.program_id(1).to(tl.int64)
    begin = tl.load(query_starts + row)
    count = (tl.load(query_starts + row + 1) - begin).to(tl.int32)  # new tokens of this sequence
    past = tl.load(lengths + row).to(tl.int32) - count  # tokens before them

    i = tl.arange(0, QUERIES)  # [QUERIES]; the heads of one token are neighbours
    d = tl.arange(0, LANES)  # [LANES]
    token = first + i // GROUP  # [QUERIES], counted from this sequence's first new one
    head = kv_head * GROUP + i % GROUP  # [QUERIES]
    # Queries past the tile, or past the sequence, are nobody's: what they would write is another's.
    real = (i < TOKENS * GROUP) & (token < count)  # [QUERIES]
    inside = real[:, None] & (d < HEAD_DIM)[None, :]  # [QUERIES, LANES]
    in_q = begin.to(tl.int64) + token  # [QUERIES]
    place = in_q[:, None] * q_row_stride + head[:, None] * q_head_stride + d[None, :]
    queries = tl.load(q + place, mask=inside, other=0.0)  # [QUERIES, LANES]

    l, acc = walk_tile(
        queries,
        past + token,
        k_pool + kv_head * head_stride,
        v_pool + kv_head * head_stride,
        block_tables + row * table_stride,
        past + tl.minimum(first + TOKENS, count),
        scale,
        block_stride,
        slot_stride,
        QUERIES,
        HEAD_DIM,
        LANES,
        BLOCK_SIZE,
        TILE,
    )
    # A query without a finite score has l = 0 and acc = 0: it gets zeros, not 0 / 0.
    answer = acc / tl.where(l == 0, 1.0, l)[:, None] * v_scale  # [QUERIES, LANES]
    place = (in_q[:, None] * HEADS + head[:, None]) * HEAD_DIM + d[None, :]
    tl.store(out + place, answer.to(out.dtype.element_ty), mask=inside)

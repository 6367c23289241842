"""The kernel of chapter 07 for any head size, and mistakes with it, made from its source."""
# Triton compiles the kernel itself: its arguments are pointers, numbers and constants.
# mypy: disable-error-code="no-untyped-def, untyped-decorator"
# ruff: noqa: E741

from workbook.checks.ch07 import decode_edges as exercises
from workbook.triton_or_stub import tl, triton

mistake = exercises.decode_edges.mistake


@triton.jit
def decode_edges(
    q,
    k_pool,
    v_pool,
    block_tables,
    lengths,
    out,
    scale,
    HEADS: tl.constexpr,
    KV_HEADS: tl.constexpr,
    HEAD_DIM: tl.constexpr,
    BLOCK_SIZE: tl.constexpr,
    MAX_BLOCKS: tl.constexpr,
    LANES: tl.constexpr,
):
    row, head = tl.program_id(0), tl.program_id(1)
    kv_head = head // (HEADS // KV_HEADS)
    d, slot = tl.arange(0, LANES), tl.arange(0, BLOCK_SIZE)
    real = d < HEAD_DIM
    query = tl.load(q + (row * HEADS + head) * HEAD_DIM + d, mask=real, other=0.0) * scale
    length = tl.load(lengths + row)
    m, l, acc = float("-inf"), 0.0, tl.zeros([LANES], tl.float32)
    for index in range(tl.cdiv(length, BLOCK_SIZE)):
        block = tl.load(block_tables + row * MAX_BLOCKS + index).to(tl.int64)
        token = (block * KV_HEADS + kv_head) * BLOCK_SIZE + slot
        place = token[:, None] * HEAD_DIM + d[None, :]
        written = index * BLOCK_SIZE + slot < length
        inside = written[:, None] & real[None, :]
        k = tl.load(k_pool + place, mask=inside, other=0.0)
        score = tl.sum(k * query[None, :], 1)
        score = tl.where(written, score, float("-inf"))
        higher = tl.maximum(m, tl.max(score, 0))
        p, shrink = tl.exp2(score - higher), tl.exp2(m - higher)
        v = tl.load(v_pool + place, mask=inside, other=0.0)
        acc = acc * shrink + tl.sum(p[:, None] * v, 0)
        l = l * shrink + tl.sum(p, 0)
        m = higher
    answer = acc / tl.where(l > 0, l, 1.0)
    tl.store(out + (row * HEADS + head) * HEAD_DIM + d, answer, mask=real)


exercises.decode_edges.finished = decode_edges
mistake(
    "The load of the query isn't masked: lanes HEAD_DIM and up are the next head's numbers, and "
    "behind the last head comes memory that isn't q's.",
    (", mask=real, other=0.0) * scale", ") * scale"),
)
mistake(
    "Lanes 48 to 63 of a key were loaded; they are the beginning of the next slot. A query of 0 "
    "there doesn't help: 0 × NaN is NaN.",
    ("k_pool + place, mask=inside", "k_pool + place, mask=written[:, None]"),
)
mistake(
    "The load of V masks the slots and not the lanes: behind the last slot of the pool comes "
    "memory that isn't the pool's.",
    ("v_pool + place, mask=inside", "v_pool + place, mask=written[:, None]"),
)
mistake(
    "Addresses were counted in LANES. A tile is LANES wide, memory isn't: neighbours in the pools"
    " are HEAD_DIM numbers apart.",
    ("token[:, None] * HEAD_DIM", "token[:, None] * LANES"),
)
mistake(
    "The store isn't masked: lanes HEAD_DIM and up of one head are the beginning of the next "
    "one's answer.",
    ("answer, mask=real", "answer"),
)
mistake(
    "64 was written into the code; the number of lanes is LANES, here 128.",
    ("(0, LANES)", "(0, 64)"),
    ("[LANES]", "[64]"),
)
mistake(
    "0 / 0 is NaN. Nothing was read, so l is 0 and so is acc: divide by something else.",
    ("acc / tl.where(l > 0, l, 1.0)", "acc / l"),
)
mistake(
    "Nothing was stored, so the row keeps what the memory held before: here 7.0, in a server "
    "another step's answer. (sgl-project/sglang#1469)",
    ("acc / tl.where(l > 0, l, 1.0)", "acc / l"),
    ("    m, l, acc", "    if length == 0:\n        return\n    m, l, acc"),
)

"""The grouped kernel of chapter 08 written another way, which is right, too."""
# Triton compiles the kernel itself: its arguments are pointers, numbers and constants.
# mypy: disable-error-code="no-untyped-def, untyped-decorator"
# ruff: noqa: E741

from workbook.checks.ch08.grouped_kernel import grouped_kernel
from workbook.triton_or_stub import tl, triton


@triton.jit
def scaled_first(
    q,
    k_pool,
    v_pool,
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
):
    """The query is scaled once, as in chapter 7, in its own type; K is turned by its address."""
    row, kv_head = tl.program_id(0), tl.program_id(1)
    g, d = tl.arange(0, QUERIES), tl.arange(0, HEAD_DIM)
    mine = (row * HEADS + kv_head * GROUP + g)[:, None] * HEAD_DIM + d[None, :]
    group = tl.load(q + mine, mask=(g < GROUP)[:, None], other=0.0)
    group = (group * scale).to(group.dtype)
    length = tl.load(lengths + row)
    m = tl.full([QUERIES], float("-inf"), tl.float32)
    l = tl.zeros([QUERIES], tl.float32)
    acc = tl.zeros([QUERIES, HEAD_DIM], tl.float32)
    for start in range(0, length, TILE):
        at = start + tl.arange(0, TILE)
        here = at < length
        entry = block_tables + row * MAX_BLOCKS + at // BLOCK_SIZE
        block = tl.load(entry, mask=here, other=0).to(tl.int64)
        token = (block * KV_HEADS + kv_head) * BLOCK_SIZE + at % BLOCK_SIZE
        turned = token[None, :] * HEAD_DIM + d[:, None]
        k = tl.load(k_pool + turned, mask=here[None, :], other=0.0)
        score = tl.dot(group, k, input_precision="ieee") + tl.where(here, 0.0, float("-inf"))
        higher = tl.maximum(m, tl.max(score, 1))
        p, shrink = tl.exp2(score - higher[:, None]), tl.exp2(m - higher)
        place = token[:, None] * HEAD_DIM + d[None, :]
        v = tl.load(v_pool + place, mask=here[:, None], other=0.0)
        acc = tl.dot(p.to(v.dtype), v, acc * shrink[:, None], input_precision="ieee")
        l, m = l * shrink + tl.sum(p, 1), higher
    answer = acc / tl.where(l > 0, l, 1.0)[:, None]
    tl.store(out + mine, answer.to(out.dtype.element_ty), mask=(g < GROUP)[:, None])


grouped_kernel.also_right += [scaled_first]

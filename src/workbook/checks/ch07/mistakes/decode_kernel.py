"""The kernel of chapter 07, and mistakes with it, made from its source."""
# Triton compiles the kernel itself: its arguments are pointers, numbers and constants.
# mypy: disable-error-code="no-untyped-def, untyped-decorator"
# ruff: noqa: E741

from workbook.checks.ch07 import decode_kernel as exercises
from workbook.triton_or_stub import tl, triton

mistake = exercises.decode_kernel.mistake


@triton.jit
def decode_kernel(
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
):
    row, head = tl.program_id(0), tl.program_id(1)
    kv_head = head // (HEADS // KV_HEADS)
    d, slot = tl.arange(0, HEAD_DIM), tl.arange(0, BLOCK_SIZE)
    query = tl.load(q + (row * HEADS + head) * HEAD_DIM + d) * scale
    length = tl.load(lengths + row)
    m, l, acc = float("-inf"), 0.0, tl.zeros([HEAD_DIM], tl.float32)
    for index in range(tl.cdiv(length, BLOCK_SIZE)):
        block = tl.load(block_tables + row * MAX_BLOCKS + index).to(tl.int64)
        token = (block * KV_HEADS + kv_head) * BLOCK_SIZE + slot
        place = token[:, None] * HEAD_DIM + d[None, :]
        written = index * BLOCK_SIZE + slot < length
        k = tl.load(k_pool + place, mask=written[:, None], other=0.0)
        score = tl.sum(k * query[None, :], 1)
        score = tl.where(written, score, float("-inf"))
        higher = tl.maximum(m, tl.max(score, 0))
        p, shrink = tl.exp2(score - higher), tl.exp2(m - higher)
        v = tl.load(v_pool + place, mask=written[:, None], other=0.0)
        acc = acc * shrink + tl.sum(p[:, None] * v, 0)
        l = l * shrink + tl.sum(p, 0)
        m = higher
    tl.store(out + (row * HEADS + head) * HEAD_DIM + d, acc / l)


exercises.decode_kernel.finished = decode_kernel
V_LOAD = "tl.load(v_pool + place, mask=written[:, None], other=0.0)"
mistake(
    "`scale` was left out. It holds 1 / sqrt(D), and the log2(e) that makes powers of two out of "
    "powers of e.",
    (") * scale", ")"),
)
mistake(
    "That is what `tl.exp` gives. `scale` has log2(e) in it, so the weights are `tl.exp2`.",
    ("exp2", "exp"),
)
mistake(
    "Either nothing was stored, or NaN was computed, for example as -inf minus -inf.",
    ("    tl.store(out", "    if False:\n        tl.store(out"),
)
mistake(
    "Those are blocks 0, 1, 2, 3. `index` is the logical block; the table, read with one "
    "`tl.load`, says where it lies.",
    ("(block * KV_HEADS", "(index * KV_HEADS"),
)
mistake(
    "`acc` was never multiplied by `shrink`: earlier values keep weights that they had under a "
    "lower maximum.",
    ("acc = acc * shrink", "acc = acc"),
)
mistake(
    "Neither `l` nor `acc` was multiplied by `shrink` when the maximum rose.",
    ("acc = acc * shrink", "acc = acc"),
    ("l = l * shrink", "l = l"),
)
mistake(
    "That is the last block alone: `m`, `l` and `acc` must live outside the loop.",
    ("        m = higher\n", ""),
    (
        "        block =",
        '        m, l, acc = float("-inf"), 0.0, tl.zeros([HEAD_DIM], tl.float32)\n        block =',
    ),
)
mistake(
    "Row 1 read row 0's table: somebody else's history, and no error.",
    ("block_tables + row * MAX_BLOCKS", "block_tables"),
)
mistake(
    "The tables were read one entry apart; a row is MAX_BLOCKS entries long.",
    ("block_tables + row * MAX_BLOCKS", "block_tables + row"),
)
mistake(
    "Query head 1 read KV head 1, and its group is KV head 0: that was h % 3, not h // 3.",
    ("head // (HEADS // KV_HEADS)", "head % KV_HEADS"),
)
mistake(
    "Query head 3 read KV head 0, like everybody. The address needs the head.", ("+ kv_head)", ")")
)
mistake(
    "The query head was taken for the KV head; KV_HEADS are fewer. Query head h reads KV head h "
    "// (HEADS // KV_HEADS).",
    ("head // (HEADS // KV_HEADS)", "head"),
)
mistake(
    "No block was walked for a length of 1. `length // BLOCK_SIZE` rounds down; 5 tokens would "
    "lose one, too.",
    ("tl.cdiv(length, BLOCK_SIZE)", "length // BLOCK_SIZE"),
)
mistake(
    "The empty slots of the last block were counted, with a score of 0. Their score must be -inf,"
    " so that their weight is 0.",
    ('        score = tl.where(written, score, float("-inf"))\n', ""),
)
mistake(
    "The table of this row has no such entry: a row of `length` tokens uses ceil(length / "
    "BLOCK_SIZE) entries, and no more are there.",
    ("tl.cdiv(length, BLOCK_SIZE)", "length // BLOCK_SIZE + 1"),
)
mistake(
    "Over zeros it was right. The weight of an empty slot is 0, and 0 × NaN is NaN: the load of V"
    " needs its mask, too. (This happened: vllm-project/vllm#47305, flashinfer-ai/flashinfer#941)",
    (V_LOAD, "tl.load(v_pool + place)"),
)
mistake(
    "No maximum is subtracted: 2 ** 128 is infinite in float32, so only differences to the "
    "maximum may be exponents.",
    ("tl.maximum(m, tl.max(score, 0))", "0.0"),
    ("tl.exp2(m - higher)", "1.0"),
)
mistake(
    "A load with a mask and without `other` leaves anything in the masked lanes, here NaN: say "
    "`other=0.0`.",
    (V_LOAD, V_LOAD.replace(", other=0.0", "")),
)
mistake(
    "The first maximum is -inf, not 0 and not -1,000: from there the only weight would be 2 ** "
    "-2,000, which is 0.",
    ('float("-inf"), 0.0, tl.zeros', "-1000.0, 0.0, tl.zeros"),
)

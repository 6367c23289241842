"""The kernel of chapter 07, and mistakes with it, made from its source."""
# Triton compiles the kernel itself: its arguments are pointers, numbers and constants.
# mypy: disable-error-code="no-untyped-def, untyped-decorator"
# ruff: noqa: E741

from workbook.checks.ch07 import decode_kernel as exercises
from workbook.checks.toolboxes.far_blocks import WRAPPED
from workbook.triton_or_stub import tl, triton


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
K_LOAD = "tl.load(k_pool + place, mask=written[:, None], other=0.0)"
V_LOAD = "tl.load(v_pool + place, mask=written[:, None], other=0.0)"
TOKEN = "(block * KV_HEADS + kv_head) * BLOCK_SIZE + slot"
NO_SUCH_HEAD = (
    "A KV head was read that isn't there. That comes of `head` or `head // KV_HEADS` as KV head; a "
    "group has HEADS // KV_HEADS heads, so it is head // (HEADS // KV_HEADS)."
)
KV_HEAD = "head // (HEADS // KV_HEADS)"
MASKED = '        score = tl.where(written, score, float("-inf"))\n'
START = '    m, l, acc = float("-inf"), 0.0, tl.zeros([HEAD_DIM], tl.float32)\n'
STORED = "    tl.store(out + (row * HEADS + head) * HEAD_DIM + d, acc / l)"
for says, *changes in (
    (
        "`scale` was left out. It holds 1 / sqrt(D), and the log2(e) that makes powers of two out "
        "of powers of e.",
        (") * scale", ")"),
    ),
    (
        "`scale` was multiplied in twice: `query` has it already.",
        ("1)\n        score = tl.where", "1) * scale\n        score = tl.where"),
    ),
    (
        "That is what `tl.exp` gives. `scale` has log2(e) in it, so the weights are `tl.exp2`.",
        ("exp2", "exp"),
    ),
    (
        "The weights come from `tl.exp`, the shrinking from `tl.exp2`: both are powers of two.",
        ("tl.exp2(score", "tl.exp(score"),
    ),
    (
        "Nothing was stored, or NaN was computed, for example as -inf minus -inf.",
        (STORED, STORED.replace("    tl.store", "    if length < 0:\n        tl.store")),
    ),
    (
        "`index` was taken for the block. It is the logical block; the table says where that lies.",
        ("(block * KV_HEADS", "(index * KV_HEADS"),
    ),
    (
        "Every step of the loop read the table's first entry: the look-up needs `index`.",
        ("MAX_BLOCKS + index", "MAX_BLOCKS"),
    ),
    (
        "`acc` was never multiplied by `shrink`: earlier values keep weights that they had under a "
        "lower maximum.",
        ("acc = acc * shrink", "acc = acc"),
    ),
    ("`l` was never multiplied by `shrink`; `acc` was.", ("l = l * shrink", "l = l")),
    (
        "Neither `l` nor `acc` shrank when the maximum rose: `shrink` was left out, or `m = "
        "higher` "
        "stands before it and makes it 1.",
        ("acc = acc * shrink", "acc = acc"),
        ("l = l * shrink", "l = l"),
    ),
    (
        "`acc` and `l` were divided by `shrink`; what was weighed before becomes smaller.",
        ("acc = acc * shrink", "acc = acc / tl.where(shrink == 0, 1.0, shrink)"),
        ("l = l * shrink", "l = l / tl.where(shrink == 0, 1.0, shrink)"),
    ),
    (
        "The last block alone is left: either `m = higher` is missing, so that every block shrinks "
        "what came before to nothing, or `m`, `l` and `acc` begin anew inside the loop.",
        ("        m = higher\n", ""),
    ),
    (
        "`higher` is the maximum of this block alone; it must not fall below the `m` of the blocks "
        "before.",
        ("tl.maximum(m, tl.max(score, 0))", "tl.max(score, 0)"),
    ),
    (
        "The new block is weighed as seen from the old `m`, what came before as seen from "
        "`higher`.",
        ("tl.exp2(score - higher)", 'tl.exp2(score - tl.where(m == float("-inf"), higher, m))'),
    ),
    ("Those are weighed keys: V was loaded from `k_pool`.", ("v_pool + place", "k_pool + place")),
    ("Keys were loaded from `v_pool`.", ("k_pool + place", "v_pool + place")),
    ("The values were added without their weights.", ("p[:, None] * v", "v")),
    ("The weights were never added to `l`: it counts slots.", ("tl.sum(p, 0)", "BLOCK_SIZE")),
    ("The sum was stored undivided: the answer is `acc / l`.", ("acc / l)", "acc)")),
    (
        "The answer was divided by `l` in every step of the loop. Divide once, after the last "
        "block.",
        ("        m = higher\n", "        m = higher\n        acc = acc / l\n"),
    ),
    (
        "Every row read row 0's table: somebody else's history, and no error.",
        ("block_tables + row * MAX_BLOCKS", "block_tables"),
    ),
    (
        "The tables were read one entry apart; a row is MAX_BLOCKS entries long.",
        ("block_tables + row * MAX_BLOCKS", "block_tables + row"),
    ),
    ("The length of row 0 was used for every row.", ("lengths + row", "lengths")),
    ("Every row took row 0's queries.", ("q + (row * HEADS + head)", "q + head")),
    (
        "Query head 1 read KV head 1, and its group is KV head 0: that was head % KV_HEADS.",
        (KV_HEAD, "head % KV_HEADS"),
    ),
    (NO_SUCH_HEAD, (KV_HEAD, "head // KV_HEADS")),
    (NO_SUCH_HEAD, (KV_HEAD, "head")),
    ("Every head read KV head 0. The address needs the head's group.", (KV_HEAD, "0")),
    (
        "The pool was indexed [block, slot, head]. It is [block, head, slot, D]: all slots of one "
        "head lie together.",
        (TOKEN, "(block * BLOCK_SIZE + slot) * KV_HEADS + kv_head"),
    ),
    (
        "A block holds BLOCK_SIZE slots for each KV head: its number is multiplied with both.",
        (TOKEN, "(block + kv_head) * BLOCK_SIZE + slot"),
    ),
    (
        "`length // BLOCK_SIZE` rounds down: the last, part-filled block is never read.",
        ("tl.cdiv(length, BLOCK_SIZE)", "length // BLOCK_SIZE"),
    ),
    (
        "An entry behind the row's last was read: `index` runs from 0 to ceil(length / BLOCK_SIZE) "
        "- 1, and the entry is row * MAX_BLOCKS + index.",
        ("tl.cdiv(length, BLOCK_SIZE)", "length // BLOCK_SIZE + 1"),
    ),
    (
        "The empty slots of the last block were counted, with a score of 0. Their score must be "
        "-inf, so that their weight is 0.",
        (MASKED, ""),
    ),
    (
        "One token too many counts: positions 0 to length - 1 are written, so `<`.",
        ("slot < length", "slot <= length"),
    ),
    (
        "`slot` counts within its block; the position is index * BLOCK_SIZE + slot.",
        ("index * BLOCK_SIZE + slot < length", "slot < length"),
    ),
    (
        "The load of V isn't masked. The weight of an empty slot is 0, and 0 × NaN is NaN. (This "
        "happened: vllm-project/vllm#47305, flashinfer-ai/flashinfer#941)",
        (V_LOAD, "tl.load(v_pool + place)"),
    ),
    (
        "A load with a mask and without `other` leaves anything in the masked lanes, here NaN: say "
        "`other=0.0`.",
        (V_LOAD, V_LOAD.replace(", other=0.0", "")),
    ),
    (
        "No maximum is subtracted: 2 ** 128 is infinite in float32, so only differences to the "
        "maximum may be exponents.",
        ("tl.maximum(m, tl.max(score, 0))", "0.0"),
        ("tl.exp2(m - higher)", "1.0"),
    ),
    (
        "The first maximum is -inf, not 0 and not -1,000: from there the only weight would be 2 ** "
        "-2,000, which is 0.",
        ('float("-inf"), 0.0, tl.zeros', "-1000.0, 0.0, tl.zeros"),
    ),
    (WRAPPED, (".to(tl.int64)", "")),
    (WRAPPED, (".to(tl.int64)", ""), ("token[:, None] *", "token.to(tl.int64)[:, None] *")),
    (
        WRAPPED,
        (".to(tl.int64)", ""),
        ("(block * KV_HEADS + kv_head)", "(block * KV_HEADS * BLOCK_SIZE + kv_head * BLOCK_SIZE)"),
        ("kv_head * BLOCK_SIZE) * BLOCK_SIZE", "kv_head * BLOCK_SIZE).to(tl.int64)"),
    ),
    (
        "`shrink` is turned round: old weights become smaller, 2 ** (m - higher).",
        ("tl.exp2(m - higher)", 'tl.where(m == float("-inf"), 0.0, tl.exp2(higher - m))'),
    ),
    (
        "`shrink` is turned round: old weights become smaller, 2 ** (m - higher).",
        ("tl.exp2(m - higher)", "tl.exp2(higher - m)"),
    ),
    (
        "`higher` is the highest of 0 and this block: `m`, the maximum of the blocks before, is "
        "missing.",
        ("tl.maximum(m, tl.max(score, 0))", "tl.maximum(0.0, tl.max(score, 0))"),
    ),
    ("The first block was skipped: `range` begins at 0.", ("range(tl.cdiv", "range(1, tl.cdiv")),
    (
        "The answer was divided by the last block's weights; `l` has those of all.",
        ("acc / l)", "acc / tl.sum(p, 0))"),
    ),
    (
        "This block's weights were shrunk as well: `l * shrink` first, then add.",
        ("l = l * shrink + tl.sum(p, 0)", "l = (l + tl.sum(p, 0)) * shrink"),
    ),
    (
        "The answer was divided by the length: weights differ, `l` is their sum.",
        ("acc / l)", "acc / length)"),
    ),
    (
        "The block's own part was multiplied by `shrink`, and `acc` wasn't.",
        ("acc * shrink + tl", "acc + shrink * tl"),
    ),
    (
        "The query's row was counted in KV_HEADS; q is [B, HEADS, HEAD_DIM].",
        ("tl.load(q + (row * HEADS", "tl.load(q + (row * KV_HEADS"),
    ),
    (
        "The place in out isn't (row * HEADS + head) * HEAD_DIM + d: one answer was stored over "
        "another.",
        ("tl.store(out + (row * HEADS + head)", "tl.store(out + (row + head)"),
    ),
    (
        "Keys were taken to be one number apart; they are HEAD_DIM numbers apart.",
        ("token[:, None] * HEAD_DIM", "token[:, None]"),
    ),
    (
        "The minimum was taken; `m` is the highest score so far.",
        ("tl.max(score, 0)", "tl.min(score, 0)"),
    ),
    (
        "Every slot got slot 0's numbers: `slot` is missing in the address.",
        (TOKEN, "(block * KV_HEADS + kv_head) * BLOCK_SIZE + 0 * slot"),
    ),
    (
        "`acc` was divided by sqrt(D) or another number that doesn't belong there: `scale` is in "
        "the query.",
        ("acc / l)", "acc / l * scale)"),
    ),
    (
        "The last block's values alone are in `acc`: it is `acc * shrink` plus the new part.",
        ("acc = acc * shrink + tl", "acc = tl"),
    ),
    (
        "The highest weight was added to `l`; all of them are, `tl.sum(p, 0)`.",
        ("tl.sum(p, 0)", "tl.max(p, 0)"),
    ),
    (
        "Weights and values were added; each value is multiplied by its weight.",
        ("p[:, None] * v", "p[:, None] + v"),
    ),
    (
        "The weights are turned round: 2 ** (score - higher), so that the highest weighs 1.",
        ("tl.exp2(score - higher)", "tl.exp2(higher - score)"),
    ),
    (
        "`shrink` isn't 2 ** (m - higher): it says how much farther up the maximum is now.",
        ("tl.exp2(m - higher)", "tl.exp2(m)"),
    ),
):
    exercises.decode_kernel.mistake(says, *changes)

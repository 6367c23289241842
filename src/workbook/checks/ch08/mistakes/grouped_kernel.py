"""The grouped kernel of chapter 08, and mistakes with it, made from its source."""
# Triton compiles the kernel itself: its arguments are pointers, numbers and constants.
# mypy: disable-error-code="no-untyped-def, untyped-decorator"
# ruff: noqa: E741

from workbook.checks.ch08 import grouped_kernel as exercises
from workbook.checks.toolboxes.far_blocks import WRAPPED
from workbook.triton_or_stub import tl, triton


@triton.jit
def grouped_kernel(
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
    row, kv_head = tl.program_id(0), tl.program_id(1)
    g, d = tl.arange(0, QUERIES), tl.arange(0, HEAD_DIM)
    head = kv_head * GROUP + g
    mine = (row * HEADS + head)[:, None] * HEAD_DIM + d[None, :]
    real = (g < GROUP)[:, None]
    group = tl.load(q + mine, mask=real, other=0.0)
    length = tl.load(lengths + row)
    table = block_tables + row * MAX_BLOCKS
    m = tl.full([QUERIES], float("-inf"), tl.float32)
    l = tl.zeros([QUERIES], tl.float32)
    acc = tl.zeros([QUERIES, HEAD_DIM], tl.float32)
    for start in range(0, length, TILE):
        position = start + tl.arange(0, TILE)
        written = position < length
        block = tl.load(table + position // BLOCK_SIZE, mask=written, other=0).to(tl.int64)
        token = (block * KV_HEADS + kv_head) * BLOCK_SIZE + position % BLOCK_SIZE
        place = token[:, None] * HEAD_DIM + d[None, :]
        k = tl.load(k_pool + place, mask=written[:, None], other=0.0)
        score = tl.dot(group, tl.trans(k), input_precision="ieee") * scale
        score = tl.where(written[None, :], score, float("-inf"))
        higher = tl.maximum(m, tl.max(score, 1))
        p, shrink = tl.exp2(score - higher[:, None]), tl.exp2(m - higher)
        v = tl.load(v_pool + place, mask=written[:, None], other=0.0)
        acc = acc * shrink[:, None] + tl.dot(p.to(v.dtype), v, input_precision="ieee")
        l = l * shrink + tl.sum(p, 1)
        m = higher
    answer = acc / tl.where(l > 0, l, 1.0)[:, None]
    tl.store(out + mine, answer, mask=real)


exercises.grouped_kernel.finished = grouped_kernel
ENTRIES = "tl.load(table + position // BLOCK_SIZE, mask=written, other=0)"
TAIL = '        score = tl.where(written[None, :], score, float("-inf"))\n'
K_LOAD = "tl.load(k_pool + place, mask=written[:, None], other=0.0)"
V_LOAD = "tl.load(v_pool + place, mask=written[:, None], other=0.0)"
TOKEN = "(block * KV_HEADS + kv_head) * BLOCK_SIZE + position % BLOCK_SIZE"
RUNS_ON = (
    "The tile ran on behind the block where it began. A block has BLOCK_SIZE slots; what lies "
    "behind them is another head's, or another block's."
)
for says, *changes in (
    ("The scores were not multiplied by `scale`.", (" * scale\n", "\n")),
    (
        "That is what `tl.exp` gives; `scale` has log2(e) in it, so the weights are `tl.exp2`.",
        ("exp2", "exp"),
    ),
    (
        "`shrink` is turned round: old weights become smaller, 2 ** (m - higher).",
        ("tl.exp2(m - higher)", "tl.exp2(higher - m)"),
    ),
    (
        "`start` counted tiles: it is the tile's first position, so the loop goes in steps of "
        "TILE.",
        ("range(0, length, TILE)", "range(tl.cdiv(length, TILE))"),
    ),
    (
        "The weights come from `tl.exp`, the shrinking from `tl.exp2`: both are powers of two.",
        ("tl.exp2(score", "tl.exp(score"),
    ),
    (
        "`acc` was never multiplied by `shrink`: earlier values keep weights that they had under a "
        "lower maximum.",
        ("acc * shrink[:, None]", "acc"),
    ),
    ("`l` was never multiplied by `shrink`; `acc` was.", ("l = l * shrink", "l = l")),
    (
        "Neither `l` nor `acc` shrank when the maximum rose: `shrink` was left out, or `m = "
        "higher` "
        "stands before it and makes it 1.",
        ("acc * shrink[:, None]", "acc"),
        ("l = l * shrink", "l = l"),
    ),
    (
        "The last tile alone is left: either `m = higher` is missing, or `m`, `l` and `acc` begin "
        "anew inside the loop.",
        ("        m = higher\n", ""),
    ),
    ("Those are weighed keys: V was loaded from `k_pool`.", ("v_pool + place", "k_pool + place")),
    ("Keys were loaded from `v_pool`.", ("k_pool + place", "v_pool + place")),
    (
        "The sum was stored undivided: the answer is `acc / l`.",
        ("acc / tl.where(l > 0, l, 1.0)[:, None]", "acc"),
    ),
    (
        "`l` counts tokens: the weights, `tl.sum(p, 1)`, were not added to it.",
        ("tl.sum(p, 1)", "tl.sum(tl.where(written, 1.0, 0.0), 0)"),
    ),
    (
        "The heads came out permuted: query g of this group is head kv_head * GROUP + g, not g * "
        "KV_HEADS + kv_head.",
        ("kv_head * GROUP + g", "g * KV_HEADS + kv_head"),
    ),
    ("Every row read row 0's table.", (" + row * MAX_BLOCKS", "")),
    ("The length of row 0 was used for every row.", ("lengths + row", "lengths")),
    (
        "Every group read KV head 0, or one that isn't this program's. The address of a key needs "
        "`kv_head`.",
        ("KV_HEADS + kv_head)", "KV_HEADS)"),
    ),
    (
        "The pool was indexed [block, slot, head]. It is [block, head, slot, D]: all slots of one "
        "head lie together.",
        (TOKEN, "(block * BLOCK_SIZE + position % BLOCK_SIZE) * KV_HEADS + kv_head"),
    ),
    (
        "A block holds BLOCK_SIZE slots for each KV head: its number is multiplied with both.",
        (TOKEN, "(block + kv_head) * BLOCK_SIZE + position % BLOCK_SIZE"),
    ),
    (
        "The position was taken for the block, or the table's entries for positions: position p "
        "lies in the block of entry p // BLOCK_SIZE, and the table says which that is.",
        (ENTRIES, "(position // BLOCK_SIZE)"),
    ),
    (
        "Each tile asked the table once. Its positions lie in several blocks: position p is in the "
        "block of entry p // BLOCK_SIZE.",
        (ENTRIES, "tl.load(table + start // BLOCK_SIZE)"),
    ),
    (
        RUNS_ON,
        (ENTRIES, "tl.load(table + start // BLOCK_SIZE)"),
        ("position % BLOCK_SIZE", "start % BLOCK_SIZE + tl.arange(0, TILE)"),
    ),
    (
        "The slot was counted within the tile. Position p is slot p % BLOCK_SIZE of its block, "
        "wherever the tile begins.",
        ("position % BLOCK_SIZE", "tl.arange(0, TILE) % BLOCK_SIZE"),
    ),
    (
        "The slot was counted within the tile. Position p is slot p % BLOCK_SIZE of its block, "
        "wherever the tile begins.",
        ("position % BLOCK_SIZE", "tl.arange(0, TILE)"),
    ),
    (
        "The position was added as it is, not the slot: within its block position p is slot p % "
        "BLOCK_SIZE.",
        ("position % BLOCK_SIZE", "position"),
    ),
    (
        "`tl.max(score, 0)` is the maximum of a token over all queries. Each query has its own: "
        "along axis 1, [QUERIES].",
        ("tl.max(score, 1)", "tl.max(score, 0)"),
    ),
    (
        "`tl.sum(p, 0)` adds up over the queries. Each query has its own `l`: along axis 1, "
        "[QUERIES].",
        ("tl.sum(p, 1)", "tl.sum(p, 0)"),
    ),
    (
        "All queries got one maximum, that of the whole tile. Each has its own, along axis 1; from "
        "another's far above it every weight is 0.",
        ("tl.max(score, 1)", "tl.max(tl.max(score, 1), 0)"),
    ),
    (
        "`group` has a row for each query, and the keys come as rows, too: `tl.dot(group, "
        "tl.trans(k), …)` lets rows meet columns.",
        ("tl.trans(k)", "k"),
    ),
    (
        "`tl.trans(v)` was multiplied: p is [QUERIES, TILE] and v [TILE, HEAD_DIM], which meet as "
        "they are.",
        ("p.to(v.dtype), v,", "p.to(v.dtype), tl.trans(v),"),
    ),
    (
        "`shrink` has one number a query, and a query is a row of `acc`: `shrink[:, None]`.",
        ("shrink[:, None]", "shrink[None, :]"),
    ),
    (
        "`higher` has one number a query, and a query is a row of the scores: `higher[:, None]`.",
        ("higher[:, None]", "higher[None, :]"),
    ),
    (
        "`written` speaks of tokens, and these go across the scores: `written[None, :]`.",
        ("tl.where(written[None, :]", "tl.where(written[:, None]"),
    ),
    (
        "Quotient and remainder are swapped: the entry is p // BLOCK_SIZE, the slot p % "
        "BLOCK_SIZE.",
        ("position % BLOCK_SIZE", "position // BLOCK_SIZE"),
        ("table + position // BLOCK_SIZE", "table + position % BLOCK_SIZE % MAX_BLOCKS"),
    ),
    (
        "Positions were counted in tiles of BLOCK_SIZE: a tile begins at `start` and has TILE "
        "positions.",
        ("range(0, length, TILE)", "range(0, length, BLOCK_SIZE)"),
    ),
    (
        "The last tile was counted whole: 100 tokens became 128, and the 28 others got a score of "
        "0. Their score must be -inf. (This happened: pytorch/pytorch#160861)",
        (TAIL, ""),
    ),
    (
        "One token too many counts: positions 0 to length - 1 are written, so `<`.",
        ("position < length", "position <= length"),
        (ENTRIES, ENTRIES.replace("mask=written", "mask=position < length")),
    ),
    (
        "An entry outside the tables was read. A row's entries begin at row * MAX_BLOCKS, and the "
        "last tile reaches past the length: the load needs `mask=written`.",
        (ENTRIES, ENTRIES.replace(", mask=written, other=0", "")),
    ),
    (
        "The load of V isn't masked. Weight 0 doesn't erase: in a `tl.dot`, too, 0 × NaN is NaN.",
        (V_LOAD, "tl.load(v_pool + place)"),
    ),
    (
        "The tile has QUERIES rows and the group only GROUP. In `out` the others are the next "
        "group's, whose program may be done: on a GPU, whoever stores last wins.",
        ("tl.store(out + mine, answer, mask=real)", "tl.store(out + mine, answer)"),
    ),
    (
        "This group's queries are heads kv_head * GROUP + g, for g below GROUP. The tile's other "
        "rows lie behind them in `q`, or behind all of it: load them as 0, with a mask.",
        ("tl.load(q + mine, mask=real, other=0.0)", "tl.load(q + mine)"),
    ),
    (
        "A load with a mask and without `other` leaves anything in the masked lanes, here NaN, and "
        "0 × NaN is NaN: say `other=0.0`.",
        (V_LOAD, V_LOAD.replace(", other=0.0", "")),
    ),
    (
        "`m` starts at a number. The first `m` is -inf: from a higher start the only weight would "
        "be 2 ** -2,000, which is 0.",
        ('tl.full([QUERIES], float("-inf")', "tl.full([QUERIES], -1000.0"),
    ),
    (
        "`p` is float32, `v` is bfloat16, and `tl.dot` wants both of one type: `p.to(v.dtype)`.",
        ("p.to(v.dtype)", "p"),
    ),
    (
        "`acc / l` was divided for a row without tokens, too. Its loop never ran, so l is 0: "
        "divide "
        "by something else, and store.",
        ("tl.where(l > 0, l, 1.0)", "l"),
    ),
    (WRAPPED, (".to(tl.int64)", "")),
    (WRAPPED, (".to(tl.int64)", ""), ("token[:, None] *", "token.to(tl.int64)[:, None] *")),
    (
        "Only the first tile counts: `position` lacks `start`, or the loop steps over the others.",
        ("position = start + tl", "position = tl"),
    ),
    (
        "Every group took the queries of the first one: query g is head kv_head * GROUP + g.",
        ("kv_head * GROUP + g", "g"),
    ),
    (
        "The last tile was skipped: `range(0, length, TILE)` has one for every TILE tokens begun.",
        ("range(0, length, TILE)", "range(0, length - TILE + 1, TILE)"),
    ),
    (
        "The entry was counted in tiles: position p lies in the block of entry p // BLOCK_SIZE.",
        ("position // BLOCK_SIZE", "position // TILE"),
    ),
    (
        "The last tile's weights alone are in `l`: it is `l * shrink` plus the new ones.",
        ("l = l * shrink + tl", "l = tl"),
    ),
    (
        "The last tile's values alone are in `acc`: it is `acc * shrink` plus the new part.",
        ("acc = acc * shrink[:, None] + tl", "acc = tl"),
    ),
    ("`scale` was multiplied in twice.", (" * scale\n", " * scale * scale\n")),
):
    exercises.grouped_kernel.mistake(says, *changes)
exercises.grouped_kernel.mistake(
    "`scale` was multiplied into the values, too. It belongs to the scores alone.",
    ('v, input_precision="ieee")', 'v, input_precision="ieee") * scale'),
)
exercises.grouped_kernel.mistake(
    "The weights of all queries went into one `l`. Each query has its own: `tl.sum(p, 1)`.",
    ("tl.sum(p, 1)", "tl.sum(tl.sum(p, 1), 0)"),
)

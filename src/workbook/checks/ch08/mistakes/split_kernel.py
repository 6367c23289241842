"""The split kernel of chapter 08, and mistakes with it, made from its source."""
# Triton compiles the kernel itself: its arguments are pointers, numbers and constants.
# mypy: disable-error-code="no-untyped-def, untyped-decorator"
# ruff: noqa: E741

import workbook.checks.ch08.mistakes.grouped_kernel  # noqa: F401, its mistakes are inherited
from workbook.checks.ch08.grouped_kernel import grouped_kernel
from workbook.checks.ch08.split_kernel import WHOLE_TILES
from workbook.checks.ch08.split_kernel import split_kernel as exercise
from workbook.checks.toolboxes.far_blocks import WRAPPED
from workbook.triton_or_stub import tl, triton


@triton.jit
def split_kernel(
    q,
    k_pool,
    v_pool,
    block_tables,
    lengths,
    part_m,
    part_l,
    part_acc,
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
    split, splits = tl.program_id(2), tl.num_programs(2)
    g, d = tl.arange(0, QUERIES), tl.arange(0, HEAD_DIM)
    head = row * HEADS + kv_head * GROUP + g
    real = g < GROUP
    group = tl.load(q + head[:, None] * HEAD_DIM + d[None, :], mask=real[:, None], other=0.0)
    length, table = tl.load(lengths + row), block_tables + row * MAX_BLOCKS
    span = tl.cdiv(tl.cdiv(length, splits), TILE) * TILE
    first = tl.minimum(split * span, length)
    last = tl.minimum(first + span, length)
    m = tl.full([QUERIES], float("-inf"), tl.float32)
    l = tl.zeros([QUERIES], tl.float32)
    acc = tl.zeros([QUERIES, HEAD_DIM], tl.float32)
    for start in range(first, last, TILE):
        position = start + tl.arange(0, TILE)
        written = position < last
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
        l, m = l * shrink + tl.sum(p, 1), higher
    part = head * splits + split
    tl.store(part_m + part, m, mask=real)
    tl.store(part_l + part, l, mask=real)
    tl.store(part_acc + part[:, None] * HEAD_DIM + d[None, :], acc, mask=real[:, None])


exercise.finished = split_kernel
SPAN, RANGE = "tl.cdiv(tl.cdiv(length, splits), TILE) * TILE", "range(first, last, TILE)"
STORE_M = "    tl.store(part_m + part, m, mask=real)\n"
STORE_L = "    tl.store(part_l + part, l, mask=real)\n"
STORE_ACC = (
    "    tl.store(part_acc + part[:, None] * HEAD_DIM + d[None, :], acc, mask=real[:, None])"
)
DIVIDED = "    acc = acc / tl.where(l > 0, l, 1.0)[:, None]\n"
PART = "head * splits + split"
V_LOAD = "tl.load(v_pool + place, mask=written[:, None], other=0.0)"
for says, *changes in (
    (
        "The parts together are shorter than the history: the span was rounded down, or is one "
        "tile, and the tokens behind the last part are read by nobody.",
        (SPAN, "tl.maximum(length // splits // TILE * TILE, TILE)"),
    ),
    (
        "Each part reads on to the end of the history: its loop must stop at its own `last`.",
        (RANGE, "range(first, length, TILE)"),
        ("position < last", "position < length"),
    ),
    (
        "The last tile of a part reaches into the next part, and both count those tokens: "
        "`written` "
        "is position < last.",
        (SPAN, "tl.cdiv(length, splits)"),
        ("position < last", "position < length"),
    ),
    ("Each part begins at token 0; it begins at its own `first`.", (RANGE, "range(0, last, TILE)")),
    (
        "Every part read the whole history: a part is the tokens from `first` to `last`.",
        (RANGE, "range(0, length, TILE)"),
        ("position < last", "position < length"),
    ),
    (
        "The parts together are shorter than the history: the span was rounded down, or is one "
        "tile, and the tokens behind the last part are read by nobody.",
        (SPAN, "TILE"),
    ),
    (
        "The parts together are shorter than the history: the span was rounded down, or is one "
        "tile, and the tokens behind the last part are read by nobody.",
        (SPAN, "tl.cdiv(length, TILE) // splits * TILE"),
    ),
    (
        "The parts together are shorter than the history: the span was rounded down, or is one "
        "tile, and the tokens behind the last part are read by nobody.",
        (SPAN, "length // splits"),
    ),
    (WHOLE_TILES, (SPAN, "tl.cdiv(length, splits)")),
    (
        "The parts were stored [splits, B, HEADS]; the merge reads [B, HEADS, splits], the part "
        "fastest.",
        (PART, "split * HEADS + head"),
    ),
    (
        "The parts were taken by block: `first` counts tokens, and a table's entries aren't "
        "tokens.",
        (SPAN, "tl.cdiv(tl.cdiv(length, BLOCK_SIZE), splits)"),
    ),
    (
        "`first` isn't multiplied by the span: part 1 begins at token 1.",
        ("split * span", "split"),
    ),
    (
        "`last` is the span, not `first` plus the span: from the second part on nothing is left.",
        ("tl.minimum(first + span, length)", "tl.minimum(span, length)"),
    ),
    (
        "acc was divided by l before it was stored: the merge weighs sums, not finished answers.",
        (STORE_ACC, DIVIDED + STORE_ACC),
    ),
    (
        "l was stored as 1, beside a finished answer: a part's share is the sum of its weights.",
        (STORE_L, STORE_L.replace(", l,", ", tl.where(l > 0, 1.0, 0.0),")),
        (STORE_ACC, DIVIDED + STORE_ACC),
    ),
    (
        "m was stored in powers of e; the merge takes powers of two, as the loop does.",
        (STORE_M, STORE_M.replace(", m,", ", m * 0.6931472,")),
    ),
    (
        "All parts were stored in the place of part 0: the last program to store wins.",
        (PART, "head * splits"),
    ),
    (
        "The parts were stored [B, splits, HEADS]; the merge reads [B, HEADS, splits], the part "
        "fastest.",
        (PART, "(row * splits + split) * HEADS + kv_head * GROUP + g"),
    ),
    (
        "The parts were stored [splits, B, HEADS]; the merge reads [B, HEADS, splits], the part "
        "fastest.",
        (PART, "split * tl.num_programs(0) * HEADS + head"),
    ),
    (
        "Row 1 was stored over row 0: a part's place needs the row.",
        (PART, "(kv_head * GROUP + g) * splits + split"),
    ),
    (
        "Heads are permuted: query g of this group is head kv_head * GROUP + g.",
        ("kv_head * GROUP + g", "g * KV_HEADS + kv_head"),
    ),
    (
        "A part's place is (row * HEADS + head) * splits + split, with HEAD_DIM numbers each in "
        "part_acc, for real heads only: the tile's padding rows must be masked in all three "
        "stores.",
        (STORE_M, STORE_M.replace(", mask=real", "")),
        (STORE_L, STORE_L.replace(", mask=real", "")),
    ),
    (
        "An empty part returned early, and its place keeps what the memory held: store (-inf, 0, "
        "0).",
        ("    m = tl.full", "    if first >= last:\n        return\n    m = tl.full"),
    ),
    (
        "An empty part has m = 0, which is higher than scores below 0. No tokens, no maximum: "
        "-inf.",
        (STORE_M, STORE_M.replace(", m,", ", tl.where(l > 0, m, 0.0),")),
    ),
    (
        "Nothing came to this part's place in part_m: it is (row * HEADS + head) * splits + split, "
        "times HEAD_DIM in part_acc.",
        (STORE_M, ""),
    ),
    (
        "Nothing came to this part's place in part_l: it is (row * HEADS + head) * splits + split, "
        "times HEAD_DIM in part_acc.",
        (STORE_L, ""),
    ),
    (
        "Nothing came to this part's place in part_acc: it is (row * HEADS + head) * splits + "
        "split, times HEAD_DIM in part_acc.",
        (STORE_ACC, "    acc = acc"),
    ),
    (
        "l and m are swapped in the stores.",
        (STORE_M, STORE_M.replace(", m,", ", l,")),
        (STORE_L, STORE_L.replace(", l,", ", m,")),
    ),
    (
        "`acc` was never multiplied by `shrink`: earlier values keep weights that they had under a "
        "lower maximum.",
        ("acc * shrink[:, None]", "acc"),
    ),
    (
        "V was loaded without its mask: 0 × NaN is NaN.",
        (V_LOAD, "tl.load(v_pool + place)"),
    ),
    (
        "`p` is float32, `v` is bfloat16, and `tl.dot` wants both of one type: `p.to(v.dtype)`.",
        ("p.to(v.dtype)", "p"),
    ),
    (WRAPPED, (".to(tl.int64)", "")),
    (
        "A part's place is (row * HEADS + head) * splits + split, with HEAD_DIM numbers each in "
        "part_acc, for real heads only: the tile's padding rows must be masked in all three "
        "stores.",
        ("tl.program_id(2), tl.num_programs(2)", "tl.program_id(1), tl.num_programs(2)"),
    ),
    (
        "The span counts tiles there, and positions are tokens: times TILE.",
        (SPAN, "tl.cdiv(tl.cdiv(length, splits), TILE)"),
    ),
    ("The first token of each part was left out.", (RANGE, "range(first + 1, last, TILE)")),
    (
        "acc was multiplied by l: store it as the loop leaves it.",
        (STORE_ACC, STORE_ACC.replace(" acc,", " acc * l[:, None],")),
    ),
    (
        "l was stored as a logarithm; the merge takes the sum itself.",
        (STORE_L, STORE_L.replace(", l,", ", tl.log2(tl.where(l > 0, l, 1.0)),")),
    ),
    (
        "The last token of each part was left out: positions below `last` are its own.",
        ("position < last", "position < last - 1"),
    ),
    (
        "acc was divided by something before it was stored: store it as the loop leaves it.",
        (STORE_ACC, STORE_ACC.replace(" acc,", " acc / length,")),
    ),
):
    exercise.mistake(says, *changes)
exercise.mistake(
    "Part and KV head are swapped: the grid is (row, KV head, part), so the part is "
    "`tl.program_id(2)` of `tl.num_programs(2)`.",
    ("tl.program_id(2), tl.num_programs(2)", "tl.program_id(1), tl.num_programs(1)"),
    ("tl.program_id(0), tl.program_id(1)", "tl.program_id(0), tl.program_id(2)"),
)
exercise.mistake(
    "`last` isn't cut to the length: behind it the table has no entries, and nobody wrote.",
    ("tl.minimum(first + span, length)", "first + span"),
)
exercise.mistake(
    "m was stored plus log2(l), the sum's own logarithm: store the highest score, undivided.",
    (STORE_M, STORE_M.replace(", m,", ", m + tl.log2(tl.where(l > 0, l, 1.0)),")),
)
exercise.inherit(grouped_kernel, "All queries got one maximum")

"""Scores of one block, and mistakes with them, made from their source."""
# Triton compiles the kernels itself: their arguments are pointers, numbers and constants.
# mypy: disable-error-code="no-untyped-def, untyped-decorator"

import workbook.checks.ch07.mistakes.tile_of  # noqa: F401, its mistakes are inherited
from workbook.checks.ch07.scores_of import scores_of as exercise
from workbook.checks.ch07.tile_of import tile_of
from workbook.triton_or_stub import tl, triton


@triton.jit
def scores_of(
    q,
    k_pool,
    block_tables,
    lengths,
    out,
    index,
    scale,
    HEADS: tl.constexpr,
    KV_HEADS: tl.constexpr,
    HEAD_DIM: tl.constexpr,
    BLOCK_SIZE: tl.constexpr,
    MAX_BLOCKS: tl.constexpr,
):
    row, head = tl.program_id(0), tl.program_id(1)
    d, slot = tl.arange(0, HEAD_DIM), tl.arange(0, BLOCK_SIZE)
    query = tl.load(q + (row * HEADS + head) * HEAD_DIM + d) * scale
    kv_head = head // (HEADS // KV_HEADS)
    block = tl.load(block_tables + row * MAX_BLOCKS + index).to(tl.int64)
    token = (block * KV_HEADS + kv_head) * BLOCK_SIZE + slot
    place = token[:, None] * HEAD_DIM + d[None, :]
    written = index * BLOCK_SIZE + slot < tl.load(lengths + row)
    k = tl.load(k_pool + place, mask=written[:, None], other=0.0)
    score = tl.sum(k * query[None, :], 1)
    score = tl.where(written, score, float("-inf"))
    tl.store(out + (row * HEADS + head) * BLOCK_SIZE + slot, score)


exercise.finished = scores_of
KV_HEAD, SUM = "head // (HEADS // KV_HEADS)", "tl.sum(k * query[None, :], 1)"
WHERE = 'tl.where(written, score, float("-inf"))'
for says, *changes in (
    (
        "The sum went down the slots (axis 0). A score adds across a key's numbers, axis 1.",
        (SUM, "tl.sum(tl.sum(k * query[None, :], 0), 0) + slot * 0"),
    ),
    (
        "The maximum was taken where a sum is wanted: a score adds k × q over the head size.",
        (SUM, "tl.max(k * query[None, :], 1)"),
    ),
    (
        "The score was divided by sqrt(HEAD_DIM) once more: `scale` is in the query already.",
        (SUM, SUM + " / HEAD_DIM**0.5"),
    ),
    ("The keys were added without the query.", (SUM, "tl.sum(k, 1)")),
    (
        "Key and query were added; a score adds their products.",
        (SUM, "tl.sum(k + query[None, :], 1)"),
    ),
    (
        "That was head % KV_HEADS. The heads of a group follow one another: head // (HEADS // "
        "KV_HEADS).",
        (KV_HEAD, "head % KV_HEADS"),
    ),
    (
        "That was head // KV_HEADS; a group has HEADS // KV_HEADS heads.",
        (KV_HEAD, "head // KV_HEADS"),
    ),
    ("Every head read KV head 0: the address needs the head's group.", (KV_HEAD, "0")),
    ("The query head was taken for the KV head, and there are fewer of those.", (KV_HEAD, "head")),
    (
        "A block was taken to have HEADS heads; the pool has the KV heads alone.",
        ("block * KV_HEADS", "block * HEADS"),
    ),
    (
        "The query lies along the slots there: the tile is [slots, D], so a query goes across, "
        "`query[None, :]`.",
        ("query[None, :]", "query[:, None]"),
    ),
    (
        "The sum goes over the slots. A score is one number a slot, so add along the key, axis 1.",
        (SUM, SUM.replace(", 1)", ", 0)")),
    ),
    ("`scale` was left out.", (" * scale", "")),
    ("`scale` was multiplied in twice.", (SUM, f"{SUM} * scale")),
    (
        "A slot that nobody wrote got the score 0, which is a weight like any other. It must be "
        "-inf.",
        (WHERE, "score"),
    ),
    (
        "Written and unwritten are swapped, in `tl.where` or in the comparison: a position is "
        "written if it is below the length.",
        (WHERE, 'tl.where(written, float("-inf"), score)'),
    ),
    (
        "A slot that nobody wrote got a large number below 0. It must be -inf.",
        ('float("-inf")', "-10000.0"),
    ),
    (
        "`slot` counts within its block. The position is index × BLOCK_SIZE + slot.",
        ("index * BLOCK_SIZE + slot <", "slot <"),
    ),
    (
        "One slot too many: positions 0 to length - 1 are written, so `<`.",
        ("+ slot < tl", "+ slot <= tl"),
    ),
    (
        "Every head took head 0's query.",
        ("(row * HEADS + head) * HEAD_DIM", "row * HEADS * HEAD_DIM"),
    ),
    ("Every row took row 0's queries.", ("(row * HEADS + head) * HEAD_DIM", "head * HEAD_DIM")),
    (
        "The place in out lacks the row: row 1 wrote over row 0.",
        ("(row * HEADS + head) * BLOCK_SIZE", "head * BLOCK_SIZE"),
    ),
    (
        "The place in out is (row × HEADS + head) × BLOCK_SIZE + slot; another one is another "
        "head's, or nobody's.",
        ("(row * HEADS + head) * BLOCK_SIZE", "(row + head) * BLOCK_SIZE"),
    ),
    (
        "The place in out is (row × HEADS + head) × BLOCK_SIZE + slot; another one is another "
        "head's, or nobody's.",
        ("(row * HEADS + head) * BLOCK_SIZE", "(row * HEADS + head) * HEAD_DIM"),
    ),
    (
        "The pool was indexed [block, slot, head]; it is [block, head, slot, D].",
        (
            "(block * KV_HEADS + kv_head) * BLOCK_SIZE + slot",
            "(block * BLOCK_SIZE + slot) * KV_HEADS + kv_head",
        ),
    ),
    ("Every row read row 0's table.", ("row * MAX_BLOCKS + index", "index")),
    (
        "`index` was taken for the block; the table says which one it is.",
        (
            "tl.load(block_tables + row * MAX_BLOCKS + index).to(tl.int64)",
            "index + tl.load(lengths) * 0",
        ),
    ),
    (
        "The place in out is (row × HEADS + head) × BLOCK_SIZE + slot; another one is another "
        "head's, or nobody's.",
        (
            "(row * HEADS + head) * BLOCK_SIZE + slot, score",
            "(head * HEADS + row) * BLOCK_SIZE + slot, score",
        ),
    ),
    ("`scale` was divided by; the query is multiplied with it.", ("* scale", "/ scale")),
    (
        "Keys were multiplied with themselves: a score is k times the query.",
        ("k * query[None, :]", "k * k"),
    ),
    (
        "The sum was divided by the head size: a score is a sum, `scale` does the rest.",
        (SUM, f"{SUM} / HEAD_DIM"),
    ),
    ("An unwritten slot got +inf; -inf has the weight 0.", ('float("-inf")', 'float("inf")')),
    (
        "The absolute value or the square was taken: a score may be below 0.",
        (SUM, f"tl.abs({SUM})"),
    ),
):
    exercise.mistake(says, *changes)
# What no case here can hear is left out: a score where nobody wrote is -inf whatever was loaded.
exercise.inherit(tile_of, "Slots past the length", "The id stayed", "A load with a mask")

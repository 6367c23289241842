"""The prefill kernel of chapter 09, and mistakes with it, made from its source."""
# Triton compiles the kernel itself: its arguments are pointers, numbers and constants.
# mypy: disable-error-code="no-untyped-def, untyped-decorator"
# ruff: noqa: E741

import workbook.checks.ch08.mistakes.grouped_kernel  # noqa: F401, its mistakes are inherited
from workbook.checks.ch08.grouped_kernel import grouped_kernel
from workbook.checks.ch09 import prefill_kernel as exercises
from workbook.checks.toolboxes import far_blocks
from workbook.triton_or_stub import tl, triton

mistake = exercises.prefill_kernel.mistake


@triton.jit
def prefill_kernel(
    q,
    k_pool,
    v_pool,
    block_tables,
    lengths,
    query_starts,
    tiles,
    out,
    scale,
    HEADS: tl.constexpr,
    KV_HEADS: tl.constexpr,
    GROUP: tl.constexpr,
    TOKENS: tl.constexpr,
    QUERIES: tl.constexpr,
    HEAD_DIM: tl.constexpr,
    BLOCK_SIZE: tl.constexpr,
    MAX_BLOCKS: tl.constexpr,
    TILE: tl.constexpr,
):
    tile, kv_head = tl.program_id(0), tl.program_id(1)
    row = tl.load(tiles + 2 * tile)
    first = tl.load(tiles + 2 * tile + 1)
    begin = tl.load(query_starts + row)
    count = tl.load(query_starts + row + 1) - begin
    past = tl.load(lengths + row) - count
    r, d = tl.arange(0, QUERIES), tl.arange(0, HEAD_DIM)
    token = first + r // GROUP
    head = kv_head * GROUP + r % GROUP
    real = ((r < TOKENS * GROUP) & (token < count))[:, None]
    mine = ((begin + token) * HEADS + head)[:, None] * HEAD_DIM + d[None, :]
    queries = tl.load(q + mine, mask=real, other=0.0)
    position = past + token
    last = past + tl.minimum(first + TOKENS, count)
    table = block_tables + row * MAX_BLOCKS
    m = tl.full([QUERIES], float("-inf"), tl.float32)
    l = tl.zeros([QUERIES], tl.float32)
    acc = tl.zeros([QUERIES, HEAD_DIM], tl.float32)
    for start in range(0, last, TILE):
        key = start + tl.arange(0, TILE)
        written = key < last
        block = tl.load(table + key // BLOCK_SIZE, mask=written, other=0).to(tl.int64)
        slot = (block * KV_HEADS + kv_head) * BLOCK_SIZE + key % BLOCK_SIZE
        place = slot[:, None] * HEAD_DIM + d[None, :]
        k = tl.load(k_pool + place, mask=written[:, None], other=0.0)
        score = tl.dot(queries, tl.trans(k), input_precision="ieee") * scale
        score = tl.where(key[None, :] <= position[:, None], score, float("-inf"))
        higher = tl.maximum(m, tl.max(score, 1))
        p, shrink = tl.exp2(score - higher[:, None]), tl.exp2(m - higher)
        v = tl.load(v_pool + place, mask=written[:, None], other=0.0)
        acc = acc * shrink[:, None] + tl.dot(p.to(v.dtype), v, input_precision="ieee")
        l = l * shrink + tl.sum(p, 1)
        m = higher
    tl.store(out + mine, (acc / l[:, None]).to(out.dtype.element_ty), mask=real)


exercises.prefill_kernel.finished = prefill_kernel
CAUSAL = '        score = tl.where(key[None, :] <= position[:, None], score, float("-inf"))\n'
LAST = "past + tl.minimum(first + TOKENS, count)"
REAL = "((r < TOKENS * GROUP) & (token < count))"
V_LOAD = "tl.load(v_pool + place, mask=written[:, None], other=0.0)"
mistake(
    "The mask is a triangle from key 0: `position` left the known tokens out. It is right only for "
    "a first prompt. (This happened: gittensor-ai-lab/sparkinfer#3)",
    ("position = past + token", "position = token"),
)
mistake(
    "There is no causal mask: within a tile, tokens see those after them.",
    (CAUSAL, CAUSAL.replace("key[None, :] <= position[:, None]", "written[None, :]")),
)
mistake(
    "A token doesn't see its own key: the comparison is `<=`.",
    ("key[None, :] <= position", "key[None, :] < position"),
)
mistake(
    "The walk begins at the new tokens: the known ones are forgotten.",
    ("range(0, last, TILE)", "range(past, last, TILE)"),
)
mistake(
    "The walk ends before the tile's own tokens: `last` is where they begin.",
    (LAST, "past + first"),
)
mistake(
    "The walk ends with the reservation, not with the last token: behind it nobody wrote. (This "
    "happened: GeeeekExplorer/nano-vllm#212)",
    (LAST, "(past + count + BLOCK_SIZE - 1) // BLOCK_SIZE * BLOCK_SIZE"),
)
mistake(
    "The head was counted by tokens: row r is head r % GROUP of token r // GROUP.",
    ("r % GROUP", "r // GROUP"),
)
mistake(
    "The known tokens are missing in `last`: it counts keys from the sequence's beginning.",
    (LAST, "tl.minimum(first + TOKENS, count)"),
)
mistake(
    "`first` is missing in `last`: every tile's walk ends where the first one's does.",
    (LAST, "past + tl.minimum(TOKENS, count)"),
)
mistake(
    "`last` is a whole tile behind `first`; the sequence's last tile ends with its tokens, past + "
    "tl.minimum(first + TOKENS, count).",
    (LAST, "past + first + TOKENS"),
)
mistake(
    "The table's row is the tile's number; it is that of the tile's sequence, `row`.",
    ("block_tables + row * MAX_BLOCKS", "block_tables + tile * MAX_BLOCKS"),
)
mistake(exercises.TOO_FAR, (LAST, "past + count"))
mistake(
    "Rows were cut into tokens one way and into heads another: row r is token r // GROUP and head "
    "r % GROUP.",
    ("first + r // GROUP", "first + r % TOKENS"),
)
mistake(
    "Rows past TOKENS * GROUP were taken for real. They are the next tile's tokens, with this "
    "tile's `last`: on a GPU, whoever stores last wins.",
    (REAL, "(token < count)"),
)
mistake(
    "The first token of a tile was left out of `token`: every tile did the first one's work.",
    ("token = first + r // GROUP", "token = r // GROUP"),
)
mistake(
    "Every sequence's tokens were read from the beginning of q: `begin` is missing.",
    ("((begin + token) * HEADS", "(token * HEADS"),
)
mistake(
    "`shrink` is turned round: old weights become smaller, 2 ** (m - higher).",
    ("tl.exp2(m - higher)", "tl.exp2(higher - m)"),
)
mistake(
    "Every program answered the first group's heads: head r % GROUP counts within the group, from "
    "kv_head * GROUP on.",
    ("head = kv_head * GROUP + r % GROUP", "head = r % GROUP"),
)
mistake(
    "`begin` says where the sequence lies in q, and is no part of a position: past + token.",
    ("position = past + token", "position = past + begin + token"),
)
mistake(
    "The token was compared with TOKENS: it is counted from the sequence's first new one, so only "
    "the first tile has rows. The tile's own rows are those with r < TOKENS * GROUP.",
    (REAL, "((token < TOKENS) & (token < count))"),
)
mistake("Every sequence read sequence 0's table.", (" + row * MAX_BLOCKS", ""))
mistake(
    "Every group read KV head 0. The address of a key needs `kv_head`.",
    ("KV_HEADS + kv_head)", "KV_HEADS)"),
)
mistake(
    "Each tile of keys asked the table once. Its positions lie in several blocks: position p is in "
    "the block of entry p // BLOCK_SIZE.",
    ("table + key // BLOCK_SIZE, mask=written, other=0", "table + start // BLOCK_SIZE"),
)
mistake("The scores were not multiplied by `scale`.", (" * scale\n", "\n"))
mistake(
    "That is what `tl.exp` gives; `scale` has log2(e) in it, so the weights are `tl.exp2`.",
    ("exp2", "exp"),
)
mistake(
    "`acc` was never multiplied by `shrink`: earlier values keep weights that they had under a "
    "lower maximum.",
    ("acc * shrink[:, None]", "acc"),
)
mistake(
    "`l` was never multiplied by `shrink`, though `acc` was: the weights no longer add up to 1.",
    ("l * shrink +", "l +"),
)
mistake(
    "The load of V isn't masked. A weight of 0 doesn't erase: 0 × NaN is NaN.",
    (V_LOAD, "tl.load(v_pool + place)"),
)
mistake(
    "Each row was taken for a token of its own. GROUP rows, the heads of one token, share it: "
    "token first + r // GROUP.",
    ("first + r // GROUP", "first + r"),
)
mistake(
    "Positions were counted by rows: GROUP rows stand at the position of their token.",
    ("position = past + token", "position = past + first + r"),
)
mistake(
    "The walk read one key too few: `last` is how many keys the tile's last token sees, its own "
    "with them.",
    (LAST, LAST + " - 1"),
)
mistake(
    "`past` is the whole length: it must leave out the new tokens, which `lengths` counts.",
    ("past = tl.load(lengths + row) - count", "past = tl.load(lengths + row)"),
)
mistake(
    "The map has two numbers for each tile: its sequence is at `2 * tile`.",
    ("row = tl.load(tiles + 2 * tile)", "row = tl.load(tiles + tile)"),
)
for _words, _change in zip(
    (text for _, text in exercises.OUTSIDE),
    (
        ("mask=written, other=0)", "other=0)"),
        ("out.dtype.element_ty), mask=real)", "out.dtype.element_ty))"),
        ("tl.load(q + mine, mask=real, other=0.0)", "tl.load(q + mine)"),
    ),
    strict=True,
):
    mistake(_words, _change)
mistake(far_blocks.WRAPPED, (", other=0).to(tl.int64)", ", other=0)"))
exercises.prefill_kernel.inherit(
    grouped_kernel, "All queries got one maximum", "`m` starts at a number", "`p` is float32"
)

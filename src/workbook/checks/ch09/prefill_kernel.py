"""Chapter 09: the kernel with a tile of new tokens."""

import math
from functools import partial
from typing import Any

from workbook.checks.framework import exercise, expect
from workbook.checks.toolboxes import far_blocks, prefill_steps

HEAD_DIM = 16
MIXED = [(0, 5), (32, 8), (16, 1), (9, 0), (26, 7)]  # known and new
OUTSIDE = (
    (
        "seen from block_tables",
        "An entry outside the tables was read. A sequence's entries begin at row * MAX_BLOCKS, and "
        "the last tile of keys reaches past `last`: the load needs `mask=written`.",
    ),
    (
        " writes ",
        "The tile has QUERIES rows; those past TOKENS * GROUP, or past the sequence's new tokens, "
        "are another tile's, or nobody's.",
    ),
    (
        "seen from q,",
        "The tile has QUERIES rows; those past TOKENS * GROUP, or past the sequence's new tokens, "
        "aren't yours to read. Load them as 0, with a mask.",
    ),
)
expect_right = partial(prefill_steps.expect_right, outside=OUTSIDE)
prefill_step = partial(prefill_steps.prefill_step, head_dim=HEAD_DIM)

TOO_FAR = (
    "The walk goes on to the sequence's end. A tile reads as far as its own last token sees, "
    "past + min(first + TOKENS, count): what comes behind is masked for all its rows, and costs "
    "time."
)

prefill_kernel = exercise(
    "prefill_kernel",
    label="ex-09-3",
    title="The prefill kernel",
    stub="prefill_kernel",
    takes="function",
    hints=(
        "Against chapter 8 two things differ: each row of the tile has a position of its own, and "
        "the walk ends with the key of the tile's last token. Which rows of the tile belong to "
        "nobody?",
        "Row `r` is token `first + r // GROUP` and head `kv_head * GROUP + r % GROUP`; it stands "
        "at `past + token` and is real where `(r < TOKENS * GROUP) & (token < count)`. `last` is "
        "`past + tl.minimum(first + TOKENS, count)`, and the scores keep "
        "`key[None, :] <= position[:, None]`.",
    ),
)


@prefill_kernel.case(
    "three new after six",
    tried="9 tokens in blocks of 4, the last 3 new; one head, all in one tile",
    right="each sees the 6 known tokens and the new ones up to itself",
    why="Positions are absolute: new token i stands at past + i, and its own key is the last that "
    "it sees.",
)
def _hit(kernel: Any) -> None:
    expect_right(kernel, prefill_step([(6, 3)]), 4)


@prefill_kernel.case(
    "a first prompt in three tiles",
    tried="8 new tokens and nothing known, 3 to a tile, 6 heads over 2",
    right="the same, from tile to tile",
    why="A tile's walk ends with its last token's key, past + min(first + TOKENS, count); its rows "
    "are tokens, each with its heads side by side.",
)
def _prompt(kernel: Any) -> None:
    expect_right(kernel, prefill_step([(0, 8)], heads=6, kv_heads=2), 3)


@prefill_kernel.case(
    "a ragged batch",
    tried="0 + 5, 32 + 8, 16 + 1, 9 + 0 and 26 + 7 tokens, known and new; 3 to a tile, 6 heads "
    "over 2",
    right="every sequence reads its own table",
    why="A program is a tile of the map: `tiles[2 * i]` is its sequence, `tiles[2 * i + 1]` its "
    "first new token.",
)
def _ragged(kernel: Any) -> None:
    expect_right(kernel, prefill_step(MIXED, heads=6, kv_heads=2), 3)


@prefill_kernel.case(
    "the map backwards",
    tried="the same, the lightest tile first",
    right="the same answers",
    why="On a GPU tiles run in any order. A row that a tile has no token for is another tile's: "
    "who stores it, too, overwrites what may be there already.",
)
def _backwards(kernel: Any) -> None:
    expect_right(kernel, prefill_step(MIXED, heads=6, kv_heads=2), 3, backwards=True)


@prefill_kernel.case(
    "the same over NaN",
    tried="NaN in every slot that nobody wrote, blocks of 24",
    right="the same answers",
    why="0 × NaN is NaN: what lies behind the last token must not be loaded, as a key or a value.",
)
def _poison(kernel: Any) -> None:
    step = prefill_step(MIXED, heads=6, kv_heads=2, block_size=24, unwritten=math.nan)
    expect_right(kernel, step, 3)
    expect_reads_to_last(kernel)


def expect_reads_to_last(kernel: Any) -> None:
    """The first of two tiles, while the second one's keys hold NaN: nobody's business yet."""
    step = prefill_step([(6, 6)])
    for position in range(9, 12):
        block, slot = step.tables[0][position // 4], position % 4
        step.each.k_pool[block, :, slot] = step.each.v_pool[block, :, slot] = math.nan
    out = prefill_steps.launch(kernel, step, 3, OUTSIDE, backwards=True)[:3]
    expect(
        not out.isnan().any().item(),
        tried="6 + 6 tokens, 3 to a tile; NaN in the keys and values of the second tile's tokens",
        got="NaN in the answers of the first tile",
        right="its answers, without those keys",
        why=TOO_FAR,
    )


@prefill_kernel.case(
    "a group that fills no tile",
    tried="20 + 7 tokens, 5 heads over one, 3 tokens to a tile of 16 rows",
    right="15 rows work, and the 16th is nobody's",
    why="TOKENS * GROUP rows are real, QUERIES are there. (This happened: vllm-project/vllm#18088)",
)
def _group_of_five(kernel: Any) -> None:
    step = prefill_step([(20, 7)], heads=5, unwritten=math.nan)
    expect_right(kernel, step, 3)
    expect_right(kernel, step, 3, backwards=True)


@prefill_kernel.case(
    far_blocks.TITLE,
    tried=far_blocks.TRIED,
    right="the answers, as from any pool",
    why=far_blocks.WRAPPED,
)
def _far(kernel: Any) -> None:
    far_blocks.steadily(expect_right, kernel, prefill_steps.far_prefill(), 4, digits=1e-3)

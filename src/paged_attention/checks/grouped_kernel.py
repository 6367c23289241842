"""Chapter 08: the kernel with one program for each KV head, and tiles apart from blocks."""

import math
import random
from collections.abc import Sequence
from typing import Any

from paged_attention.checks.core import CheckFailed, NotHere, expect, in_words
from paged_attention.checks.decoding import DecodeStep, Known, attention, near, numbers
from paged_attention.checks.house import exercise
from paged_attention.checks.running import line_in

TILE = 32
HEAD_DIM = 16
LENGTHS = [0, 3, 17, 40, 100]

grouped_kernel = exercise(
    "grouped_kernel",
    label="ex-08-3",
    title="The grouped kernel",
    stub="grouped_kernel",
    takes="function",
    hints=(
        "A tile may begin in the middle of a block and end in the next but one, so each position "
        "asks the table for itself: one vector of entries, one of slots. Which of the masks of "
        "chapter 7 does the table need now, too?",
        "`block = tl.load(table + position // BLOCK_SIZE, mask=written, other=0).to(tl.int64)`, "
        "`token = (block * KV_HEADS + kv_head) * BLOCK_SIZE + position % BLOCK_SIZE`. Scores: "
        '`tl.dot(group, tl.trans(k), input_precision="ieee") * scale`, then `tl.where` with '
        "`written[None, :]`. `m`, `l` and `shrink` have one number for each query, so `tl.max` and "
        "`tl.sum` go along axis 1.",
    ),
)


def tiled_step(
    lengths: Sequence[int],
    *,
    heads: int = 1,
    kv_heads: int = 1,
    block_size: int = 16,
    unwritten: float = 0.0,
) -> DecodeStep:
    """A decode step over shuffled blocks; whatever nobody wrote holds ``unwritten``."""
    import torch

    random_numbers = torch.Generator().manual_seed(8)
    counts = [-(-length // block_size) for length in lengths]
    # Block 0 is nobody's: an entry that was masked reads as 0, and what lies there must not count.
    ids = random.Random(8).sample(range(1, sum(counts) + 3), sum(counts))
    tables = [[ids.pop(0) for _ in range(count)] for count in counts]
    shape = (sum(counts) + 3, kv_heads, block_size, HEAD_DIM)
    pools = [torch.full(shape, unwritten) for _ in range(2)]
    for table, length in zip(tables, lengths, strict=True):
        for position in range(length):
            for pool in pools:
                pool[table[position // block_size], :, position % block_size] = torch.randn(
                    kv_heads, HEAD_DIM, generator=random_numbers
                )
    q = torch.randn(len(lengths), heads, HEAD_DIM, generator=random_numbers)
    return DecodeStep(q, pools[0], pools[1], tables, list(lengths))


def launch(kernel: Any, step: DecodeStep) -> Any:
    """The kernel's ``out`` [B, Hq, D], NaN where nothing was stored."""
    from paged_attention.workbench import HAS_TRITON, NO_TRITON

    if not HAS_TRITON:
        raise NotHere(NO_TRITON)
    import torch

    from paged_attention.kernels.interpreter import OutsideMemory, interpreted

    rows, heads, _ = step.q.shape
    block_size, kv_heads = step.k_pool.shape[2], step.k_pool.shape[1]
    width = max(1, *(len(table) for table in step.tables))
    padded = [table + [0] * (width - len(table)) for table in step.tables]
    out = torch.full_like(step.q, math.nan)
    block_stride, head_stride, slot_stride, _ = step.k_pool.stride()
    try:
        interpreted(kernel)[(rows, kv_heads)](
            q=step.q,
            k_pool=step.k_pool,
            v_pool=step.v_pool,
            block_tables=torch.tensor(padded, dtype=torch.int32),
            lengths=torch.tensor(step.lengths, dtype=torch.int32),
            out=out,
            scale=HEAD_DIM**-0.5 * math.log2(math.e),
            HEADS=heads,
            KV_HEADS=kv_heads,
            HEAD_DIM=HEAD_DIM,
            BLOCK_SIZE=block_size,
            MAX_BLOCKS=width,
            GROUP=step.group,
            QUERIES=max(16, 1 << (step.group - 1).bit_length()),
            TILE=TILE,
            # The finished kernel takes strides, scaled values and head sizes of any kind.
            v_scale=1.0,
            q_row_stride=step.q.stride(0),
            q_head_stride=step.q.stride(1),
            block_stride=block_stride,
            head_stride=head_stride,
            slot_stride=slot_stride,
            table_stride=width,
            LANES=HEAD_DIM,
        )
    except OutsideMemory as error:
        got = in_words(error) + line_in(error, kernel)
        raise CheckFailed(got, why=_why_outside(str(error))) from None
    return out


def _why_outside(said: str) -> str | None:
    if "seen from block_tables" in said:
        return (
            "The last tile reaches past the length, and past the end of its row of the table: the "
            "load of the entries needs `mask=written`."
        )
    if " writes " in said:
        return (
            "The tile has QUERIES rows and the group only GROUP. In `out` the others are the next "
            "group's, whose program may be done: on a GPU, whoever stores last wins."
        )
    if "seen from q," in said:
        return (
            "The group has GROUP queries; the tile's other rows lie behind it in `q`, and behind "
            "the last group comes memory that isn't yours. Load them as 0, with a mask."
        )
    return None


def expect_right(kernel: Any, step: DecodeStep, known: Sequence[Known] = ()) -> None:
    """Fail with the first row and head that are wrong, and the why of a known mistake."""
    out = launch(kernel, step).tolist()
    places = [(r, h) for r in range(len(out)) for h in range(len(out[r])) if step.lengths[r]]
    for row, head in places:
        right = attention(step, row, head)
        if near(out[row][head], right):
            continue
        why = (
            text for wrong, text in known if all(near(out[r][h], wrong(r, h)) for r, h in places)
        )
        got = f"row {row}, head {head}: {numbers(out[row][head])}"
        raise CheckFailed(got, right=numbers(right), why=next(why, None))


@grouped_kernel.case(
    "one tile, one head",
    tried="32 tokens in one block of 32, head size 16, TILE 32",
    right="the answer of chapter 7's kernel",
    why="With one head in the group, 15 of the 16 rows are padding and the first one counts.",
)
def _one_tile(kernel: Any) -> None:
    step = tiled_step([32], block_size=32)
    root = HEAD_DIM**-0.5
    known = [
        (
            lambda row, head: attention(step, row, head, scale=1 / math.log2(math.e)),
            "The scores were not multiplied by `scale`.",
        ),
        (
            lambda row, head: attention(step, row, head, scale=root * math.log2(math.e)),
            "That is what `tl.exp` gives; `scale` has log2(e) in it, so the weights are `tl.exp2`.",
        ),
    ]
    expect_right(kernel, step, known)


@grouped_kernel.case(
    "three tiles",
    tried="96 tokens in 3 blocks of 32, 4 heads over one",
    right="the same",
    why="`m`, `l` and `acc` live on from tile to tile. When a query's `m` rises, its `l` and its "
    "row of `acc` shrink.",
)
def _three_tiles(kernel: Any) -> None:
    expect_right(kernel, tiled_step([96], heads=4, block_size=32))


@grouped_kernel.case(
    "two rows, nine heads over three",
    tried="2 rows of 32 tokens in blocks of 32; heads 0, 1, 2 read KV head 0, heads 3, 4, 5 KV "
    "head 1 …",
    right="each group reads its KV head, each row its table",
    why="Program (row, kv_head) answers heads kv_head * GROUP to kv_head * GROUP + GROUP - 1.",
)
def _heads(kernel: Any) -> None:
    step = tiled_step([32, 32], heads=9, kv_heads=3, block_size=32)
    known = [
        (
            lambda row, head: attention(step, row, head, kv_head=head % 3),
            "The heads came out permuted: query g of this group is head kv_head * GROUP + g, not "
            "g * KV_HEADS + kv_head.",
        ),
        (
            lambda row, head: attention(step, row, head, table=step.tables[0]),
            "Row 1 read row 0's table.",
        ),
        (
            lambda row, head: attention(step, row, head, kv_head=0),
            "Every group read KV head 0. The address of a key needs `kv_head`.",
        ),
    ]
    expect_right(kernel, step, known)


def _one_entry(step: DecodeStep, row: int, head: int, *, runs_on: bool) -> list[float]:
    """The answer when each tile asks the table once, for its first position.

    ``runs_on``: from there straight through memory, else with the right slots in the wrong block.
    """
    _, kv_heads, size, head_dim = step.k_pool.shape
    places = []
    for position in range(step.lengths[row]):
        start = position // TILE * TILE
        slot = start % size + position - start if runs_on else position % size
        token = step.tables[row][start // size] * kv_heads + head // step.group
        places.append(token * size + slot)
    pools = [
        pool.reshape(-1, head_dim)[[place % (pool.numel() // head_dim) for place in places]]
        for pool in (step.k_pool, step.v_pool)
    ]
    k_pool, v_pool = (pool[:, None, None] for pool in pools)
    line = DecodeStep(step.q, k_pool, v_pool, [], step.lengths)
    return attention(line, row, head, kv_head=0, table=range(len(places)))


for _size in (8, 24, 16):

    @grouped_kernel.case(
        f"blocks of {_size}",
        tried=f"lengths 0, 3, 17, 40, 100 in blocks of {_size}, 6 heads over 2; zeros where nobody "
        "wrote",
        right="rows 1 to 4 right, whatever the block size",
        why="Block size and tile are two numbers. A tile of 32 takes four blocks of 8, or ends in "
        "the middle of a block of 24.",
    )
    def _blocks(kernel: Any, size: int = _size) -> None:
        step = tiled_step(LENGTHS, heads=6, kv_heads=2, block_size=size)
        known = [
            (
                lambda row, head: _one_entry(step, row, head, runs_on=True),
                "Each tile ran on behind the block where it began. A block has BLOCK_SIZE slots; "
                "what lies behind them is another head's, or another block's.",
            ),
            (
                lambda row, head: _one_entry(step, row, head, runs_on=False),
                "Each tile asked the table once. Its positions lie in several blocks: position p "
                "is in the block of entry p // BLOCK_SIZE.",
            ),
            (
                lambda row, head: attention(
                    step, row, head, empty_slots=-step.lengths[row] % TILE
                ),
                "The last tile was counted whole: 100 tokens became 128, and the 28 others got a "
                "score of 0. Their score must be -inf. (This happened: pytorch/pytorch#160861)",
            ),
        ]  # fmt: skip
        expect_right(kernel, step, known)


@grouped_kernel.case(
    "the same over NaN",
    tried="lengths 0, 3, 17, 40, 100 in blocks of 24, NaN where nobody wrote",
    right="the same answers",
    why="Weight 0 doesn't erase: in a `tl.dot`, too, 0 × NaN is NaN. Mask the load of V.",
)
def _poison(kernel: Any) -> None:
    step = tiled_step(LENGTHS, heads=6, kv_heads=2, block_size=24, unwritten=math.nan)
    expect_right(kernel, step)


@grouped_kernel.case(
    "a row without tokens",
    tried="lengths 0, 3, 17, 40, 100",
    right="zeros in row 0",
    why="Its loop never ran, so l is 0: divide by something else, and store.",
)
def _empty(kernel: Any) -> None:
    row = launch(kernel, tiled_step(LENGTHS, heads=6, kv_heads=2))[0]
    zeros = not row.any().item() and not row.isnan().any().item()
    expect(zeros, got=f"row 0: {numbers(row[0].tolist())}", right="0.0000, 0.0000, 0.0000 …")

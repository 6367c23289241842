"""Chapter 03: the histories of a batch, gathered."""

import math
from typing import Any

from workbook.checks.framework import exercise, expect, shown

HEADS, HEAD_DIM = 3, 5

gather_batch = exercise(
    "gather_batch",
    label="ex-03-3",
    title="Gather a batch",
    stub="gather_batch",
    takes="function",
    hints=(
        "`pool[tables]` is the worked cell with one axis more in front: "
        "`[B, width, heads, slots, D]`. Which two axes must become neighbours, to be joined? Then "
        "cut at the longest end.",
        "`transpose(1, 2)`, `flatten(2, 3)`, cut. `torch.arange(longest) >= ends[:, None]` is "
        "`[B, S]` and says what lies past an end; `masked_fill` takes it as "
        "`mask[:, None, :, None]`.",
    ),
)


def _number(row: int, head: int, position: int) -> int:
    """The first of a token's numbers; each of the others is one more."""
    return 10_000 * row + 1_000 * head + 10 * position


def _pool(tables: list[list[int]], ends: list[int], size: int, unwritten: float) -> Any:
    """[12, HEADS, size, HEAD_DIM]: known numbers where the tables' tokens lie."""
    import torch

    pool = torch.full((12, HEADS, size, HEAD_DIM), unwritten)
    for row, (table, end) in enumerate(zip(tables, ends, strict=True)):
        for position in range(end):
            for head in range(HEADS):
                first = _number(row, head, position)
                numbers = torch.arange(first, first + HEAD_DIM)
                pool[table[position // size], head, position % size] = numbers
    return pool


def _case(
    title: str,
    tables: list[list[int]],
    ends: list[int],
    why: str,
    *,
    size: int = 4,
    unwritten: float = -1.0,
    dtype: str = "float32",
) -> None:
    """Rows of ``tables``, padded with 0 to the same width; every answer is compared in full."""
    width = max(map(len, tables))
    padded = [table + [0] * (width - len(table)) for table in tables]
    others = "" if dtype == "float32" else f"; the pool is {dtype}"

    @gather_batch.case(
        title,
        tried=f"tables {padded}, ends {ends}, blocks of {size}, {HEADS} KV heads; unwritten slots "
        f"hold {unwritten:g}{others}",
        right="row r, head h: 10000 r + 1000 h + 10 p for each position p before its end, then 0",
        why=why,
    )
    def _body(function: Any) -> None:
        import torch

        pool = _pool(tables, ends, size, unwritten).to(getattr(torch, dtype))
        before = pool.clone()
        got = function(pool, torch.tensor(padded), torch.tensor(ends))
        _expect_histories(got, ends, pool.dtype)
        expect(
            torch.equal(pool.nan_to_num(7), before.nan_to_num(7)),
            got="the right answer, and other numbers in the pool",
            right="the pool unchanged",
            why="To read is not to write. What lies past a row's end may be somebody's: fill zeros "
            "into the copy.",
        )


def _expect_histories(got: Any, ends: list[int], dtype: Any) -> None:
    import torch

    longest = max(ends)
    shape = [len(ends), HEADS, longest, HEAD_DIM]
    begins = ", ".join(f"{number:g}" for number in got.flatten()[::HEAD_DIM][:4].tolist())
    expect(
        list(got.shape) == shape,
        got=f"shape {list(got.shape)}, beginning with {begins}",
        right=f"shape {shape}, which is [B, KV heads, S, D]",
        why="One history a row, one line a head, and as many places as the longest row has tokens.",
    )
    expect(
        got.dtype == dtype,
        got=f"numbers of {got.dtype}",
        right=f"numbers of {dtype}, the pool's type",
        why="A history is as the pool keeps it; a model in bfloat16 can't multiply float32.",
    )
    for row, end in enumerate(ends):
        for head in range(HEADS):
            wanted = [_number(row, head, position) for position in range(end)]
            found = got[row, head].float()
            numbers = [_whole(number) for number in found[:, 0].tolist()]
            first = torch.tensor(wanted, dtype=dtype).tolist() + [0] * (longest - end)
            expect(numbers == first, got=f"row {row}, head {head}: {shown(numbers)}")
            right = torch.zeros(longest, HEAD_DIM, dtype=dtype)
            right[:end] = torch.tensor(wanted)[:, None] + torch.arange(HEAD_DIM)
            expect(
                torch.equal(found, right.float()),
                got=f"row {row}, head {head}: the first number of each token is right, the others "
                f"aren't; position 0 is {shown([_whole(x) for x in found[0].tolist()])}",
                right="a token's numbers follow one another",
                why="A token's numbers stay together, and past the end all of them are 0.",
            )


def _whole(number: float) -> float:
    return int(number) if math.isfinite(number) else number


_case(
    "one row, which ends in its last block",
    [[7, 2, 11]],
    [10],
    "The blocks come in the order of the table, and the history is cut at its end.",
)
_case(
    "two rows of one length",
    [[7, 2, 11], [3, 9, 5]],
    [10, 10],
    "Rows and heads stay apart.",
)
_case(
    "a short row",
    [[7, 0, 11], [3]],
    [10, 3],
    "Past its end a row holds zeros, not what lies in the block that its padding names.",
)
_case(
    "the longest row comes last",
    [[3], [9], [7, 0]],
    [3, 4, 5],
    "The longest row decides how many places there are, wherever it stands.",
)
_case(
    "tables with room to spare",
    [[9, 0, 4], [3, 8, 6]],
    [2, 5],
    "Blocks are reserved before they are written: the ends decide, not the table's width.",
)
_case(
    "over NaN",
    [[7, 2, 0], [3, 9]],
    [9, 6],
    "Attention gives such a slot the weight 0, and 0 × NaN is NaN.",
    unwritten=math.nan,
)
_case(
    "blocks of 3, in bfloat16",
    [[7, 2, 11], [5, 0]],
    [8, 4],
    "A block has `pool.shape[2]` slots, and a history has the pool's type.",
    size=3,
    dtype="bfloat16",
)

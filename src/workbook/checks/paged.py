"""Chapter 03: the look-up, and the gather of one history."""

from typing import Any

from workbook.checks.core import attempt, expect, shown
from workbook.checks.house import exercise

TABLE = [7, 2, 11, 5, 9, 0]

physical_slot = exercise(
    "physical_slot",
    label="ex-03-1",
    title="Physical slot",
    stub="physical_slot",
    takes="function",
    hints=(
        "Two questions: which entry of the table covers this position, and how far into the block "
        "does it lie? Python's `divmod` answers both at once.",
        "`index, offset = divmod(position, block_size)`. The block is `table[index]`. A list takes "
        "a negative index without a word, so refuse positions below 0 yourself.",
    ),
)
gather = exercise(
    "gather",
    label="ex-03-2",
    title="Gather",
    stub="gather",
    takes="function",
    hints=(
        "A tensor can be indexed with a whole list: `pool[table]` is the blocks in the order of "
        "the table. Print its shape.",
        "`pool[table]` is `[blocks, heads, block_size, D]`. Bring the heads to the front with "
        "`transpose`, join the two axes that are now neighbours with `flatten(1, 2)`, then cut.",
    ),
)
physical_slot.example(
    "position 9 of a table of 3",
    [5, 1, 7],
    9,
    4,
    right=(7, 1),
    why="Position 9 is in logical block 2 at offset 1, and the table says that logical block 2 is "
    "physical block 7.",
    when=[
        ((2, 1), "2 is the logical block; only the table knows where it lies."),
        ((1, 2), "Quotient and remainder are swapped: 9 // 4 chooses the entry, 9 % 4 the slot."),
        ((1, 7), "Block first, then offset: everyone who unpacks the pair relies on the order."),
        (29, "29 counts slots from the start of the pool; the pair (block, offset) is wanted."),
        ([7, 1], "A tuple is wanted: a pair is one thing, a list could grow."),
    ],
)
physical_slot.example("the first position", [5, 1, 7], 0, 4, right=(5, 0), why="It opens block 5.")
physical_slot.example(
    "the last of 22 tokens", TABLE, 21, 4, right=(0, 1), why="21 = 5 × 4 + 1, and table[5] is 0."
)
physical_slot.example(
    "blocks of 16",
    [3, 8],
    5,
    16,
    right=(3, 5),
    why="The size of a block is the third argument: 16 to a block, so position 5 is in the first.",
)


@physical_slot.case(
    "positions without a slot are refused",
    tried="positions -1 and 12 of the table [5, 1, 7], blocks of 4",
    right="IndexError for both",
    why="There is no such slot; the caller must hear of it before it reads or writes.",
)
def _outside(function: Any) -> None:
    for position in (-1, 12):
        outcome = attempt(function, [5, 1, 7], position, 4)
        better = "That slot belongs to another token. In Python -1 // 4 is -1, and table[-1] is the"
        expect(
            outcome.raised(IndexError),
            tried=f"physical_slot([5, 1, 7], {position}, 4)",
            got=str(outcome),
            right="IndexError",
            why=f"{better} last block." if outcome.error is None and position < 0 else None,
        )


def _pool(kv_heads: int, unwritten: float) -> Any:
    """[12, kv_heads, 4, 2]: position p of head h holds 100 h + p and its negative."""
    import torch

    pool = torch.full((12, kv_heads, 4, 2), unwritten)
    for position in range(22):
        block, offset = TABLE[position // 4], position % 4
        for head in range(kv_heads):
            value = 100.0 * head + position
            pool[block, head, offset] = torch.tensor([value, -value])
    return pool


def _expect_shape(got: Any, heads: int, n: int) -> None:
    shape = list(got.shape)
    why = "One row a head, one entry a token, the head's numbers last."
    if shape[:1] + shape[2:] == [heads, 2] and shape[1] > n:
        why = (
            f"{shape[1]} slots for {n} tokens: the last block is read to its end, and what lies "
            "there was never written by this sequence. Cut at n."
        )
    elif shape[:1] + shape[2:] == [heads, 2]:
        why = f"{n - shape[1]} tokens are missing: the last block counts too, however few it holds."
    expect(shape == [heads, n, 2], got=f"shape {shape}", right=f"shape {[heads, n, 2]}", why=why)


@gather.case(
    "22 tokens in logical order",
    tried=f"gather(pool, {TABLE}, 22); position p holds p, every other slot -1",
    right="0, 1, 2 … 21",
    why="The history comes back in the order in which it was written, wherever the blocks lie.",
)
def _in_order(function: Any) -> None:
    pool = _pool(1, -1.0)
    keys = function(pool, TABLE.copy(), 22)
    _expect_shape(keys, 1, 22)
    got = [int(value) for value in keys[0, :, 0].tolist()]
    why = None
    if got[:2] == [20, 21]:
        why = "It starts with block 0: the table's order is the history's order, so never sort it."
    elif got[:5] == [0, 1, 2, 3, -1]:
        why = "After block 7 comes block 8, which is not in the table: it isn't yours."
    expect(got == list(range(22)), got=shown(got), why=why)


@gather.case(
    "three heads stay apart",
    tried=f"the same with 3 heads: head h holds 100 h + p; gather(pool, {TABLE}, 22)",
    right="head 0: 0, 1, 2 …; head 1: 100, 101, 102 …; head 2: 200, 201, 202 …",
    why="Each head attends over its own keys.",
)
def _heads(function: Any) -> None:
    keys = function(_pool(3, -1.0), TABLE.copy(), 22)
    _expect_shape(keys, 3, 22)
    for head in range(3):
        got = [int(value) for value in keys[head, :, 0].tolist()]
        expect(
            got == [100 * head + p for p in range(22)],
            got=f"head {head}: {shown(got)}",
            why="The heads are mixed. `reshape` never moves data to another axis, it only cuts the "
            "same row of numbers elsewhere; move the axis first.",
        )
        expect(
            (keys[head, :, 1] == -keys[head, :, 0]).all().item(),
            got=f"head {head}: the second number of each token is {shown(keys[head, :2, 1])} …",
            why="A token's numbers stay together.",
        )


@gather.case(
    "unwritten slots are never read",
    tried="every unwritten slot holds NaN; n is 20, 21, 22",
    right="finite values only",
    why="What lies behind the end is somebody's old memory.",
)
def _unwritten(function: Any) -> None:
    pool = _pool(2, float("nan"))
    for n in (20, 21, 22):
        keys = function(pool, TABLE.copy(), n)
        expect(
            list(keys.shape) == [2, n, 2],
            tried=f"gather(pool, {TABLE}, {n})",
            got=f"shape {list(keys.shape)}",
            right=f"shape {[2, n, 2]}",
            why="A table may be longer than the history: blocks are reserved before they are "
            "written, so n decides, not the table.",
        )
        expect(keys.isfinite().all().item(), got=f"NaN among the first {n} tokens")


@gather.case(
    "a table with room to spare, and a full one",
    tried="blocks of 3; gather(pool, [2, 0, 3], n) for n = 1, 4 and 9",
    right="the first n of the 9 tokens, each time",
    why="n may end in any block of the table, and a block has `pool.shape[2]` slots, here 3.",
)
def _room_to_spare(function: Any) -> None:
    import torch

    table = [2, 0, 3]
    pool = torch.arange(4 * 2 * 3.0).reshape(4, 2, 3, 1)  # 4 blocks, 2 heads, 3 slots
    for n in (1, 4, 9):
        tried = f"blocks of 3; gather(pool, {table}, {n})"
        outcome = attempt(function, pool, table.copy(), n)
        expect(outcome.error is None, tried=tried, got=str(outcome), right=f"shape {[2, n, 1]}")
        keys = outcome.value
        why = None
        if keys.shape[1] == 0:
            why = "Nothing had to be cut off, and nothing is left: in Python `[:-0]` is `[:0]`."
        elif keys.shape[1] > n:
            why = (
                "Tokens past n: the history ends in the first block here, not in the table's last."
            )
        expect(
            list(keys.shape) == [2, n, 1],
            tried=tried,
            got=f"shape {list(keys.shape)}",
            right=f"shape {[2, n, 1]}",
            why=why,
        )
        slots = [(table[p // 3], p % 3) for p in range(n)]
        for head in range(2):
            right = [int(pool[block, head, slot, 0]) for block, slot in slots]
            got = [int(value) for value in keys[head, :, 0].tolist()]
            expect(got == right, tried=tried, got=f"head {head}: {got}", right=f"{right}")

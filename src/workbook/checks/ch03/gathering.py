"""Chapter 03: the gather of one history."""

from typing import Any

from workbook.checks.framework import attempt, exercise, expect, shown
from workbook.checks.toolboxes.known_tokens import HEAD, keys_of

TABLE = [7, 2, 11, 5, 9, 0]

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


def _pool(kv_heads: int, unwritten: float) -> Any:
    """[12, kv_heads, 4, 2]: 22 known tokens in the blocks of ``TABLE``, in their first number.

    The second is its negative.
    """
    import torch

    pool = torch.full((12, kv_heads, 4, 2), unwritten)
    for position in range(22):
        key = keys_of([[position]], 0, kv_heads)[0, :, 0, 0]
        pool[TABLE[position // 4], :, position % 4] = torch.stack([key, -key], 1)
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
        why = f"{n - shape[1]} tokens are missing."
    begins = ", ".join(f"{number:g}" for number in got.flatten()[:4].tolist())
    expect(
        shape == [heads, n, 2],
        got=f"shape {shape}, beginning with {begins}",
        right=f"shape {[heads, n, 2]}",
        why=why,
    )


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
    tried=f"the same with 3 heads: head h holds 1000 h + p; gather(pool, {TABLE}, 22)",
    right="head 0: 0, 1, 2 …; head 1: 1000, 1001 …; head 2: 2000, 2001 …",
    why="Each head attends over its own keys.",
)
def _heads(function: Any) -> None:
    keys = function(_pool(3, -1.0), TABLE.copy(), 22)
    _expect_shape(keys, 3, 22)
    for head in range(3):
        got = [int(value) for value in keys[head, :, 0].tolist()]
        expect(
            got == [HEAD * head + p for p in range(22)],
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

"""Chapter 03: the look-up of one position."""

from typing import Any

from workbook.checks.framework import attempt, exercise, expect

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
    "the first position of a block", [5, 1, 7], 8, 4, right=(7, 0), why="8 = 2 × 4 + 0."
)
physical_slot.example(
    "the last of 22 tokens", TABLE, 21, 4, right=(0, 1), why="21 = 5 × 4 + 1, and table[5] is 0."
)
physical_slot.example(
    "the last slot of a table", [5, 1, 7], 11, 4, right=(7, 3), why="3 blocks of 4 have 12 slots."
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
            got=str(outcome) if outcome.error is None else type(outcome.error).__name__,
            right="IndexError",
            why=f"{better} last block." if outcome.error is None and position < 0 else None,
        )

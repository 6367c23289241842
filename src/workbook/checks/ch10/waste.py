"""Chapter 10: slots that hold no token."""

from workbook.checks.framework import exercise

waste = exercise(
    "waste_at",
    label="ex-10-1",
    title="Waste at a block size",
    stub="waste_at",
    takes="function",
    hints=(
        "Each sequence takes whole blocks. What would be wasted with blocks of one token? Which "
        "two numbers does the share divide?",
        "Blocks of one sequence: `-(-n // b)`. Slots held: all blocks times `b`. Slots with a "
        "token: the sum of the lengths.",
    ),
)
waste.example(
    "one token in a block of 16",
    [1],
    16,
    right=0.9375,
    why="15 of the 16 slots that are held hold nothing.",
)
waste.example(
    "a full block", [16], 16, right=0.0, why="16 tokens fill one block, and take no second."
)
waste.example("one more", [17], 16, right=0.46875, why="17 tokens take two blocks: 15 of 32 slots.")
waste.example(
    "short ones beside a long one",
    [3, 100, 5],
    8,
    right=0.1,
    why="All slots that are held count once: 12 of 8 + 104 + 8. A long sequence weighs more.",
)
waste.example("blocks of one token", [3, 5], 1, right=0.0, why="Nothing is ever part-filled.")

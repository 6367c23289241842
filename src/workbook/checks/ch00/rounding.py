"""Chapter 00: rounding up."""

from workbook.checks.framework import exercise

ceil_div = exercise(
    "ceil_div",
    label="ex-00-1",
    title="Round up",
    stub="ceil_div",
    takes="function",
    hints=(
        "What does your formula say when `a` is an exact multiple of `b`, such as 4 and 4? And one "
        "token later?",
        "`//` rounds down. Rounding `-a / b` down and changing the sign back rounds `a / b` up, "
        "without a single float.",
    ),
)

ceil_div.example(
    "3 tokens, blocks of 4",
    3,
    4,
    right=1,
    why="Three tokens need one block, which isn't full yet.",
    when=[
        (0, "`//` rounds down: these three tokens have no home."),
        (1.0, "The number is right, but a count is an int: 1, not 1.0. Use `//`, not `/`."),
        (0.75, "`/` divides exactly. How many whole blocks does that take?"),
    ],
)
ceil_div.example(
    "4 tokens, blocks of 4",
    4,
    4,
    right=1,
    why="An exact multiple needs no extra block.",
    when=[(2, "4 tokens fill 1 block, not 2. The second one would stay empty.")],
)
ceil_div.example(
    "5 tokens, blocks of 4",
    5,
    4,
    right=2,
    why="The fifth token needs a second block.",
    when=[(1, "The fifth token has no home: the one block is full after four.")],
)
ceil_div.example(
    "no tokens",
    0,
    4,
    right=0,
    why="Nothing to store, nothing to hold.",
    when=[(1, "A sequence without tokens needs no block.")],
)
ceil_div.example(
    "2**53 + 1 by 1",
    2**53 + 1,
    1,
    right=2**53 + 1,
    why="Integers are exact, whatever their size.",
    when=[(2**53, "A float has 53 bits, and lost the last 1 on the way. Stay with integers.")],
)

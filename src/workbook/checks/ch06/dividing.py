"""Chapter 06: how a step's budget is divided."""

from workbook.checks.framework import exercise

shares = exercise(
    "shares",
    label="ex-06-1",
    title="Divide the budget",
    stub="shares",
    takes="function",
    hints=(
        "Who can't wait without a reader noticing? Put their tokens aside before anybody else gets "
        "some. What is left then?",
        "`budget -= left.count(1)`. Then walk the list: a 1 stays 1; of anything larger take "
        "`min(n, budget, chunk)`, and take it off the budget, which may be 0 by then.",
    ),
)

_SPEAK = "Who has one token left is about to speak, and speaks in every step."
shares.example(
    "two speak, one reads",
    [1, 1, 20],
    6,
    6,
    right=[1, 1, 4],
    why=_SPEAK + " The reader gets what is left of the budget.",
    when=[
        (
            [1, 1, 6],
            "That makes 8 tokens, and 6 are allowed: those of the two who speak count, too.",
        )
    ],
)
shares.example(
    "the oldest reader first, and no more than a chunk",
    [20, 9, 1],
    12,
    8,
    right=[8, 3, 1],
    why="The one that speaks gets its token, the oldest a whole chunk, the next what is left.",
)
shares.example(
    "nothing left for the youngest",
    [30, 1, 7, 5],
    9,
    8,
    right=[8, 1, 0, 0],
    why="A share may be 0: those two wait a step.",
)
shares.example(
    "the oldest reader isn't the one with most or least",
    [4, 30, 1, 3, 12],
    17,
    8,
    right=[4, 8, 1, 3, 1],
    why="The list goes from the oldest to the newest, and nothing else decides.",
)
shares.example(
    "back after a preemption",
    [9, 1],
    24,
    24,
    right=[9, 1],
    why="What is left to run is all that is known and not in the cache, whatever the reason.",
)
shares.example(
    "a budget of speakers alone",
    [1, 1, 1, 40],
    3,
    3,
    right=[1, 1, 1, 0],
    why=_SPEAK + " Nothing is left for a prompt in this step.",
)
shares.example("nobody runs", [], 6, 6, right=[], why="No request, no share.")

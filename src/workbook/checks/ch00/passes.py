"""Chapter 00: what is cached, and how many tokens are run."""

from workbook.checks.framework import exercise

cached = exercise(
    "cached",
    label="ex-00-2",
    title="Tokens in the cache",
    stub="cached",
    takes="function",
    hints=(
        "Draw the `p + k` tokens in a row, and cross out those that were never run.",
        "Only the newest token has not been run yet: nothing came after it.",
    ),
)
runs = exercise(
    "runs",
    label="ex-00-3",
    title="Tokens that are run",
    stub="runs",
    takes="function",
    hints=(
        "Without a cache, each new token takes one pass over the whole text so far. Write down how "
        "long the text is in each of the `k` passes.",
        "The first pass runs the `p` tokens of the prompt, the next one `p + 1`, and the last "
        "`p + k - 1`. `sum` takes a `range`.",
    ),
)


cached.example(
    "5 in, 1 out",
    5,
    1,
    right=5,
    why="The prompt was run, and the one output was not.",
    when=[
        (6, "The newest token has no keys and values yet: it has not been run."),
        (0, "The tokens of the prompt were run, and their keys and values stay."),
        (4, "All 5 tokens of the prompt were run; one is missing."),
        (1, "That is the number of outputs; the prompt's tokens are what is cached."),
    ],
)
cached.example(
    "5 in, 5 out",
    5,
    5,
    right=9,
    why="5 tokens of the prompt, and the first 4 outputs.",
    when=[
        (5, "Outputs are run, too: each but the last was the input for the next one."),
        (25, "Tokens are added, not multiplied: each is cached once."),
    ],
)
cached.example("a prompt of one token", 1, 1, right=1, why="Only the prompt's token was run.")
cached.example("100 in, 100 out", 100, 100, right=199, why="100 and 99.")

runs.example(
    "5 in, 5 out, no cache",
    5,
    5,
    False,
    right=35,
    why="Five passes over a growing text: 5 + 6 + 7 + 8 + 9.",
    when=[
        (25, "The text grows: the second pass runs 6 tokens, not 5."),
        (45, "One pass too many: the fifth output comes out of a pass over 9 tokens."),
        (40, "It starts late: the first pass runs the prompt alone, 5 tokens."),
        (9, "That is what a cache makes of it. Without one, each pass begins at the start."),
        (30, "The last pass is missing: it runs 9 tokens and isn't counted here."),
    ],
)
runs.example(
    "5 in, 5 out, with a cache",
    5,
    5,
    True,
    right=9,
    why="The prompt once, then each output but the last once.",
    when=[(35, "35 is without a cache. With one, no token runs twice: 9.")],
)
runs.example(
    "one output, no cache", 5, 1, False, right=5, why="One pass over the prompt; nothing grew yet."
)
runs.example(
    "one output, with a cache",
    5,
    1,
    True,
    right=5,
    why="A cache saves nothing on the first pass: it is filled there.",
)
runs.example(
    "100 in, 100 out, no cache",
    100,
    100,
    False,
    right=14_950,
    why="100 + 101 + … + 199.",
)

"""Chapter 00: how many tokens come out, and how many are run."""

from workbook.checks.framework import exercise

most_outputs = exercise(
    "most_outputs",
    label="ex-00-2",
    title="Tokens that can come out",
    stub="most_outputs",
    takes="function",
    hints=(
        "Cached = prompt + outputs − 1. Which of the four is asked for, and when is `cached` as "
        "large as it can be?",
        "A prompt that fills the room exactly still has one output: the newest token needs no "
        "room. So `room - p + 1`, unless the prompt is larger than the room.",
    ),
)
runs = exercise(
    "runs",
    label="ex-00-3",
    title="Tokens that are run",
    stub="runs",
    takes="function",
    hints=(
        "With a cache, a token that was run is cached: you know that number. Without one, write "
        "down how long the text is in each of the `k` passes.",
        "The first pass runs the `p` tokens of the prompt, the next one `p + 1`, and the last "
        "`p + k - 1`. `sum` takes a `range`.",
    ),
)


most_outputs.example(
    "a prompt of 3, room for 10",
    3,
    10,
    right=8,
    why="The newest token needs no room: 3 and 7 outputs fill it, and one more comes out.",
)
most_outputs.example(
    "a prompt that fills the room",
    7,
    7,
    right=1,
    why="The prompt is run, and what comes out needn't be.",
)
most_outputs.example(
    "a prompt larger than the room",
    9,
    4,
    right=0,
    why="A prompt that can't be run has no output. None can come out, and that is a number, 0: no "
    "error, and nothing below 0.",
)
most_outputs.example(
    "one token more than the room",
    5,
    4,
    right=0,
    why="A prompt that can't be run has no output, not even one.",
)
most_outputs.example("no room at all", 2, 0, right=0, why="Nothing can be run.")
most_outputs.example(
    "a prompt of one token", 1, 200, right=200, why="1 and 199 outputs fill the room, and one more."
)

runs.example(
    "7 in, 3 out, no cache",
    7,
    3,
    False,
    right=24,
    why="Each pass runs the whole text so far: 7 + 8 + 9.",
)
runs.example(
    "7 in, 3 out, with a cache",
    7,
    3,
    True,
    right=9,
    why="The prompt once, then each output but the last once.",
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
runs.example("a prompt of one token, no cache", 1, 6, False, right=21, why="1 + 2 + 3 + 4 + 5 + 6.")
runs.example(
    "100 in, 100 out, no cache",
    100,
    100,
    False,
    right=14_950,
    why="100 + 101 + … + 199.",
)

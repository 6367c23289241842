"""Chapter 09: how many keys each new token sees."""

from workbook.checks.framework import exercise

keys_seen = exercise(
    "keys_seen",
    label="ex-09-1",
    title="How many keys?",
    stub="keys_seen",
    takes="function",
    hints=(
        "Where do the new tokens of a sequence begin, counted in its own positions? Its length "
        "counts them already.",
        "Sequence `i` brings `count = starts[i + 1] - starts[i]` new tokens, after "
        "`lengths[i] - count` known ones. The first sees all known ones and itself.",
    ),
)
keys_seen.example(
    "three new after six",
    [9],
    [0, 3],
    right=[7, 8, 9],
    why="Token i sees everything before it and itself: past + i + 1 keys.",
)
keys_seen.example(
    "a first prompt",
    [4],
    [0, 4],
    right=[1, 2, 3, 4],
    why="Nothing is known: a prompt is the case past = 0, and nothing special.",
)
keys_seen.example(
    "three sequences, one of them without new tokens",
    [9, 6, 5],
    [0, 3, 3, 5],
    right=[7, 8, 9, 4, 5],
    why="Each sequence counts from its own past; one without new tokens adds nothing.",
)
keys_seen.example(
    "one new token", [17], [0, 1], right=[17], why="Decode is the case of one new token."
)
keys_seen.example(
    "nothing is new", [4, 7], [0, 0, 0], right=[], why="No new token, no row, no number."
)

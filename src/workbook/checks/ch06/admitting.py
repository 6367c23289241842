"""Chapter 06: how many of those who wait may begin."""

from workbook.checks.framework import exercise

admit = exercise(
    "admit",
    label="ex-06-2",
    title="Admit against promises",
    stub="admit",
    takes="function",
    hints=(
        "What does the first newcomer's admission leave for the second? Its blocks are gone, taken "
        "or promised. And how many run by then?",
        "In a loop over `waiting`, with `admitted` so far: `count = running + admitted`, "
        "`keep = promised + int(spare * (count + 1))`, without the spare when `count` is 0. Stop "
        "at the first that doesn't fit; else add its new blocks to `promised`, take its idle hits "
        "off `room`.",
    ),
)

_HEAD = "Nobody overtakes: the first that doesn't fit ends the walk."
admit.example(
    "two prompts of four blocks, six there",
    [(4, 0), (4, 0)],
    6,
    0,
    0,
    0,
    right=1,
    why="The first one's four blocks are promised to it, so two are left for the second.",
)
admit.example(
    "the first is too large, the second would fit",
    [(5, 0), (1, 0)],
    4,
    0,
    0,
    0,
    right=0,
    why=_HEAD + " If the small one went first, the large one might wait for ever.",
)
admit.example(
    "blocks promised to those who run",
    [(3, 0), (2, 0)],
    9,
    5,
    2,
    0,
    right=1,
    why="Five of the nine blocks will be wanted by those who are in already.",
)
admit.example(
    "every running request leaves a spare block",
    [(2, 0), (2, 0), (2, 0)],
    8,
    0,
    1,
    1,
    right=2,
    why="With the first newcomer two run, and 2 blocks stay; with the second three run, and 3.",
)
admit.example(
    "nothing runs, and the first needs the whole pool",
    [(6, 0)],
    6,
    0,
    0,
    2,
    right=1,
    why="There is nobody to leave blocks for, and waiting would not help: it would wait for ever. "
    "(vllm-project/vllm-ascend#12128)",
)
admit.example(
    "nothing runs, and two come",
    [(2, 0), (2, 0)],
    5,
    0,
    0,
    1,
    right=1,
    why="The first begins with nobody to leave blocks for. For the second one runs: 2 must stay, "
    "and 3 - 2 is too few.",
)
admit.example(
    "the newcomer will run, too",
    [(2, 0)],
    4,
    0,
    2,
    1,
    right=0,
    why="Three would run then, and each needs a next block before long: one of four can be had.",
)
admit.example(
    "half a block for each",
    [(2, 0), (1, 0)],
    3,
    0,
    2,
    0.5,
    right=1,
    why="int(0.5 * 3) is 1, so two of the three blocks can be had.",
)
admit.example(
    "found blocks that nobody else holds",
    [(3, 2)],
    4,
    0,
    1,
    0,
    right=0,
    why="The two hits are among the four blocks of room now. Once they are held, two are left for "
    "three. (vllm-project/vllm#37076)",
)
admit.example(
    "found blocks, and too few for the others",
    [(5, 2)],
    4,
    0,
    1,
    0,
    right=0,
    why="Five new blocks are wanted whatever was found.",
)
admit.example(
    "found blocks, twice",
    [(2, 2), (3, 1), (1, 0)],
    8,
    0,
    1,
    0,
    right=2,
    why="Hits leave the room as they are taken: 8, then 6, then 5; new blocks are promised: 2, 5.",
)
admit.example("nobody waits", [], 5, 0, 0, 1, right=0, why="Nobody can be admitted.")

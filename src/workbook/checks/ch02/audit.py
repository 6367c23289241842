"""Chapter 02: an audit that names the blocks which break the conservation law."""

from typing import Any

from workbook.checks.framework import exercise, expect, shown

audit = exercise(
    "audit",
    label="ex-02-4",
    title="Audit a pool",
    stub="audit",
    takes="function",
    hints=(
        "A `Counter` over the free list and another over all tables answer every question.",
        "Ask four questions of every id from 0 to `len(refs) - 1`, in the order of the table, and "
        "write down the first that is answered with yes.",
    ),
)

FAULTS = ("free twice", "free and held", "lost", "miscounted")


@audit.case(
    "an entry for each faulty block, in the words of the table",
    tried="audit([4, 4, 0], [0, 1, 0, 2, 0], [[1]])",
    right="a dict whose entries are blocks 2, 3 and 4, each with one of the four faults",
    why="Whoever reads the audit looks for these words, and for faulty blocks alone.",
)
def _form(function: Any) -> None:
    _expect_form(function([4, 4, 0], [0, 1, 0, 2, 0], [[1]]), sound=(0, 1))
    _expect_form(
        function([0, 1], [0, 1, 2], [[1], [2]]),
        sound=(0,),
        tried="audit([0, 1], [0, 1, 2], [[1], [2]])",
        right="a dict whose entries are blocks 1 and 2, each with one of the four faults",
    )


def _expect_form(got: Any, *, sound: tuple[int, ...], **words: str) -> None:
    expect(
        got is not None and hasattr(got, "items"),
        got=shown(got),
        **words,
        why="A dict is wanted, from a block's id to its fault.",
    )
    expect(
        not set(got) & set(FAULTS),
        got=shown(got),
        **words,
        why="The dict is the wrong way round: a block's id leads to its fault, not a fault to its "
        "blocks.",
    )
    for block, fault in got.items():
        expect(
            block not in sound or fault in FAULTS,
            got=shown(got),
            **words,
            why=f"Block {block} is sound, and has an entry: {shown(fault)}. The audit names the "
            "faulty ones and no other.",
        )
        expect(
            fault in FAULTS,
            got=shown(got),
            **words,
            why=f"{shown(fault)} is none of the table's four words. Copy them letter by letter.",
        )


audit.example(
    "a duplicate and a lost block",
    [0, 0, 3],
    [0, 1, 0, 0],
    [[1]],
    right={0: "free twice", 2: "lost"},
    why="The ids are wrong in two places, and the total is right: look at each id.",
    when=[
        ({}, "3 free + 1 held is 4: the total is right, and still block 2 is lost, unseen."),
        (
            {2: "lost"},
            "Block 0 is twice in the free list, and it wasn't seen. A set hides the "
            "second one, and twice is more than 1.",
        ),
        ({0: "free twice"}, "Block 2 is lost and not named: go on after the first fault."),
    ],
)
audit.example(
    "two holders and a count of one",
    [2],
    [1, 1, 0],
    [[0], [0, 1]],
    right={0: "miscounted"},
    why="refs[b] must be the number of tables that name block b.",
    when=[
        (
            {},
            "Block 0 has 2 holders and a count of 1: the first to leave frees it. Read refs.",
        )
    ],
)
audit.example(
    "a block that is free and held",
    [0, 1],
    [0, 1],
    [[1]],
    right={1: "free and held"},
    why="Block 1 is in a table and in the free list: its next owner overwrites it.",
)
audit.example(
    "a leak: a count with no holder",
    [3, 0],
    [0, 1, 1, 0],
    [[1]],
    right={2: "lost"},
    why="Block 2 has a count of 1, no table names it, and it is not free: nobody will release it.",
)
audit.example(
    "a free block with a count",
    [0],
    [1, 1],
    [[1]],
    right={0: "miscounted"},
    why="Block 0 is free and counts a holder: a count can be too high as well as too low.",
)
audit.example(
    "two faults in one block",
    [0, 0, 1],
    [1, 0, 2],
    [[0, 1], [2]],
    right={0: "free twice", 1: "free and held", 2: "miscounted"},
    why="Block 0 is held, too, and the count of block 1 is wrong, too: the first of the table is "
    "named.",
)
audit.example(
    "a clean pool",
    [3, 0],
    [0, 1, 2, 0],
    [[1, 2], [2]],
    right={},
    why="Every block is in one place and every count is right; an audit that cries wolf is "
    "switched off.",
)

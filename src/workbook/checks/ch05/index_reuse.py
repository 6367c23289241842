"""Chapter 05: an exact index whose blocks get a second life, and whose contents lie there twice."""

from typing import Any

from workbook.checks.ch05.index import A, B, C, D, N, exact_index, find, publish
from workbook.checks.framework import attempt, expect, shown
from workbook.checks.toolboxes.prefix_world import ROOT


@exact_index.case(
    "a block gets a second life",
    tried="1234·5678 in 0 and 1; forget(0); publish 9999 in 0; find 9999·5678",
    right="[0]",
    why="Block 1 still holds 5678 as computed after 1234.",
)
def _recycled(cls: Any) -> None:
    index = cls()
    publish(index, [A, B], [0, 1])
    index.forget(0)
    gone = find(index, [A, B])
    expect(
        gone == [],
        tried="1234·5678 in 0 and 1; forget(0); find 1234·5678",
        got=shown(gone),
        right="[]",
        why="Block 0 will hold other tokens in a moment. A key that outlives its block is a wrong "
        "hit that waits. (GeeeekExplorer/nano-vllm#163)",
    )
    publish(index, [N], [0])
    found = find(index, [N, B])
    expect(
        found == [0],
        got=shown(found),
        why="Block 1 was computed after 1234. It was filed under its parent's block, and that "
        "block has become 9999's."
        if found[:1] == [0]
        else "Block 0 was published with new content, and that isn't found.",
    )
    index = cls()
    publish(index, [A, B, C, D], [0, 1, 2, 3])
    index.forget(0)
    index.forget(1)
    publish(index, [N], [0])
    for part, block in ((B, 1), (C, 2), (D, 3)):
        found = find(index, [N, part])
        expect(
            found == [0],
            tried="1234·5678·4321·1111; the first two blocks forgotten; 9999 published",
            got=f"9999 is continued by block {block}, found {shown(found)}",
            right="nothing after 9999 is known",
            why="The new node got a number that another node had or has. Numbers are never used "
            "twice.",
        )
    index = cls()
    publish(index, [A, B], [0, 1])
    index.forget(0)
    for turn in range(20):
        publish(index, [(turn,) * 4], [0])
        found = find(index, [(turn,) * 4, B])
        expect(
            found == [0],
            tried=f"1234·5678 in 0 and 1; then block 0 holds {turn + 1} other prompts in turn",
            got=f"{shown(found)}: the last of them is continued by 5678",
            why="The first node's number was put aside and given out again, while 5678 still hangs "
            "on it.",
        )
        index.forget(0)


@exact_index.case(
    "two copies of one content",
    tried="1234 published in block 0 and in block 7; forget(0)",
    right="1234 is found in block 7",
    why="Two equal prompts in one step compute two copies. Either can serve when the other goes.",
)
def _twins(cls: Any) -> None:
    index = cls()
    first = index.publish(ROOT, A, 0)
    second = index.publish(ROOT, A, 7)
    expect(
        second[0] == first[0],
        got=f"nodes {shown(first[0])} and {shown(second[0])}",
        right="one node",
        why="They are one prefix, and whatever continues it continues both.",
    )
    index.publish(first[0], B, 1)
    for block, other in ((0, 7), (7, None)):
        outcome = attempt(index.forget, block)
        expect(
            outcome.error is None,
            tried=f"1234 in 0 and in 7; forget({block})",
            got=str(outcome),
            right="no error",
            why="The index has lost sight of one of the copies. (vllm-project/vllm#55092)",
        )
        hit = index.find(ROOT, A)
        got = None if hit is None else hit[1]
        expect(
            got == other,
            tried=f"1234 in 0 and in 7; {'forget(0)' if other else 'forget(0); forget(7)'}",
            got=f"{shown(hit)}",
            right="found in block 7" if other else "None",
            why="The other copy is there, and the index doesn't know it." if other else None,
        )
    index = cls()
    for block in (0, 7, 3):
        index.publish(ROOT, A, block)
    for block, left in ((3, (0, 7)), (7, (0,))):
        index.forget(block)
        hit = index.find(ROOT, A)
        expect(
            hit is not None and hit[1] in left,
            tried=f"1234 in 0, 7 and 3; the newest forgotten first: now {block}",
            got=shown(hit),
            right="found in an older copy",
            why="The older copies are there, and the index doesn't know them: keep all of them.",
        )
    expect(
        second[1] is True,
        tried="publish 1234 in block 7 while block 0 has it",
        got=shown(second),
        right="the node, and True",
        why="Block 7 is new to the index, and the index holds it from now on.",
    )

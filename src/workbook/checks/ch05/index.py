"""Chapter 05: an index that can't take one prefix for another."""

from typing import Any

from workbook.checks.framework import attempt, exercise, expect, shown
from workbook.checks.toolboxes.prefix_world import ROOT

exact_index = exercise(
    "exact_index",
    label="ex-05-2",
    title="An exact index",
    stub="MyExactIndex",
    takes="class",
    hints=(
        "What names a parent for ever? Not its block: that will hold other tokens one day. Count "
        "nodes, and never count backwards.",
        "`self.nodes[parent, tokens]` holds a fresh number and the list of blocks with these "
        "tokens; `self.keys[block]` is the key to find them by, for `forget`. When the list is "
        "empty, the key goes too.",
    ),
)

Parts = list[tuple[int, ...]]
A, B, C, D, N = ((1, 2, 3, 4), (5, 6, 7, 8), (4, 3, 2, 1), (1, 1, 1, 1), (9, 9, 9, 9))


class SameHash(tuple[Any, ...]):
    """Tokens, or a root, whose hash is always the same: a hash tells nothing about them."""

    __slots__ = ()

    def __hash__(self) -> int:
        return 7


def _publish(index: Any, parts: Parts, blocks: list[int]) -> list[Any]:
    parent: Any = ROOT
    answers = []
    for part, block in zip(parts, blocks, strict=True):
        answer = index.publish(parent, part, block)
        parent = answer[0]
        answers.append(answer)
    return answers


def _find(index: Any, parts: Parts) -> list[int]:
    parent: Any = ROOT
    blocks = []
    for part in parts:
        hit = index.find(parent, part)
        if hit is None:
            break
        parent = hit[0]
        blocks.append(hit[1])
    return blocks


@exact_index.case(
    "what is published is found, as far as it goes",
    tried="1234·5678 published in blocks 3 and 5; find 1234·5678 and 1234·4321",
    right="[3, 5] and [3]",
    why="A walk follows the nodes, and ends where the index knows no more.",
)
def _walk(cls: Any) -> None:
    index = cls()
    empty = index.find(ROOT, A)
    expect(
        empty is None,
        tried="find in an empty index",
        got=f"{shown(empty)}",
        right="None",
        why="A miss is an everyday answer, and None says so.",
    )
    first = _publish(index, [A, B], [3, 5])
    turned = index.find(ROOT, C)
    expect(
        turned is None,
        tried="1234 published; find 4321",
        got=shown(turned),
        right="None",
        why="The same tokens in another order are another prefix.",
    )
    found, beginning = _find(index, [A, B]), _find(index, [A, C])
    expect((found, beginning) == ([3, 5], [3]), got=f"{shown(found)} and {shown(beginning)}")
    again = _publish(index, [A, B], [3, 5])
    expect(
        [answer[1] for answer in first] == [True, True]
        and [answer[1] for answer in again] == [False, False],
        tried="publish the same two blocks twice",
        got=f"new: {shown([a[1] for a in first])}, then {shown([a[1] for a in again])}",
        right="new: [True, True], then [False, False]",
        why="remember takes a hold on each block that is new. Told so twice, it takes two and "
        "gives one back.",
    )
    expect(
        [answer[0] for answer in first] == [answer[0] for answer in again],
        tried="publish the same two blocks twice",
        got="other nodes the second time",
        right="the same nodes",
        why="One prefix, one node: else its continuations would be spread over several.",
    )


@exact_index.case(
    "the same tokens after another history",
    tried="1234·5678 and 9999 are published; find 9999·5678",
    right="the block of 9999, and nothing after it",
    why="5678 was computed after 1234.",
)
def _history(cls: Any) -> None:
    index = cls()
    _publish(index, [A, B], [0, 1])
    _publish(index, [N], [2])
    found = _find(index, [N, B])
    better = "The parent belongs to the key: 5678 was computed after 1234." if 1 in found else None
    expect(found == [2], got=shown(found), right="[2]", why=better)
    index = cls()
    _publish(index, [A, A], [0, 1])
    found = _find(index, [A, A, A])
    expect(
        found == [0, 1],
        tried="1234·1234 in 0 and 1; find 1234·1234·1234",
        got=shown(found),
        right="[0, 1]",
        why="A prompt may repeat itself. Its third 1234 is another prefix, which nobody has run.",
    )


@exact_index.case(
    "the same tokens in two places",
    tried="1234·5678 in 0 and 1, 9999·5678 in 2 and 3; forget(3)",
    right="1234·5678 is found in [0, 1], 9999·5678 in [2]",
    why="A block stands in one place of the tree. Whoever forgets it must know the parent, too: "
    "the same tokens stand elsewhere.",
)
def _two_places(cls: Any) -> None:
    index = cls()
    _publish(index, [A, B], [0, 1])
    _publish(index, [N, B], [2, 3])
    outcome = attempt(index.forget, 3)
    expect(outcome.error is None, got=str(outcome))
    found, other = _find(index, [A, B]), _find(index, [N, B])
    expect((found, other) == ([0, 1], [2]), got=f"{shown(found)} and {shown(other)}")


@exact_index.case(
    "a hash that is always the same",
    tried="1234 published in block 0, every hash is 7; find 9999",
    right="None",
    why="A hash may only say where to look. Whether it is the prefix, the tokens say.",
)
def _constant_hash(cls: Any) -> None:
    index = cls()
    index.publish(ROOT, SameHash(A), 0)
    hit = index.find(ROOT, SameHash(N))
    expect(
        hit is None,
        got=shown(hit),
        why="9999 was given the keys and values of 1234. Whoever can make hashes collide can read "
        "and write in strangers' prompts. (CVE-2025-25183)",
    )
    index = cls()
    index.publish(SameHash(("x", None)), A, 0)
    hit = index.find(SameHash((None, "x")), A)
    expect(
        hit is None,
        tried="1234 published under the root ('x', None); find 1234 under (None, 'x')",
        got=shown(hit),
        why="Another root is another prefix, also when their hashes are equal.",
    )
    far = 2**61 - 1
    for one, other in ((-1, -2), (-2, -1), (1, 1 + far)):
        index = cls()
        _publish(index, [(one, 2, 3, 4), B], [0, 1])
        _publish(index, [(other, 2, 3, 4)], [2])
        found = _find(index, [(other, 2, 3, 4), B])
        expect(
            found == [2],
            tried=f"tokens {one}, 2, 3, 4 in block 0, then 5678 in block 1; {other}, 2, 3, 4 in "
            "block 2; find the last and 5678",
            got=shown(found),
            right="[2]",
            why="hash(-1) is hash(-2) in Python, and hash(x) is hash(x + 2 ** 61 - 1): a name made "
            "by hashing is shared by strangers.",
        )


@exact_index.case(
    "a block gets a second life",
    tried="1234·5678 in 0 and 1; forget(0); publish 9999 in 0; find 9999·5678",
    right="[0]",
    why="Block 1 still holds 5678 as computed after 1234.",
)
def _recycled(cls: Any) -> None:
    index = cls()
    _publish(index, [A, B], [0, 1])
    index.forget(0)
    gone = _find(index, [A, B])
    expect(
        gone == [],
        tried="1234·5678 in 0 and 1; forget(0); find 1234·5678",
        got=shown(gone),
        right="[]",
        why="Block 0 will hold other tokens in a moment. A key that outlives its block is a wrong "
        "hit that waits. (GeeeekExplorer/nano-vllm#163)",
    )
    _publish(index, [N], [0])
    found = _find(index, [N, B])
    expect(
        found == [0],
        got=shown(found),
        why="Block 1 was computed after 1234. It was filed under its parent's block, and that "
        "block has become 9999's."
        if found[:1] == [0]
        else "Block 0 was published with new content, and that isn't found.",
    )
    index = cls()
    _publish(index, [A, B, C, D], [0, 1, 2, 3])
    index.forget(0)
    index.forget(1)
    _publish(index, [N], [0])
    for part, block in ((B, 1), (C, 2), (D, 3)):
        found = _find(index, [N, part])
        expect(
            found == [0],
            tried="1234·5678·4321·1111; the first two blocks forgotten; 9999 published",
            got=f"9999 is continued by block {block}, found {shown(found)}",
            right="nothing after 9999 is known",
            why="The new node got a number that another node had or has. Numbers are never used "
            "twice.",
        )
    index = cls()
    _publish(index, [A, B], [0, 1])
    index.forget(0)
    for turn in range(20):
        _publish(index, [(turn,) * 4], [0])
        found = _find(index, [(turn,) * 4, B])
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

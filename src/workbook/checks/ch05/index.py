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


def publish(index: Any, parts: Parts, blocks: list[int]) -> list[Any]:
    """Publish ``parts`` one after the other from the root on; what each call answered."""
    parent: Any = ROOT
    answers = []
    for part, block in zip(parts, blocks, strict=True):
        answer = index.publish(parent, part, block)
        parent = answer[0]
        answers.append(answer)
    return answers


def find(index: Any, parts: Parts) -> list[int]:
    """The blocks of as many of ``parts``, from the root on, as the index knows."""
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
    first = publish(index, [A, B], [3, 5])
    turned = index.find(ROOT, C)
    expect(
        turned is None,
        tried="1234 published; find 4321",
        got=shown(turned),
        right="None",
        why="The same tokens in another order are another prefix.",
    )
    found, beginning = find(index, [A, B]), find(index, [A, C])
    expect((found, beginning) == ([3, 5], [3]), got=f"{shown(found)} and {shown(beginning)}")
    again = publish(index, [A, B], [3, 5])
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
    publish(index, [A, B], [0, 1])
    publish(index, [N], [2])
    found = find(index, [N, B])
    better = "The parent belongs to the key: 5678 was computed after 1234." if 1 in found else None
    expect(found == [2], got=shown(found), right="[2]", why=better)
    index = cls()
    publish(index, [A, A], [0, 1])
    found = find(index, [A, A, A])
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
    publish(index, [A, B], [0, 1])
    publish(index, [N, B], [2, 3])
    outcome = attempt(index.forget, 3)
    expect(outcome.error is None, got=str(outcome))
    found, other = find(index, [A, B]), find(index, [N, B])
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
        publish(index, [(one, 2, 3, 4), B], [0, 1])
        publish(index, [(other, 2, 3, 4)], [2])
        found = find(index, [(other, 2, 3, 4), B])
        expect(
            found == [2],
            tried=f"tokens {one}, 2, 3, 4 in block 0, then 5678 in block 1; {other}, 2, 3, 4 in "
            "block 2; find the last and 5678",
            got=shown(found),
            right="[2]",
            why="hash(-1) is hash(-2) in Python, and hash(x) is hash(x + 2 ** 61 - 1): a name made "
            "by hashing is shared by strangers.",
        )

"""The open task's own answer, and choices that are none."""

from typing import Any

from workbook.checks.ch05.open import Leaf, victim


def aged(leaves: list[Leaf], clock: int) -> Any:
    """Least recently used, and each of up to four hits is worth ten requests."""
    return min(leaves, key=lambda leaf: (leaf.last + 10 * min(leaf.hits, 4), -leaf.depth)).id


victim.solved = aged


@victim.rejects("isn't cached")
def unknown(leaves: list[Leaf], clock: int) -> Any:
    return (None, "x")


@victim.rejects("isn't cached")
def the_leaf_itself(leaves: list[Leaf], clock: int) -> Any:
    return leaves[0]


@victim.rejects("isn't cached")
def nothing(leaves: list[Leaf], clock: int) -> Any:
    return None


@victim.rejects("others continue")
def the_parent(leaves: list[Leaf], clock: int) -> Any:
    return max(leaves, key=lambda leaf: leaf.depth).id[0]


@victim.rejects("It ends in IndexError")
def crashes(leaves: list[Leaf], clock: int) -> Any:
    return leaves[len(leaves)].id

"""One node of the prefix index: blocks that always follow one another."""

from bisect import bisect_left
from collections.abc import Iterable, Iterator
from typing import Any

from paged_attention.errors import InvariantBroken
from paged_attention.prefix_index import Space


class Run:
    """Full blocks in a row: ``blocks[i]`` is block number ``first + i`` of every prefix through it.

    ``twins`` has further copies of a block by that number; the one in ``blocks`` serves. The run
    above the first ones of a space has no parent and no blocks.
    """

    def __init__(self, parent: "Run | None", space: Space, first: int, edge: bytes) -> None:
        self.parent, self.space, self.first, self.edge = parent, space, first, edge
        self.children: dict[bytes, Run] = {}  # by their ``edge``, the tokens of their first block
        self.tokens = bytearray()  # packed, of all blocks
        self.blocks: list[int] = []
        self.twins: dict[int, tuple[int, ...]] = {}

    @property
    def end(self) -> int:
        """The number of the block that would come next."""
        return self.first + len(self.blocks)

    def before(self, number: int) -> int | None:
        """The block that serves what comes before block ``number``; none if nothing does."""
        if number > self.first:
            return self.blocks[number - self.first - 1]
        return self.parent.blocks[-1] if self.parent and self.parent.blocks else None

    def agrees(self, packed: bytes, at: int, width: int, skip: int = 0) -> int:
        """How many of its blocks, the first ``skip`` left out, are in ``packed`` from ``at`` on.

        As a rule all are, or all that ``packed`` has room for, which one comparison finds. If not,
        the place where they part is bisected: what agrees up to a block agrees up to all before it.
        """

        def same(blocks: int) -> bool:
            # No name for the view: a run that somebody looks at can't grow or shrink, and the
            # frame of an interrupted call lives on while the journal puts things back.
            end = (skip + blocks) * width
            return packed.startswith(memoryview(self.tokens)[skip * width : end], at)

        room = min(len(self.blocks) - skip, (len(packed) - at) // width)
        if same(room):
            return room
        return bisect_left(range(1, room), True, key=lambda blocks: not same(blocks))

    def put_twins(self, twins: dict[int, tuple[int, ...]]) -> None:
        """Let these be the further copies of the blocks with these numbers."""
        for number, blocks in twins.items():
            if blocks:
                self.twins[number] = blocks
            else:
                self.twins.pop(number, None)

    def places(self) -> Iterator[tuple[int, int]]:
        """Every block, copies too, behind its number."""
        yield from enumerate(self.blocks, self.first)
        yield from ((number, block) for number, twins in self.twins.items() for block in twins)

    def check_invariants(self, width: int) -> None:
        """Raise ``InvariantBroken`` unless it fits its parent, its children and its tokens."""
        what = f"the run of blocks {self.blocks} in the index"
        if bool(self.blocks) != (self.parent is not None):
            raise InvariantBroken(f"{what} has {'no' if self.blocks else 'a'} parent")
        if not self.blocks and not self.children:
            raise InvariantBroken(f"the index has a dead end at {self.space}")
        if len(self.tokens) != len(self.blocks) * width:
            raise InvariantBroken(f"{what} has {len(self.tokens)} bytes, not {width} a block")
        if bytes(self.tokens[:width]) != self.edge:
            raise InvariantBroken(f"{what} begins with other tokens than it is found by")
        if not all(self.first <= number < self.end for number in self.twins):
            raise InvariantBroken(f"{what} has copies of another's blocks: {self.twins}")
        for edge, child in self.children.items():
            if (child.parent, child.edge, child.first) != (self, edge, self.end):
                raise InvariantBroken(f"a run of blocks {child.blocks} does not follow {what}")


def flat(runs: Iterable[Run]) -> list[dict[str, Any]]:
    """``runs``, parents first, as rows: a copy of nested objects would go as deep as they do."""
    numbers: dict[Run | None, int | None] = {None: None}
    rows = []
    for number, run in enumerate(runs):
        numbers[run] = number
        rows.append(run.__dict__ | {"parent": numbers[run.parent], "children": None})
    return rows


def grown(rows: Iterable[dict[str, Any]]) -> list[Run]:
    """The runs that ``flat`` was given, as a tree."""
    runs: list[Run] = []
    for row in rows:
        parent = None if row["parent"] is None else runs[row["parent"]]
        run = Run(parent, row["space"], row["first"], row["edge"])
        run.__dict__.update(row | {"parent": parent, "children": {}})
        if parent is not None:
            parent.children[run.edge] = run
        runs.append(run)
    return runs

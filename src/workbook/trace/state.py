"""What a trace's events have made so far: tables, counts, the free stack and the prefix index."""

from dataclasses import dataclass, field
from typing import Any, NamedTuple

from workbook.trace.look import look_of
from workbook.trace.schema import Trace


@dataclass(eq=False)
class Prefix:
    """A node of the prefix index: the blocks that hold the tokens ``key`` after ``parent``'s."""

    parent: "Prefix | None"
    key: int
    blocks: list[int] = field(default_factory=list)
    children: dict[int, "Prefix"] = field(default_factory=dict)


class Held(NamedTuple):
    """Of a block that a table names: one sequence that has it, and the tokens in it."""

    seq: int
    filled: int


class State:
    """Tables, counts, free stack and index after the steps so far; ``Replay`` makes the next one.

    ``tables[seq]``, ``filled[seq]``: blocks in order, and the tokens in each. ``free``: the stack,
    next block last; ``None`` when its order isn't known. ``cached``: blocks that only the index
    holds, next to be evicted first. ``copied``: what the last step copied into. Contiguous:
    ``runs[seq]`` is (first slot, slots), a block a slot, and ``filled[seq]`` has one number.
    """

    def __init__(self, trace: Trace) -> None:
        self.trace = trace
        self.step = -1
        self.refs = [0] * trace.num_blocks
        self.free = None if trace.free_order is None else trace.free_order[::-1]
        self.tables: dict[int, list[int]] = {}
        self.filled: dict[int, list[int]] = {}
        self.runs: dict[int, tuple[int, int]] = {}
        self.cached: dict[int, None] = {}
        self.roots: dict[int, Prefix] = {}
        self.nodes: dict[int, Prefix] = {}  # by block
        self.used: dict[int, int] = {}  # the step at which an indexed block was last of use
        self.waiting: list[int] = []
        self.copied: set[int] = set()
        self._held: dict[int, Held] | None = None  # found when first asked for in a step

    @property
    def held(self) -> dict[int, Held]:
        """What the tables say of each block that they name."""
        if self._held is None:
            self._held = {}
            for seq, table in self.tables.items():
                for block, filled in zip(table, self.filled[seq], strict=True):
                    first, before = self._held.get(block, (seq, 0))
                    self._held[block] = Held(first, max(before, filled))
        return self._held

    def look(self, block: int) -> str:
        """The state of a block: free, copied, cached, shared, held or reserved."""
        return look_of(
            self.refs[block],
            indexed=block in self.nodes,
            copied=block in self.copied,
            written=block not in self.held or self.held[block].filled > 0,
        )

    @property
    def num_free(self) -> int:
        """Blocks nobody holds."""
        return self.refs.count(0)

    def length(self, seq: int) -> int:
        """Tokens of ``seq`` that are written."""
        return sum(self.filled[seq])

    def snapshot(self) -> dict[str, Any]:
        """Everything in it as plain data, for comparison with another replay."""
        return {
            "refs": list(self.refs),
            "free": None if self.free is None else list(self.free),
            "tables": {str(seq): list(table) for seq, table in self.tables.items()},
            "filled": {str(seq): list(filled) for seq, filled in self.filled.items()},
            "runs": {str(seq): list(run) for seq, run in self.runs.items()},
            "cached": list(self.cached),
            "index": [[root, _told(node)] for root, node in self.roots.items() if node.children],
            "waiting": list(self.waiting),
        }


def _told(node: Prefix) -> list[Any]:
    return [[key, list(child.blocks), _told(child)] for key, child in node.children.items()]

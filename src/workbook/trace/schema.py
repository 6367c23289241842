"""What a trace is: the engine's calls as steps, and what each changed as events in columns.

An event has six integers; ``NONE`` stands where a field means nothing. Names of sequences and keys
of the prefix index are kept once, as strings. Only allocate, share and release change a count
(for ``seq`` NONE it is the index that takes or gives up the block); the others say why.

| op | fields |
|---|---|
| create | seq, src parent |
| admit, refuse | seq, n wanted, i room |
| allocate | seq (at the start NONE: the index alone holds it), block, i entry of the table |
| allocate, contiguous | seq, block first slot, n slots |
| write | seq, block, n tokens in it now |
| share | seq, block, i, src sequence it comes from |
| copy | seq, src block, block, i, n tokens |
| release, hit | seq, block, i |
| publish | block, src parent block (a root is -1, a salted one -2 - its key), n key |
| evict | block |
| preempt | seq, n 0 recompute, 1 swap; it waits, before all others |
| submit | seq, n tokens of its prompt; it waits, behind all others |
| row | seq, i first position, n tokens that a step runs of it |
| promise | seq, n blocks that it will need for tokens already known |
| say | seq, i number of the token in its answer |
| finish | seq; it lives and waits no more |
| swap | seq, n blocks, i 0 out to host memory, 1 back in |
| read | seq, block, i, n tokens that count; its floats are in ``floats`` |
"""

import json
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path
from typing import Any, Literal, NamedTuple

from workbook.digest import digest

NONE = -1
VERSION = 1
_NAMES = json.loads(Path(__file__).with_name("schema.json").read_text(encoding="utf-8"))
OPS: tuple[str, ...] = tuple(_NAMES["ops"])
CALL_ARGS: dict[str, str] = _NAMES["calls"]  # "s": a sequence, "n": a number; again and again
CALLS: tuple[str, ...] = tuple(CALL_ARGS)
COLUMNS = ("step", "op", "seq", "block", "i", "n", "src")


class Event(NamedTuple):
    """One change, or the reason for one; fields as in the table above."""

    step: int
    op: str
    seq: int = NONE
    block: int = NONE
    i: int = NONE
    n: int = NONE
    src: int = NONE


@dataclass
class Trace:
    """Step 0 is the pool as it was found, every other step one call of the engine.

    ``free_order``: the free blocks at the start, in the order in which they will be handed out;
    ``None`` when it isn't known. ``columns``: one list of integers for each field of an event.
    """

    layout: Literal["paged", "contiguous"]
    block_size: int
    num_blocks: int
    free_order: list[int] | None
    seqs: list[str] = field(default_factory=list)
    keys: list[str] = field(default_factory=list)
    calls: list[int] = field(default_factory=list)
    args: list[tuple[int, ...]] = field(default_factory=list)
    columns: dict[str, list[int]] = field(default_factory=lambda: {name: [] for name in COLUMNS})
    floats: list[list[float]] = field(default_factory=list)

    @property
    def last(self) -> int:
        """The last step; a fresh trace has step 0 only."""
        return len(self.calls) - 1

    def __len__(self) -> int:
        """The number of events."""
        return len(self.columns["step"])

    def events(self, steps: range | None = None) -> Iterator[Event]:
        """All events in order, or those of some neighbouring steps."""
        begin, end = 0, len(self)
        if steps is not None:
            begin, end = (bisect_left(self.columns["step"], at) for at in (steps.start, steps.stop))
        parts = (column[begin:end] for column in self.columns.values())
        for step, op, *rest in zip(*parts, strict=True):
            yield Event(step, OPS[op], *rest)

    def by_step(self) -> Iterator[list[Event]]:
        """The events of step 0, of step 1 and so on; a step may have none."""
        events, here = self.events(), 0
        found: list[Event] = []
        for event in events:
            while event.step > here:
                yield found
                found, here = [], here + 1
            found.append(event)
        for _ in range(here, len(self.calls)):
            yield found
            found = []

    def call(self, step: int) -> str:
        """The name of the call that made ``step``."""
        return CALLS[self.calls[step]]

    def to_json(self) -> dict[str, Any]:
        """The trace as JSON data. Columns are strings of integers: a notebook puts every item
        of a list on a line of its own.
        """
        columns = dict(self.columns)
        columns["step"] = [b - a for a, b in pairwise([0, *columns["step"]])]
        data = {
            "v": VERSION,
            "layout": self.layout,
            "block_size": self.block_size,
            "num_blocks": self.num_blocks,
            "free_order": None if self.free_order is None else _packed(self.free_order),
            "seqs": self.seqs,
            "keys": self.keys,
            "steps": {
                "call": _joined(self.calls),
                "args": ";".join(_joined(args) for args in self.args),
            },
            "ev": {name: _joined(column) for name, column in columns.items()},
        }
        if self.floats:
            data["f"] = [" ".join(_short(x) for x in row) for row in self.floats]
        return data

    @classmethod
    def from_json(cls, data: dict[str, Any]) -> "Trace":
        """The trace that ``to_json`` wrote; ``ValueError`` for another version."""
        if data.get("v") != VERSION:
            raise ValueError(f"this is no trace of version {VERSION}: it says {data.get('v')!r}")
        columns = {name: _split(data["ev"][name]) for name in COLUMNS}
        step = 0
        for at, delta in enumerate(columns["step"]):
            columns["step"][at] = step = step + delta
        order = data["free_order"]
        return cls(
            layout=data["layout"],
            block_size=data["block_size"],
            num_blocks=data["num_blocks"],
            free_order=None if order is None else _unpacked(order),
            seqs=list(data["seqs"]),
            keys=list(data["keys"]),
            calls=_split(data["steps"]["call"]),
            args=[tuple(_split(args)) for args in data["steps"]["args"].split(";")],
            columns=columns,
            floats=[[float(x) for x in row.split()] for row in data.get("f", [])],
        )

    @property
    def digest(self) -> str:
        """The first 12 hex digits of SHA-256 over the JSON form."""
        return digest(self.to_json())


def _joined(numbers: Sequence[int]) -> str:
    return " ".join(map(str, numbers))


def _split(text: str) -> list[int]:
    return [int(number) for number in text.split()]


def _short(x: float) -> str:
    return f"{round(x, 6):g}" if abs(x) == float("inf") else repr(round(x, 6))


def _packed(ids: Sequence[int]) -> str:
    """``7 2 0-9``: ids in order, with runs of neighbours written as a range."""
    parts: list[str] = []
    at = 0
    while at < len(ids):
        end = at
        while end + 1 < len(ids) and ids[end + 1] == ids[end] + 1:
            end += 1
        parts.append(f"{ids[at]}-{ids[end]}" if end > at + 1 else str(ids[at]))
        at = end + 1 if end > at + 1 else at + 1
    return " ".join(parts)


def _unpacked(text: str) -> list[int]:
    ids: list[int] = []
    for part in text.split():
        first, _, last = part.partition("-")
        ids += range(int(first), int(last or first) + 1)
    return ids

"""Chapter 02, open task: an allocator whose tables lie in few runs."""

import itertools
import random
from typing import Any

from paged_attention.errors import BlockPoolExhausted
from workbook.checks.framework import Rejected, open_task

BLOCKS = 260


def _load() -> list[tuple[str, int, int]]:
    """3,000 operations: ``(new | grow | free, table, blocks)``. Always the same."""
    draw = random.Random(2)
    live: list[int] = []
    load: list[tuple[str, int, int]] = []
    made = 0
    for _ in range(3_000):
        if live and (draw.random() < 0.42 or len(live) > 45):
            load.append(("free", live.pop(draw.randrange(len(live))), 0))
        elif live and draw.random() < 0.35:
            load.append(("grow", draw.choice(live), 1))
        else:
            load.append(("new", made, draw.choice([3, 5, 8, 13, 21])))
            live.append(made)
            made += 1
    return load


@open_task(
    "few_runs",
    label="open-02",
    title="Few runs",
    asks="a class Allocator(num_blocks) with allocate_many(n), release(block) and num_free; it "
    "refuses with BlockPoolExhausted only what doesn't fit",
    unit="runs a table",
    better="less",
    today=(9.662, "the stack"),
    book=(1.357, "the tightest run that is long enough, else the longest first"),
    bound=(1.0, "every table in one piece"),
)
def few_runs(answer: Any) -> float:
    """Runs of neighbouring blocks in a table, its mean over every table that was new or grew."""
    pool = answer(BLOCKS)
    tables: dict[int, list[int]] = {}
    runs = seen = 0
    for number, (operation, name, blocks) in enumerate(_load(), 1):
        if operation == "free":
            for block in tables.pop(name, []):
                pool.release(block)
        elif operation == "new" or name in tables:
            held = {block for table in tables.values() for block in table}
            taken = _taken(pool, blocks, held, f"In operation {number}")
            if taken:
                table = tables.setdefault(name, [])
                table += taken
                runs += 1 + sum(b != a + 1 for a, b in itertools.pairwise(table))
                seen += 1
    return round(runs / seen, 3)


def _taken(pool: Any, blocks: int, held: set[int], where: str) -> list[int]:
    """What the pool hands out, every promise of the spec looked at; empty when it refuses."""
    room = BLOCKS - len(held)
    if pool.num_free != room:
        raise Rejected(f"{where}, num_free says {pool.num_free}, and {room} blocks are free.")
    try:
        taken = list(pool.allocate_many(blocks))
    except BlockPoolExhausted:
        if blocks <= room:
            raise Rejected(
                f"{where}, it refused {blocks} blocks with {room} free: they needn't be neighbours."
            ) from None
        return []
    if len(taken) != blocks:
        raise Rejected(f"{where}, it gave {len(taken)} blocks to who asked for {blocks}.")
    if len(set(taken)) < blocks or any(type(b) is not int for b in taken):
        raise Rejected(f"{where}, it gave {taken}: that isn't {blocks} different ids.")
    wrong = [block for block in taken if block in held or not 0 <= block < BLOCKS]
    if wrong:
        raise Rejected(f"{where}, it gave block {wrong[0]}, which is held or isn't in the pool.")
    return taken

"""Draw who holds what while sequences fork and write: each table beside the pool it names."""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from workbook.stills.sheet import LETTER, MARGIN, Sheet
from workbook.trace.look import look_of

ENTRY, LINE = 28, 32
BLOCK, PITCH = 62, 70


class ForkStep(NamedTuple):
    """Tables and pool after a call. ``refs[b]`` holders, ``filled[b]`` written slots of block b;
    ``copied`` is (from, to) when the call copied a block.
    """

    call: str
    tables: Mapping[str, Sequence[int]]
    refs: Sequence[int]
    filled: Sequence[int]
    copied: tuple[int, int] | None = None

    def look(self, block: int) -> str:
        """The state of a block: what the call copied is told apart."""
        copied = self.copied is not None and block == self.copied[1]
        return look_of(self.refs[block], copied=copied)


def draw_fork_steps(steps: Sequence[ForkStep], *, block_size: int) -> Sheet:
    """A row a step: the call, the block tables, and the pool with each block's count and slots."""
    entries = max(len(table) for step in steps for table in step.tables.values())
    names = max(len(seq) for step in steps for seq in step.tables)
    left = MARGIN + max(len(step.call) for step in steps) * 13 * LETTER * 1.05 + 12
    tables = left + names * 14 * LETTER + 8
    pool = tables + entries * ENTRY + 28
    sheet = Sheet(pool + len(steps[0].refs) * PITCH + MARGIN)
    for x, name in ((tables, "tables"), (pool, "pool")):
        sheet.text(x, sheet.y + 10, name, size=12, colour="muted")
    sheet.space(18)
    for step in steps:
        height = max(len(step.tables) * LINE, 82) + 22
        middle = sheet.y + height / 2 + 4
        sheet.text(MARGIN, middle + 4, step.call, size=13, mono=True)
        _tables(sheet, step, tables, middle - len(step.tables) * LINE / 2)
        for block in range(len(step.refs)):
            _block(sheet, step, block, pool + block * PITCH, middle - 32, block_size)
        if step.copied is not None:
            start, end = ((pool + b * PITCH + BLOCK / 2, middle - 34) for b in step.copied)
            sheet.arrow(start, end, rise=16)
        sheet.space(height)
    return sheet


def _tables(sheet: Sheet, step: ForkStep, x: float, y: float) -> None:
    for row, (seq, table) in enumerate(step.tables.items()):
        top = y + row * LINE
        sheet.text(x - 8, top + 19, seq, anchor="end", bold=True)
        for at, block in enumerate(table):
            look = step.look(block)
            sheet.cell(x + at * ENTRY, top, look, width=ENTRY - 2, height=28, mark=str(block))


def _block(sheet: Sheet, step: ForkStep, block: int, x: float, y: float, block_size: int) -> None:
    """A block with its count, below a strip of its slots."""
    wide, refs = BLOCK / block_size, step.refs[block]
    for slot in range(block_size):
        full = refs > 0 and slot < step.filled[block]
        sheet.box(x + slot * wide, y, wide, 12, "ink" if full else None, "line")
    mark = f"{block}  ×{refs}" if refs else str(block)
    sheet.cell(x, y + 15, step.look(block), width=BLOCK, height=46, mark=mark)

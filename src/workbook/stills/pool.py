"""Draw a small pool after each of several calls: its blocks, their holders, and the free stack."""

from collections.abc import Sequence
from typing import NamedTuple

from workbook.stills.sheet import LETTER, MARGIN, Sheet
from workbook.trace.look import look_of

CELL, PITCH, ROW, ENTRY = 38, 44, 50, 24


class PoolStep(NamedTuple):
    """A pool after a call: ``refs[b]`` holders of block b; the free ids, top of the stack last."""

    call: str
    refs: Sequence[int]
    free: Sequence[int]


def draw_pool_steps(steps: Sequence[PoolStep]) -> Sheet:
    """One row a step: the call, the blocks in id order with their counts, and the free stack."""
    left = MARGIN + max(len(step.call) for step in steps) * 13 * LETTER * 1.05 + 12
    stack = left + len(steps[0].refs) * PITCH + 24
    deepest = max(len(step.free) for step in steps)
    sheet = Sheet(max(stack + max(180, ENTRY * deepest + 12) + MARGIN, 480))
    sheet.text(left, sheet.y + 10, "blocks", size=12, colour="muted")
    sheet.text(stack, sheet.y + 10, "free stack (top at the right)", size=12, colour="muted")
    sheet.space(20)
    for step in steps:
        y = sheet.y
        sheet.text(left - 12, y + 24, step.call, size=13, mono=True, anchor="end")
        for block, refs in enumerate(step.refs):
            lost = not refs and block not in step.free
            mark = f"×{refs}" if refs else "lost" if lost else ""
            x = left + block * PITCH
            sheet.cell(x, y, look_of(refs), width=CELL, height=CELL, name=str(block), mark=mark)
        _tray(sheet, stack, y + 4, step.free)
        sheet.space(ROW)
    return sheet


def _tray(sheet: Sheet, x: float, y: float, free: Sequence[int]) -> None:
    """Ids on a tray, open at the right: they go in and out there."""
    width = ENTRY * max(len(free), 2) + 8
    sheet.line([(x + width, y), (x, y), (x, y + 30), (x + width, y + 30)])
    for place, block in enumerate(free):
        sheet.text(x + ENTRY * (place + 0.7), y + 20, str(block), anchor="middle")
    if not free:
        sheet.text(x + 8, y + 19, "empty", size=12, colour="muted")

"""Draw a pool with a prefix index after each of several calls: free, held, shared or cached."""

from collections.abc import Sequence
from typing import NamedTuple

from workbook.stills.looks import STATES
from workbook.stills.sheet import LETTER, MARGIN, Sheet
from workbook.trace.look import look_of

CELL, PITCH, ROW = 38, 44, 48


class PoolState(NamedTuple):
    """A pool after a call: ``refs[b]`` holders of block b, and the blocks that the index names."""

    call: str
    refs: Sequence[int]
    indexed: Sequence[int]


def draw_pool_states(steps: Sequence[PoolState]) -> Sheet:
    """A row a step: the call, every block in its state, and how many are in each."""
    left = MARGIN + max(len(step.call) for step in steps) * 13 * LETTER * 1.05 + 12
    end = left + len(steps[0].refs) * PITCH + 8
    sheet = Sheet(end + 140 + MARGIN)
    sheet.text(left, sheet.y + 10, "pool", size=12, colour="muted")
    sheet.text(end, sheet.y + 10, "free + held + cached", size=12, colour="muted")
    sheet.space(20)
    for step in steps:
        looks = [look_of(refs, indexed=b in step.indexed) for b, refs in enumerate(step.refs)]
        sheet.text(left - 12, sheet.y + 24, step.call, size=13, mono=True, anchor="end")
        for block, (look, refs) in enumerate(zip(looks, step.refs, strict=True)):
            x = left + block * PITCH
            mark = STATES[look].mark or (f"×{refs}" if refs else "")
            sheet.cell(x, sheet.y, look, width=CELL, height=CELL, name=str(block), mark=mark)
        free, cached, total = looks.count("free"), looks.count("cached"), len(looks)
        law = f"{free} + {total - free - cached} + {cached} = {total}"
        sheet.text(end, sheet.y + 24, law, size=13)
        sheet.space(ROW)
    return sheet

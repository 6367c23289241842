"""Blocks and table entries of a still picture, and the law below them; ``cells.js`` moves."""

from collections.abc import Sequence

from workbook.stills.looks import STATES
from workbook.stills.sheet import Sheet
from workbook.trace import State
from workbook.words.wording import say, words_beside

WORDS = words_beside(__file__)
CELL, ENTRY, GAP = 36, 30, 4  # px: a block, a table entry, the room between two


def law(state: State) -> str:
    """Free, held and cached blocks, and their sum."""
    free, cached = state.num_free, len(state.cached)
    held = state.trace.num_blocks - free - cached
    return say(
        WORDS["law"],
        {"free": free, "held": held, "cached": cached, "total": state.trace.num_blocks},
    )


def draw_block(
    sheet: Sheet, x: float, y: float, state: State, block: int, names: Sequence[str]
) -> None:
    """A block with its id, and how many hold it or who; ``p``: it is published."""
    look, refs, held = state.look(block), state.refs[block], state.held.get(block)
    published = block in state.nodes and look != "cached"
    sheet.cell(
        x,
        y,
        look,
        name=str(block),
        mark=STATES[look].mark or (f"×{refs}" if refs > 1 else names[held.seq][:5] if held else ""),
        tab="p" if published else "",
        part=held.filled / state.trace.block_size if held else 1,
    )


def draw_entry(sheet: Sheet, x: float, y: float, state: State, seq: int, i: int) -> None:
    """Entry ``i`` of a table: its block, in the block's state."""
    block, part = state.tables[seq][i], state.filled[seq][i] / state.trace.block_size
    sheet.cell(x, y, state.look(block), width=ENTRY, height=28, mark=str(block), part=part)

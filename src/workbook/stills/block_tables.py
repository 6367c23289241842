"""Draw a sequence's history, its block table and the pool: one look-up, or all blocks at once."""

from collections.abc import Sequence

from workbook.stills.looks import STATES
from workbook.stills.sheet import MARGIN, Sheet

SLOT, GAP = 22, 12  # a slot, and the room between two blocks
IN_A_ROW = 6  # blocks of the pool, where single slots are drawn
LABELS = 108  # room for the words at the left
WIDE, APART = 46, 8  # a block that is one cell, and the room to the next


def draw_table_walk(
    table: Sequence[int], length: int, position: int, *, block_size: int, num_blocks: int
) -> Sheet:
    """How one look-up finds ``position``: the history, the table below it, the pool at the bottom.

    Blocks that ``table`` doesn't name are drawn as another's.
    """
    block_width = block_size * SLOT
    sheet = Sheet(LABELS + IN_A_ROW * (block_width + GAP) + MARGIN)
    history, entries, pool = 30.0, 128.0, 230.0
    index, offset = divmod(position, block_size)
    row, column = divmod(table[index], IN_A_ROW)

    def left(block: int) -> float:
        return LABELS + block * (block_width + GAP)

    _label(sheet, history, "history", f"{length} tokens")
    _label(sheet, entries, "block table", "entry: block")
    _label(sheet, pool, "pool", f"{num_blocks} blocks of {block_size}")
    slot = (left(column) + offset * SLOT, pool + row * 62)
    middle = left(index) + block_width / 2
    sheet.arrow((left(index) + (offset + 0.5) * SLOT, history + SLOT), (middle, entries - 18))
    sheet.arrow((middle, entries + 24), (slot[0] + SLOT / 2, slot[1] - 18))
    for at, block in enumerate(table):
        for place in range(min(block_size, length - at * block_size)):
            token = at * block_size + place
            x = left(at) + place * SLOT
            _slot(sheet, x, history, "held", str(token), ring=token == position)
        x = left(at) + block_width / 2
        sheet.text(x - 26, entries + 17, f"{at}:", size=12, colour="muted", anchor="end")
        ring = at == index
        sheet.cell(x - 18, entries, "held", width=36, height=24, mark=str(block), ring=ring)
    for block in range(num_blocks):
        x, y = left(block % IN_A_ROW), pool + block // IN_A_ROW * 62
        ringed = offset if block == table[index] else -1
        _pool_block(sheet, (x, y), block, table, length, block_size, ringed)
        below = x + block_width / 2
        sheet.text(below, y + 38, str(block), size=12, colour="muted", anchor="middle")
    sums = (f"{position} // {block_size} = {index}", f"{position} % {block_size} = {offset}")
    sheet.text(middle + 28, entries - 16, sums[0], size=13, mono=True, halo="page")
    away, anchor = (-28, "end") if slot[0] > middle else (28, "start")
    sheet.text(middle + away, entries + 56, sums[1], size=13, mono=True, anchor=anchor)
    sheet.y = pool + -(-num_blocks // IN_A_ROW) * 62 - 12
    return sheet


def draw_scatter_gather(
    table: Sequence[int], length: int, *, block_size: int, num_blocks: int
) -> Sheet:
    """Every block of a history on its way into the pool, and out of it again."""
    sheet = Sheet(LABELS - 12 + num_blocks * (WIDE + APART) + MARGIN)
    written, pool, read = 16.0, 150.0, 300.0

    def left(block: int) -> float:
        return LABELS - 12 + block * (WIDE + APART)

    for y, name, note in (
        (written, "written", "in order"),
        (pool, "pool", f"{num_blocks} blocks"),
        (read, "read", "in order"),
    ):
        _label(sheet, y + 3, name, note, right=LABELS - 22)
    for y, word in ((written + 76, "scatter"), (pool + 96, "gather")):
        sheet.text(LABELS - 22, y, word, anchor="end", bold=True)
    for at, block in enumerate(table):
        here, there = left(at) + WIDE / 2, left(block) + WIDE / 2
        sheet.arrow((here, written + 30), (there, pool - 2))
        sheet.arrow((there, pool + 50), (here, read - 2))
    for block in range(num_blocks):
        x = left(block)
        sheet.text(x + WIDE / 2, pool + 44, str(block), size=12, colour="muted", anchor="middle")
        if block in table:
            sheet.cell(x, pool, "reserved", width=WIDE, height=30)
            _span(sheet, x, pool, list(table).index(block), length, block_size)
        else:
            sheet.cell(x, pool, "other", width=WIDE, height=30, mark=STATES["other"].mark)
    for at in range(len(table)):
        _span(sheet, left(at), written, at, length, block_size)
        _span(sheet, left(at), read, at, length, block_size)
    sheet.y = read + 32
    return sheet


def _label(sheet: Sheet, y: float, name: str, note: str, right: float = LABELS - 16) -> None:
    sheet.text(right, y + 9, name, anchor="end")
    sheet.text(right, y + 25, note, size=12, colour="muted", anchor="end")


def _slot(sheet: Sheet, x: float, y: float, state: str, mark: str, *, ring: bool) -> None:
    sheet.cell(x, y, state, width=SLOT, height=SLOT, mark=mark, ring=ring)


def _pool_block(
    sheet: Sheet,
    corner: tuple[float, float],
    block: int,
    table: Sequence[int],
    length: int,
    block_size: int,
    ringed: int,
) -> None:
    """A block of the pool, slot by slot when ``table`` names it; a ring around slot ``ringed``."""
    x, y = corner
    if block not in table:
        mark = STATES["other"].mark
        sheet.cell(x, y, "other", width=block_size * SLOT, height=SLOT, mark=mark)
        return
    first = list(table).index(block) * block_size
    for token in range(first, first + block_size):
        written = token < length
        state, mark = ("held", str(token)) if written else ("reserved", "")
        _slot(sheet, x + (token - first) * SLOT, y, state, mark, ring=token - first == ringed)


def _span(sheet: Sheet, x: float, y: float, at: int, length: int, block_size: int) -> None:
    """Entry ``at`` of a history as one cell, with its first and last position."""
    first = at * block_size
    count = min(block_size, length - first)
    last, width = first + count - 1, WIDE * count / block_size
    mark = f"{first}–{last}" if count == block_size else ""
    sheet.cell(x, y, "held", width=width, height=30, mark=mark)
    if not mark:
        middle, colour = x + width / 2, STATES["held"].text
        sheet.text(middle, y + 13, str(first), size=12, colour=colour, anchor="middle")
        sheet.text(middle, y + 26, str(last), size=12, colour=colour, anchor="middle")

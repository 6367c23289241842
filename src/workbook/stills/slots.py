"""Draw a pool of slots at one moment or several: who holds each slot, and whether it is written."""

from collections.abc import Iterator, Sequence
from itertools import groupby
from typing import NamedTuple

from workbook.stills.sheet import LETTER, MARGIN, Sheet

SLOT_STATES = {"used": "held", "reserved": "reserved", "internal": "wasted", "free": "free"}
LEGEND = {
    "used": "used",
    "reserved": "reserved: empty, will be written",
    "internal": "internal: never written",
    "free": "free",
}
SLOT, ROW = 9, 24


class SlotRow(NamedTuple):
    """A pool at one moment: ``cells[i]`` is slot i's state and holder (none: ``""``)."""

    label: str
    cells: Sequence[tuple[str, str]]
    note: str = ""


def draw_slots(
    rows: Sequence[SlotRow],
    *,
    block_size: int | None = None,
    left: str = "",
    right: str = "",
    counts: bool = False,
) -> Sheet:
    """One line of slots for each row, cut into blocks if ``block_size`` is given, with a key below.

    ``left`` and ``right`` head the columns of labels and notes; ``counts`` writes into each run how
    many slots it has.
    """
    slots = len(rows[0].cells)
    size = block_size or slots
    start = MARGIN + _wide([left, *(row.label for row in rows)])
    end = start + slots * SLOT
    sheet = Sheet(end + _wide([right, *(row.note for row in rows)]) + MARGIN)
    if left or right:
        sheet.text(start - 8, sheet.y + 12, left, size=12, colour="muted", anchor="end")
        sheet.text(end + 8, sheet.y + 12, right, size=12, colour="muted")
        sheet.space(20)
    for row in rows:
        sheet.text(start - 8, sheet.y + 15, row.label, size=13, anchor="end")
        sheet.text(end + 8, sheet.y + 15, row.note, size=13)
        for first, length, state, holder in _runs(row.cells, size):
            text = f"{holder} {length}".strip() if counts else holder
            sheet.cell(
                start + first * SLOT,
                sheet.y,
                SLOT_STATES[state],
                width=length * SLOT,
                height=ROW - 4,
                mark=text if counts or state == "used" else "",
            )
        sheet.space(ROW)
    _number(sheet, start, slots, block_size)
    seen = {state for row in rows for state, _ in row.cells}
    shown = [state for state in LEGEND if state in seen]
    sheet.legend([SLOT_STATES[state] for state in shown], [LEGEND[state] for state in shown])
    return sheet


def _wide(texts: Sequence[str]) -> float:
    """The room that a column of these texts takes beside the slots."""
    longest = max(map(len, texts))
    return longest * 13 * LETTER + 10 if longest else 0


def _number(sheet: Sheet, x: float, slots: int, block_size: int | None) -> None:
    """Number the blocks below their middles, or every tenth slot at its left edge."""
    step = block_size or 10
    shift = step * SLOT / 2 if block_size else 0
    for at, slot in enumerate(range(0, slots, step)):
        number = str(at if block_size else slot)
        left = x + slot * SLOT + shift
        anchor = "middle" if slot or shift else "start"
        sheet.text(left, sheet.y + 12, number, size=12, colour="muted", anchor=anchor)
    word = "block" if block_size else "slot"
    sheet.text(x + slots * SLOT / 2, sheet.y + 28, word, size=12, colour="muted", anchor="middle")
    sheet.space(42)


def _runs(cells: Sequence[tuple[str, str]], block_size: int) -> Iterator[tuple[int, int, str, str]]:
    """Neighbours in a block that look the same, as (start, length, state, holder)."""
    numbered = ((slot, *cell) for slot, cell in enumerate(cells))
    for (_, state, holder), same in groupby(numbered, lambda c: (c[0] // block_size, c[1], c[2])):
        run = list(same)
        yield run[0][0], len(run), state, holder

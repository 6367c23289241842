"""Where is one token for the manager, and where for the kernel? A block seen as pages."""

from collections.abc import Sequence
from functools import partial
from typing import NamedTuple

from paged_attention.tables import kernel_table, physical_slot
from workbook.stills.sheet import MARGIN, Sheet
from workbook.widgets.common.picture import Picture, Still
from workbook.words.wording import say, words_beside

WORDS = words_beside(__file__)
MOST = 16  # pages of a block that a reader can choose
LINE = 16  # slots of a page that stand side by side


class Split(NamedTuple):
    """A manager's ``table`` of blocks of ``block`` slots, read in pages of ``page``."""

    table: Sequence[int]
    block: int
    page: int


def pages_picture(
    table: Sequence[int] = (5, 2), *, block: int = 64, page: int = 16, start: int = 105
) -> Picture:
    """Each step is a position: its block and slot by the manager's table, its page and slot by the
    kernel's, and that both are one place.

    The reader can choose another page size. ``ValueError`` when pages don't fill a block.
    """
    split = Split(tuple(table), block, page)
    pages = kernel_table(table, block, page)
    last = len(table) * block - 1
    if not 0 <= start <= last:
        raise IndexError(f"these blocks hold positions 0 to {last}, and start={start} is none")
    fits = [size for size in range(1, block + 1) if block % size == 0 and block // size <= MOST]
    data = {
        "v": 1,
        "picture": "pages",
        "start": start,
        "block": block,
        "page": page,
        "pages": " ".join(map(str, sorted({*fits, page}))),
        "table": " ".join(map(str, table)),
    }
    still = Still(sentence(split, start), partial(_draw, split=split, position=start))
    lines = [f"{len(table)} blocks of {block}, pages of {page}"]
    for i, number in enumerate(table):
        each = block // page
        mine = " ".join(map(str, pages[i * each : (i + 1) * each]))
        lines.append(f"entry {i}: block {number} is pages {mine}")
    return Picture(WORDS["name"], data, [*lines, sentence(split, start)], [still])


def sentence(split: Split, position: int) -> str:
    """Where ``position`` is, by either table."""
    number, slot = physical_slot(split.table, position, split.block)
    pages = kernel_table(split.table, split.block, split.page)
    page, page_slot = physical_slot(pages, position, split.page)
    facts = {
        "position": position,
        "entry": position // split.block,
        "number": number,
        "slot": slot,
        "pageEntry": position // split.page,
        "pageNumber": page,
        "pageSlot": page_slot,
        "place": number * split.block + slot,
    }
    return say(WORDS["step"], facts)


def _draw(sheet: Sheet, *, split: Split, position: int) -> None:
    """Both tables, then the slots of the block that is read, a line a page."""
    pages = kernel_table(split.table, split.block, split.page)
    each = split.block // split.page
    wide = min(150.0, (sheet.width - 2 * MARGIN) / len(split.table) - 10)
    sheet.paragraph(WORDS["grid"], colour="muted")
    top = sheet.y + 18
    for i, number in enumerate(split.table):
        x = MARGIN + i * (wide + 10)
        now = i == position // split.block
        sheet.cell(
            x, top, "held" if now else "other", width=wide, height=26, mark=str(number), ring=now
        )
        for j in range(each):
            at = i * each + j
            here = at == position // split.page
            sheet.cell(
                x + j * wide / each,
                top + 50,
                "held" if here else "other",
                width=wide / each - 3,
                height=26,
                mark=str(pages[at]) if wide / each > 24 else "",
                ring=here,
            )
    sheet.y = top + 88
    number, slot = physical_slot(split.table, position, split.block)
    sheet.paragraph(say(WORDS["slots"], {"number": number}), colour="muted")
    for first in range(0, split.block, split.page):
        name = str((number * split.block + first) // split.page)
        sheet.text(MARGIN, sheet.y + 13, name, size=12, bold=first <= slot < first + split.page)
        for at in range(first, first + split.page):
            x = MARGIN + 34 + (at - first) % LINE * 20
            if at > first and (at - first) % LINE == 0:
                sheet.y += 20
            same = at // split.page == slot // split.page
            look = "copied" if at == slot else "held" if same else "other"
            dot = "·" if look == "other" else ""
            sheet.cell(x, sheet.y, look, width=18, height=18, mark=dot)
        sheet.y += 22
    words = WORDS["legend"]
    sheet.legend(list(words), list(words.values()))

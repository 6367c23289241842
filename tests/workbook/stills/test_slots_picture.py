"""Rows of slots are drawn run by run, cut at blocks, with a key to the states that occur."""

from helpers.drawn import cells, looks, texts

from workbook.stills.slots import LEGEND, SLOT, SlotRow, draw_slots

CELLS = [*[("used", "A")] * 3, *[("reserved", "A")] * 2, ("internal", "A"), *[("free", "")] * 2]
ROW = SlotRow("0", CELLS, "D E")


def runs(block_size: int | None = None) -> list[int]:
    """How many slots each run has; the last cells are the key's."""
    sheet = draw_slots([ROW], block_size=block_size)
    widths = [float(cell.get("width", 0)) for cell in cells(sheet)][: -len(LEGEND)]
    return [round((width + 1) / SLOT) for width in widths]


def test_neighbours_of_one_state_are_one_run() -> None:
    assert runs() == [3, 2, 1, 2]
    assert texts(draw_slots([ROW]))[:3] == ["0", "D E", "A"]


def test_blocks_cut_runs_and_number_the_axis() -> None:
    assert runs(block_size=2) == [2, 1, 1, 1, 1, 2]
    said = texts(draw_slots([ROW], block_size=2, left="step", right="waiting"))
    assert said[:2] == ["step", "waiting"]
    assert said[said.index("block") - 4 : said.index("block")] == ["0", "1", "2", "3"]


def test_counts_tell_the_slots_of_each_run() -> None:
    assert texts(draw_slots([ROW], counts=True))[2:6] == ["A 3", "A 2", "A 1", "2"]


def test_the_key_has_the_states_that_occur_and_no_other() -> None:
    sheet = draw_slots([ROW])
    assert looks(sheet)[-4:] == ["held", "reserved", "wasted", "free"]
    assert set(LEGEND.values()) <= set(texts(sheet))
    alone = draw_slots([SlotRow("0", [("free", "")] * 4)])
    assert looks(alone) == ["free", "free"]

"""The picture of forks says what the steps say: ids, counts, written slots, and the copy."""

from helpers.drawn import arrows, elements, looks, texts

from workbook.stills.forks import ForkStep, draw_fork_steps

TABLES = {"a": [0, 2], "b": [0, 1]}
FORKED = ForkStep("fork", {"a": [0, 1], "b": [0, 1]}, [2, 2, 0], [4, 2, 0])
WRITTEN = ForkStep("a writes", TABLES, [2, 1, 1], [4, 2, 3], (1, 2))


def test_tables_and_counts_are_written_out() -> None:
    said = texts(draw_fork_steps([FORKED, WRITTEN], block_size=4))
    assert [text for text in said if "×" in text] == ["0  ×2", "1  ×2", "0  ×2", "1  ×1", "2  ×1"]
    assert {"fork", "a writes", "tables", "pool", "a", "b"} <= set(said)


def test_written_slots_are_filled_and_a_copy_has_an_arrow_and_a_state() -> None:
    sheet = draw_fork_steps([FORKED, WRITTEN], block_size=4)
    dark = [box for box in elements(sheet, "rect") if box.get("fill") == "var(--ink)"]
    assert len(dark) == 6 + 9
    assert arrows(sheet) == 1
    assert looks(sheet) == [
        *["shared"] * 4, *["shared", "shared", "free"],
        *["shared", "copied", "shared", "held"], *["shared", "held", "copied"],
    ]  # fmt: skip

"""The picture of forks says what the steps say: ids, counts, written slots, and the copy."""

from matplotlib.patches import FancyArrowPatch, Rectangle

from workbook.stills.forks import ForkStep, draw_fork_steps
from workbook.stills.states import INK

TABLES = {"a": [0, 2], "b": [0, 1]}
FORKED = ForkStep("fork", {"a": [0, 1], "b": [0, 1]}, [2, 2, 0], [4, 2, 0])
WRITTEN = ForkStep("a writes", TABLES, [2, 1, 1], [4, 2, 3], (1, 2))


def test_tables_and_counts_are_written_out() -> None:
    axes = draw_fork_steps([FORKED, WRITTEN], block_size=4).axes[0]
    texts = [text.get_text() for text in axes.texts]
    assert [text for text in texts if "×" in text] == ["0  ×2", "1  ×2", "0  ×2", "1  ×1", "2  ×1"]
    assert {"fork", "a writes", "tables", "pool", "a", "b"} <= set(texts)


def test_written_slots_are_filled_and_a_copy_has_an_arrow_and_a_hatch() -> None:
    patches = draw_fork_steps([FORKED, WRITTEN], block_size=4).axes[0].patches
    dark = [p for p in patches if isinstance(p, Rectangle) and p.get_facecolor()[:3] == _rgb(INK)]
    assert len(dark) == 6 + 9
    assert len([p for p in patches if isinstance(p, FancyArrowPatch)]) == 1
    assert len([p for p in patches if p.get_hatch()]) == 2  # in a's table, and in the pool


def test_no_text_is_too_small() -> None:
    axes = draw_fork_steps([FORKED, WRITTEN], block_size=4).axes[0]
    assert min(text.get_fontsize() for text in axes.texts) >= 9


def _rgb(colour: str) -> tuple[float, ...]:
    return tuple(int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5))

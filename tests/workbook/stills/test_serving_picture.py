"""A bar for each contestant; what others made is hatched."""

from matplotlib.colors import to_hex

from workbook.results import newest
from workbook.stills.looks import STATES
from workbook.stills.serving import draw_rates


def test_bars_are_as_long_as_the_rates() -> None:
    axes = draw_rates({"ours": 24.5, "theirs": 13.25}, ["theirs"]).axes[0]
    assert [bar.get_width() for bar in axes.patches] == [24.5, 13.25]
    assert [bar.get_hatch() for bar in axes.patches] == ["", "///"]
    assert to_hex(axes.patches[0].get_facecolor()) == (STATES["held"].fill or "").lower()
    assert [label.get_text() for label in axes.get_yticklabels()] == ["ours", "theirs"]
    assert [text.get_text() for text in axes.texts] == ["24.5", "13.2"]


def test_the_newest_result_is_found() -> None:
    found = newest("serving-load")
    assert found is not None
    assert set(found["results"]) >= {"poisson", "at once"}
    assert newest("never-measured") is None

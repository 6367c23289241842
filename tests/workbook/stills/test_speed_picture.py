"""The roofline has its ridge where both limits meet; splits keep more processors busy."""

from matplotlib.axes import Axes

from workbook.stills.looks import STATES
from workbook.stills.speed import draw_roofline, draw_splits


def filled(axes: Axes, fill: str | None) -> list[float]:
    """Widths of the bars with this fill."""
    from matplotlib.colors import to_hex

    return [
        p.get_width() for p in axes.patches if to_hex(p.get_facecolor()) == (fill or "").lower()
    ]


def test_the_ridge_and_the_kernels_are_on_the_roofline() -> None:
    axes = draw_roofline(4.8, 990, [("decode", 3.0), ("prefill", 400.0)]).axes[0]
    roof, _, *points = axes.lines
    assert list(roof.get_ydata()) == [2.4, 990, 990]
    assert roof.get_xdata()[1] == 206.25
    assert [(p.get_xdata()[0], round(p.get_ydata()[0], 1)) for p in points] == [
        (3, 14.4),
        (400, 990),
    ]
    assert {"ridge: 206", "decode", "prefill"} <= {text.get_text() for text in axes.texts}


def test_splits_read_the_same_tokens_in_less_time() -> None:
    axes = draw_splits(12, 3, 1_024, [1, 4]).axes[0]
    bars = filled(axes, STATES["held"].fill)
    assert bars == [1.0] * 3 + [0.25] * 12
    assert len(filled(axes, STATES["other"].fill)) == 3
    assert {"unsplit: 3 programs", "4 parts, then the merge: 12 programs", "1,024", "256"} <= {
        text.get_text() for text in axes.texts
    }

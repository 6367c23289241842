"""Pools of a prefix cache are drawn in the states that the counts tell."""

from matplotlib.axes import Axes
from matplotlib.patches import Rectangle

from workbook.stills.prefix import PoolState, draw_pool_states
from workbook.stills.states import STATES


def texts(axes: Axes) -> list[str]:
    return [text.get_text() for text in axes.texts]


def fills(axes: Axes) -> list[str]:
    """The filled cells' colours, as the states' own."""
    colours = {look.fill: name for name, look in STATES.items() if look.fill}
    found = []
    for patch in axes.patches:
        red, green, blue, alpha = patch.get_facecolor()
        if isinstance(patch, Rectangle) and alpha:
            found.append(
                colours[f"#{round(red * 255):02X}{round(green * 255):02X}{round(blue * 255):02X}"]
            )
    return found


def test_a_pool_is_counted_by_state() -> None:
    steps = [PoolState("run", [3, 2, 1, 1, 0, 0], [0, 1, 3])]
    axes = draw_pool_states(steps).axes[0]
    assert "2 + 3 + 1 = 6" in texts(axes)
    assert fills(axes) == ["shared", "held", "held", "cached"]

"""Trees and pools of a prefix cache are drawn in the states that the counts tell."""

from matplotlib.axes import Axes
from matplotlib.patches import Rectangle

from paged_attention.pictures.prefix import (
    PoolState,
    PrefixNode,
    draw_pool_states,
    draw_prefix_tree,
)
from paged_attention.pictures.states import STATES

TREE = [
    PrefixNode(None, "1234", 0, 4),
    PrefixNode(0, "5678", 1, 2),
    PrefixNode(0, "9999", 7, 1, "next to go"),
    PrefixNode(None, "7777", 9, 1),
]


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


def test_a_tree_has_a_node_for_each_prefix_in_its_state() -> None:
    axes = draw_prefix_tree(TREE).axes[0]
    assert {"0 ×4", "1 ×2", "7 c", "9 c", "1234", "9999", "next to go"} <= set(texts(axes))
    assert fills(axes) == ["shared", "held", "cached", "cached"]
    edges = [line for line in axes.lines if len(line.get_xdata()) == 4]
    assert len(edges) == len(TREE)


def test_leaves_have_rows_of_their_own_and_a_parent_is_between_its_children() -> None:
    axes = draw_prefix_tree(TREE).axes[0]
    at = {t.get_text(): t.get_position()[1] for t in axes.texts}
    assert at["1 ×2"] > at["7 c"] > at["9 c"]
    assert at["0 ×4"] == (at["1 ×2"] + at["7 c"]) / 2


def test_a_pool_is_counted_by_state() -> None:
    steps = [PoolState("run", [3, 2, 1, 1, 0, 0], [0, 1, 3])]
    axes = draw_pool_states(steps).axes[0]
    assert "2 + 3 + 1 = 6" in texts(axes)
    assert fills(axes) == ["shared", "held", "held", "cached"]

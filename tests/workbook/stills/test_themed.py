"""A drawing knows light and dark: house colours are variables, and all that reads in one reads
in the other.
"""

import re

import pytest
from matplotlib.patches import Rectangle

from workbook.stills import INK, STATES, canvas
from workbook.stills.states import RESERVED_LINES, SERIES
from workbook.stills.themed import COLOURS, EDGE, LINES, themed_svg


def luminance(colour: str) -> float:
    def linear(part: str) -> float:
        c = int(part, 16) / 255
        return c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4

    red, green, blue = (linear(colour[i : i + 2]) for i in (1, 3, 5))
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def contrast(one: str, other: str) -> float:
    light, dark = sorted((luminance(one), luminance(other)), reverse=True)
    return (light + 0.05) / (dark + 0.05)


def drawn() -> str:
    """A chart with a line, its label, a held and a shared cell with text, and a reserved one."""
    figure, axes = canvas()
    axes.plot([1, 2], color=SERIES[0])
    axes.text(1, 1, "label", color=SERIES[0])
    axes.text(0, 1, "words")
    for at, state in enumerate(("held", "shared")):
        look = STATES[state]
        axes.add_patch(Rectangle((at, 0), 1, 1, facecolor=look.fill, edgecolor=INK))
        axes.text(at, 0, "x", color=look.text)
    axes.add_patch(Rectangle((3, 0), 1, 1, fill=False, hatch="///", edgecolor=RESERVED_LINES))
    return themed_svg(figure)


def body(svg: str) -> str:
    return svg.split("</style>", 1)[1].lower()


def test_house_colours_are_variables_and_fills_of_states_are_not() -> None:
    found = body(drawn())
    for colour, _ in COLOURS.values():
        assert not re.search(rf'{colour.lower()}(?!" transform)', found), colour
    for state in ("held", "shared"):
        assert f"fill: {STATES[state].fill}".lower() in found
    assert "stroke: var(--blue)" in found
    assert 'fill: var(--blue)" transform' in found  # the label follows its line
    assert "var(--hatch)" in found
    assert "var(--edge)" in found


def test_text_on_a_fill_keeps_its_colour() -> None:
    found = body(drawn())
    assert f'fill: {STATES["shared"].text}" transform'.lower() in found
    assert f'fill: {STATES["held"].text}" transform'.lower() in found


def test_every_variable_that_is_used_has_both_colours() -> None:
    svg = drawn()
    used = set(re.findall(r"var\(--(\w+)\)", svg))
    light, dark = svg.split("@media screen and (prefers-color-scheme:dark)")
    for name in used:
        assert f"--{name}:" in light, name
        assert f"--{name}:" in dark, name


def test_the_same_figure_is_the_same_text_and_asks_nobody() -> None:
    assert drawn() == drawn()
    addresses = set(re.findall(r"https?://[^\"]+", drawn()))
    assert addresses <= {"http://www.w3.org/2000/svg", "http://www.w3.org/1999/xlink"}
    assert "<text" not in drawn()  # no font is needed to read it


@pytest.mark.parametrize("name", ["ink", "muted", "blue", "green", "rose", "hatch"])
def test_words_and_lines_read_in_the_dark(name: str) -> None:
    page = COLOURS["page"][1]
    assert contrast((COLOURS | LINES)[name][1], page) >= (4.5 if name != "line" else 3)


def test_a_cell_stands_off_from_its_edge_in_the_dark() -> None:
    for look in STATES.values():
        if look.fill:
            assert contrast(look.fill, EDGE[1]) >= 3

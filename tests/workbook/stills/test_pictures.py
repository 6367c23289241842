"""Pictures carry alternative text, a caption and a digest, follow the theme, and never differ."""

import base64
import os
import re
import subprocess
import sys
import xml.etree.ElementTree as ET
from collections.abc import Callable
from configparser import RawConfigParser
from typing import Any

import pytest
from matplotlib.patches import Rectangle

from bookbuild.outputs import MASKS
from workbook.digest import digest
from workbook.stills import STATES, PoolStep, Sheet, canvas, draw_pool_steps, output, show
from workbook.stills.chart import INK, LINES, themed_svg
from workbook.stills.looks import COLOURS
from workbook.stills.speed import draw_roofline, draw_splits

ALT = "a line that rises from 1 to 3"
STEPS = [PoolStep("allocate()", [1, 0, 2], [1]), PoolStep("lost", [1, 0, 2], [])]


def line() -> Any:
    """A small chart."""
    figure, axes = canvas(4, 2)
    axes.plot([1, 2, 3])
    return figure


DRAWN: dict[str, Callable[[], Any]] = {
    "a chart": line,
    "cells": lambda: draw_pool_steps(STEPS),
    "a roofline": lambda: draw_roofline(4.8, 990, [("decode", 3.0)]),
    "bars": lambda: draw_splits(12, 3, 1_024, [1, 4]),
}


@pytest.fixture
def shown(monkeypatch: pytest.MonkeyPatch) -> list[dict[str, Any]]:
    outputs: list[dict[str, Any]] = []
    monkeypatch.setattr(output, "_emit", outputs.append)
    return outputs


def drawing(bundle: dict[str, Any]) -> str:
    """The SVG that an output shows."""
    found = re.search(r'src="data:image/svg\+xml;base64,([^"]+)"', bundle["text/html"])
    assert found
    return base64.b64decode(found[1]).decode()


def test_a_picture_is_an_image_with_alt_then_a_caption_with_digest(shown: Any) -> None:
    show(line(), alt=ALT, caption="Figure 1. **Growth** of `n` < 4", data=[1, 2, 3])
    picture, caption = shown
    assert picture["text/plain"] == ALT
    assert f'alt="{ALT}" width="384" height="192"' in picture["text/html"]
    assert caption["text/plain"] == f"Figure 1. **Growth** of `n` < 4 [data {digest([1, 2, 3])}]"
    assert "<strong>Growth</strong> of <code>n</code> &lt; 4" in caption["text/html"]
    assert digest([1, 2, 3]) in caption["text/html"]


def test_hostile_words_stay_inside_the_attribute(shown: Any) -> None:
    show(line(), alt=f'{ALT}"><script>alert(1)</script>', caption="c", data=[])
    assert shown[0]["text/html"].count("<") == 1


def test_comparisons_leave_out_the_lines_of_a_chart_and_nothing_else(shown: Any) -> None:
    config = RawConfigParser()
    config.read(MASKS, encoding="utf-8")
    for values in ([1, 2], [2, 1]):
        figure, axes = canvas()
        axes.plot(values)
        show(figure, alt=ALT, caption="c", data=values)
    pattern = config["drawn"]["regex"]
    one, two = (re.sub(pattern, "", shown[at]["text/html"]) for at in (0, 2))
    assert shown[0]["text/html"] != shown[2]["text/html"]
    assert one == two
    assert f'alt="{ALT}"' in one
    assert shown[1] != shown[3]  # the digests differ
    show(draw_pool_steps(STEPS), alt=ALT, caption="c", data=[])
    assert re.sub(pattern, "", shown[4]["text/html"]) == shown[4]["text/html"]


@pytest.mark.parametrize("name", DRAWN)
def test_one_road_for_all(name: str, shown: Any) -> None:
    """Whatever drew it: themed, text as text, nothing loaded, and the same each time."""
    for _ in range(2):
        show(DRAWN[name](), alt=ALT, caption="c", data=STEPS)
    assert shown[0] == shown[2]
    svg = drawing(shown[0])
    root = ET.fromstring(svg)
    assert svg.count("prefers-color-scheme:dark") == 1
    assert "var(--ink)" in svg
    assert [text for text in root.itertext() if text.strip() and "--ink" not in text]
    assert set(re.findall(r"https?://[^\"' ]+", svg)) <= {
        "http://www.w3.org/2000/svg",
        "http://www.w3.org/1999/xlink",
    }
    assert "<script" not in svg


@pytest.mark.parametrize("name", DRAWN)
def test_no_colour_of_the_page_is_left_as_it_is_in_light(name: str) -> None:
    """A colour that the dark doesn't change would be a slab or a shadow there."""
    drawn = DRAWN[name]()
    svg = drawn.svg() if isinstance(drawn, Sheet) else themed_svg(drawn)
    outside = re.sub(r"<style>.*?</style>", "", svg).lower()
    fixed = {colour for look in STATES.values() for colour in (look.fill, look.text)}
    left = [name for name, (light, _) in COLOURS.items() if light in outside and light not in fixed]
    assert left == []


def test_on_a_fill_text_and_edge_stay_and_elsewhere_a_label_follows() -> None:
    figure, axes = canvas()
    for at, state in enumerate(("held", "shared")):
        look = STATES[state]
        cell = Rectangle((at, 0), 1, 1, facecolor=look.fill, edgecolor=INK)
        axes.add_patch(cell)
        axes.text(at, 0, "x", color=look.text)
    axes.text(1, 1, "label", color=LINES[0])
    axes.text(0, 1, "mono", family="DejaVu Sans Mono")
    svg = themed_svg(figure)
    assert "fill: #ffffff" in svg
    assert "fill: #111111" in svg
    assert re.search(r"fill: #0072b2;[^\"]*stroke: var\(--edge\)", svg)
    assert re.search(r"<text[^>]*fill: var\(--blue\)[^>]*>label", svg)
    assert re.search(r"<text[^>]*monospace[^>]*>mono", svg)


def test_a_drawing_is_the_same_in_another_process() -> None:
    code = (
        "from workbook.stills.speed import draw_splits\n"
        "from workbook.stills.chart import themed_svg\n"
        "print(themed_svg(draw_splits(12, 3, 1024, [1, 4])))"
    )
    runs = [
        subprocess.run(
            [sys.executable, "-c", code], env={**os.environ, "PYTHONHASHSEED": seed},
            capture_output=True, text=True, check=True,
        ).stdout
        for seed in ("1", "2")
    ]  # fmt: skip
    assert runs[0] == runs[1]
    assert "<svg" in runs[0]


@pytest.mark.parametrize(("alt", "caption"), [("a plot", "c"), (" " * 40, "c"), (ALT, " ")])
def test_a_picture_without_words_is_refused(shown: Any, alt: str, caption: str) -> None:
    with pytest.raises(ValueError, match=r"alt must say|needs a caption"):
        show(Sheet(), alt=alt, caption=caption, data=[])
    assert shown == []


def test_a_digest_sees_values_and_not_containers_or_rounding_noise() -> None:
    torch = pytest.importorskip("torch")
    assert digest([1.0, 2.0]) == digest((1.0 + 1e-9, 2.0)) == digest(torch.tensor([1.0, 2.0]))
    assert digest({"b": 1, "a": [None, "x"]}) == digest({"a": [None, "x"], "b": 1})
    assert digest([1, 2]) != digest([2, 1])
    assert len(digest([])) == 12
    with pytest.raises(TypeError, match="data behind a picture"):
        digest([object()])


def luminance(colour: str) -> float:
    def linear(part: str) -> float:
        c = int(part, 16) / 255
        return c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4

    red, green, blue = (linear(colour[i : i + 2]) for i in (1, 3, 5))
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def contrast(one: str, other: str) -> float:
    light, dark = sorted((luminance(one), luminance(other)), reverse=True)
    return (light + 0.05) / (dark + 0.05)


def colour(name: str, theme: int) -> str:
    """A colour of a look, in light (0) or in the dark (1)."""
    return COLOURS[name][theme] if name in COLOURS else name


@pytest.mark.parametrize("theme", [0, 1])
@pytest.mark.parametrize("state", STATES)
def test_text_reads_on_every_state(state: str, theme: int) -> None:
    look = STATES[state]
    grounds = [look.fill] if look.fill else [COLOURS[name][theme] for name in ("page", "raised")]
    assert min(contrast(colour(look.text, theme), ground) for ground in grounds) >= 4.5


@pytest.mark.parametrize("theme", [0, 1])
@pytest.mark.parametrize("ground", ["page", "raised"])
def test_every_cell_has_an_outline_that_stands_off(ground: str, theme: int) -> None:
    """Its fill or its edge against the page; where it is too pale, the edge must do it."""
    page = COLOURS[ground][theme]
    for name, look in STATES.items():
        parts = [part for part in (look.fill, colour(look.edge, theme)) if part]
        assert max(contrast(part, page) for part in parts) >= 3, name
    for name in ("line", "ring", "hatch", "yours", "blue", "orange", "green", "rose"):
        assert contrast(COLOURS[name][theme], page) >= 3, name
    for name in ("ink", "muted"):
        assert contrast(COLOURS[name][theme], page) >= 4.5, name


def test_no_two_states_differ_by_colour_alone() -> None:
    cues = [
        (look.fill is None, look.border, look.hatch, look.mark)
        for name, look in STATES.items()
        if name != "held"  # held is the plain one; a letter or a count stands on it
    ]
    assert len(set(cues)) == len(cues)

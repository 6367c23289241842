"""Pictures carry alternative text, a caption and a digest, and are the same in every run."""

import base64
import re
from configparser import RawConfigParser
from typing import Any

import pytest

from bookbuild.outputs import MASKS
from workbook.stills import STATES, PoolStep, canvas, digest, draw_pool_steps, show
from workbook.stills import figure as figure_module

ALT = "a line that rises from 1 to 3"
STEPS = [PoolStep("allocate()", [1, 0, 2], [1]), PoolStep("lost", [1, 0, 2], [])]


@pytest.fixture
def shown(monkeypatch: pytest.MonkeyPatch) -> list[dict[str, str]]:
    outputs: list[dict[str, str]] = []

    def keep(bundle: dict[str, str], raw: bool) -> None:
        assert raw
        outputs.append(bundle)

    monkeypatch.setattr(figure_module, "_display", keep)
    return outputs


def drawing(picture: dict[str, str]) -> str:
    found = re.search(r'src="data:image/svg\+xml;base64,([A-Za-z0-9+/=]+)"', picture["text/html"])
    assert found
    return base64.b64decode(found[1]).decode()


def test_a_picture_is_a_drawing_with_alt_then_caption_with_digest(shown: Any) -> None:
    figure, axes = canvas(4, 2)
    axes.plot([1, 2, 3])
    show(figure, alt=ALT, caption="Figure 1. **Growth** of `n` < 4", data=[1, 2, 3])
    picture, caption = shown
    assert drawing(picture).startswith("<svg ")
    assert picture["text/plain"] == ALT
    assert picture["text/html"].endswith(f'alt="{ALT}" width="384" height="192">')
    assert caption["text/plain"] == f"Figure 1. **Growth** of `n` < 4 [data {digest([1, 2, 3])}]"
    assert "<strong>Growth</strong> of <code>n</code> &lt; 4" in caption["text/html"]
    assert digest([1, 2, 3]) in caption["text/html"]


def test_hostile_words_stay_inside_the_attribute(shown: Any) -> None:
    show(canvas()[0], alt=f'{ALT}"><script>alert(1)</script>', caption="c", data=[])
    assert shown[0]["text/html"].count("<") == 1


def test_comparisons_leave_the_drawing_out_and_nothing_else(shown: Any) -> None:
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
    other = '<img src="data:image/svg+xml;base64,AAAA" alt="a picture that is compared">'
    assert re.sub(pattern, "", other) == other


def test_the_same_data_give_the_same_bytes(shown: Any) -> None:
    for _ in range(2):
        show(draw_pool_steps(STEPS), alt=ALT, caption="c", data=STEPS)
    assert shown[0] == shown[2]


@pytest.mark.parametrize(("alt", "caption"), [("a plot", "c"), (" " * 40, "c"), (ALT, " ")])
def test_a_picture_without_words_is_refused(shown: Any, alt: str, caption: str) -> None:
    with pytest.raises(ValueError, match=r"alt must say|needs a caption"):
        show(canvas()[0], alt=alt, caption=caption, data=[])
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


@pytest.mark.parametrize("state", STATES)
def test_text_reads_on_every_state(state: str) -> None:
    look = STATES[state]
    assert contrast(look.text, look.fill or "#FFFFFF") >= 4.5


def test_no_two_states_differ_by_colour_alone() -> None:
    cues = [
        (look.fill is None, look.border, look.hatch, look.mark)
        for name, look in STATES.items()
        if name != "held"  # held is the plain one; a letter or a count stands on it
    ]
    assert len(set(cues)) == len(cues)

"""A picture before a room: it fills the screen, its type is large, keys step it, and it ends."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from helpers.axe import CONTRAST, RULES
from helpers.gallery import Shown
from helpers.panels import write_panels
from helpers.web import BASE, Visit

from bookbuild.web.serve import serving

EACH = ["pool", "contiguous", "reading", "fork", "prefix", "block_size", "line", "tiles", "pages"]
EACH += ["times", "engine"]
LEAST = 20  # px, what the last row of a room can read on a screen of 1920 × 1080
# The smallest type that is seen in a picture, and what has it.
SMALLEST = """(root) => {
    const sizes = [];
    for (const part of [root, ...root.querySelectorAll("*")]) {
        if (!part.checkVisibility()) continue;
        const said = [...part.childNodes].some((node) => node.nodeType === 3 && node.data.trim());
        for (const [pseudo, text] of [
            [null, said], ["::before", part.dataset.text], ["::after", part.dataset.order],
        ]) {
            if (!text) continue;
            const size = parseFloat(getComputedStyle(part, pseudo).fontSize);
            sizes.push([size * (part.currentCSSZoom ?? 1), String(part.className)]);
        }
    }
    return sizes.sort((a, b) => a[0] - b[0])[0];
}"""
SEEN = """(root) => {
    const [says, box] = [root.querySelector("[role=status]"), root.getBoundingClientRect()];
    const { top, bottom } = says.getBoundingClientRect();
    return top >= box.top && bottom <= box.bottom;
}"""
NOT_ALLOWED = "Object.defineProperty(document, 'fullscreenEnabled', { get: () => false });"
Open = Callable[..., Visit]


@pytest.fixture
def visit(visit_gallery: Open) -> Open:
    """Visits from the desk in front of a room."""
    return lambda name: visit_gallery(name, width=1920, height=1080, reduced_motion="reduce")


@pytest.fixture(scope="module")
def panels(browser: Any, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    """Board and chat, on such a screen."""
    folder: Path = tmp_path_factory.mktemp("panels")
    write_panels(folder)
    context = browser.new_context(viewport={"width": 1920, "height": 1080})
    with serving(folder, BASE) as address:
        page = Visit(context, address).open("/")
        page.locator("body[data-ready]").wait_for()
        yield page
    context.close()


def presented(page: Any, where: str = "screen") -> Any:
    """The picture that fills the screen."""
    one = page.locator(f".pa[data-presenting={where}]")
    one.wait_for()
    return one


def left(page: Any) -> None:
    """Wait until no picture fills the screen."""
    page.locator("[data-presenting]").wait_for(state="detached")


def focused(page: Any) -> str:
    """What the thing that has the focus is called."""
    return str(
        page.evaluate("document.activeElement.ariaLabel ?? document.activeElement.textContent")
    )


def says(one: Any, sentence: str) -> None:
    """Wait until it says this."""
    from playwright.sync_api import expect

    expect(one.get_by_role("status")).to_have_text(sentence)


@pytest.mark.parametrize("name", EACH)
def test_it_fills_the_screen_in_large_type_and_arrows_step_it(
    name: str, visit: Open, shown: dict[str, Shown]
) -> None:
    visitor, (start, sentences) = visit(name), (shown[name].start, shown[name].sentences)
    page = visitor.page
    page.get_by_role("button", name="Full screen").click()
    one = presented(page)
    box = one.bounding_box()
    assert (box["x"], box["y"], round(box["width"]), round(box["height"])) == (0, 0, 1920, 1080)
    assert one.evaluate("(root) => root.scrollHeight <= root.clientHeight"), "not all is seen"
    for by, key in [(-1, "ArrowLeft"), (0, "ArrowRight"), (-1, "PageUp"), (0, "PageDown")]:
        page.keyboard.press(key)
        says(one, sentences[start + by])
        assert one.evaluate(SMALLEST)[0] >= LEAST
        one.evaluate("(root) => root.scrollTo(0, root.scrollHeight)")
        assert one.evaluate(SEEN), f"{key} hides the sentence"
    assert one.evaluate("(root) => root.scrollWidth <= root.clientWidth")
    page.keyboard.press("Escape")
    left(page)
    assert focused(page) == "Full screen"
    assert visitor.console == []


def test_f_begins_and_ends_it_where_the_keys_are(visit: Open, shown: dict[str, Shown]) -> None:
    """The part that had the focus has it afterwards; Shift leaves the arrows to the picture."""
    visitor = visit("pool")
    page = visitor.page
    block = page.locator(".pa-pool .pa-cell[aria-label^='Block 8:']")
    block.focus()
    page.keyboard.press("f")
    one = presented(page)
    page.keyboard.press("Shift+ArrowRight")
    assert focused(page).startswith("Block 9:")
    says(one, shown["pool"].sentences[shown["pool"].start])
    page.keyboard.press("Enter")
    page.keyboard.press("Escape")  # lets go of the block, and no more
    assert one.locator("[data-pinned]").count() == 0
    presented(page)
    page.keyboard.press("f")
    left(page)
    assert focused(page).startswith("Block 8:")


def test_letters_that_are_typed_stay_letters(visit: Open) -> None:
    page = visit("prefix").page
    page.get_by_label("Prompt").press_sequentially("fff")
    assert page.get_by_label("Prompt").input_value() == "fff"
    assert page.locator("[data-presenting]").count() == 0


def test_the_focus_stays_in_it_and_a_click_beside_the_parts_keeps_the_keys(
    visit: Open, shown: dict[str, Shown]
) -> None:
    page = visit("reading").page
    page.get_by_role("button", name="Full screen").click()
    one = presented(page)
    stops = []
    for _ in range(8):
        page.keyboard.press("Tab")
        stops.append(focused(page))
    assert "Back one step" in stops
    assert len(set(stops)) < len(stops)  # it has come around
    page.mouse.click(1900, 1060)
    page.keyboard.press("ArrowRight")
    says(one, shown["reading"].sentences[shown["reading"].start + 1])


def test_lines_end_where_they_should_when_enlarged(visit: Open) -> None:
    page = visit("pool").page
    page.get_by_role("button", name="Full screen").click()
    one = presented(page)
    one.locator(".pa-pool .pa-cell[aria-label^='Block 3:']").focus()
    gaps = one.evaluate(
        """(root) => [...root.querySelectorAll(".pa-line-link")].map((line) => {
            const end = line.getPointAtLength(line.getTotalLength())
                .matrixTransform(line.getScreenCTM());
            const { left, right, top, bottom } =
                root.querySelector(".pa-pool [data-linked]").getBoundingClientRect();
            return Math.max(left - end.x, end.x - right, top - end.y, end.y - bottom);
        })"""
    )
    assert len(gaps) == 2
    assert max(gaps) <= 3


def test_where_the_screen_is_not_given_it_fills_the_window(visit: Open) -> None:
    """On an iPhone, say. What had the focus is drawn anew meanwhile."""
    page = visit("engine").page
    page.evaluate(NOT_ALLOWED)
    page.locator(".pa-stage [data-part]").first.focus()
    before = focused(page)
    page.keyboard.press("f")
    one = presented(page, "window")
    assert page.evaluate("document.fullscreenElement") is None
    box = one.bounding_box()
    assert (box["x"], box["y"], round(box["width"]), round(box["height"])) == (0, 0, 1920, 1080)
    assert one.evaluate(SMALLEST)[0] >= LEAST
    page.keyboard.press("Escape")
    left(page)
    assert focused(page) == before
    assert page.locator(".pa").evaluate("(root) => root.getAttribute('style')") in (None, "")


def test_a_phone_gets_the_picture_without_enlarging_it(visit_gallery: Open) -> None:
    page = visit_gallery("pool", width=390, height=800).page
    page.evaluate(NOT_ALLOWED)
    page.get_by_role("button", name="Full screen").click()
    one = presented(page, "window")
    assert one.evaluate("(root) => root.clientWidth") == 390
    assert one.evaluate("(root) => root.scrollWidth") <= 390


@pytest.mark.parametrize("name", ["board", "chat"])
def test_board_and_chat_are_shown_to_a_room_too(name: str, panels: Any) -> None:
    panel = panels.locator(f"#{name}")
    panel.get_by_role("button", name="Full screen").click()
    one = presented(panels)
    assert one.evaluate(SMALLEST)[0] >= LEAST
    assert one.evaluate("(root) => root.scrollHeight <= root.clientHeight")
    panels.keyboard.press("Escape")
    left(panels)
    assert focused(panels) == "Full screen"


def test_axe_finds_nothing_before_a_room(visit: Open, axe_source: str) -> None:
    """Contrast alone depends on the scheme."""
    page = visit("pool").page
    page.evaluate(axe_source)
    page.get_by_role("button", name="Full screen").click()
    presented(page)
    found = {}
    for scheme, kind, rules in [("light", "tag", RULES), ("dark", "rule", CONTRAST)]:
        page.emulate_media(color_scheme=scheme)
        page.wait_for_function(f"matchMedia('(prefers-color-scheme: {scheme})').matches")
        asked = {"runOnly": {"type": kind, "values": rules}, "resultTypes": ["violations"]}
        result = page.evaluate("(asked) => axe.run('.pa', asked)", asked)
        found[scheme] = [violation["id"] for violation in result["violations"]]
    assert not any(found.values()), found

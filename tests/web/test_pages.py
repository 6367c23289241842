"""Every page loads, stays on its host, and can be read by everybody.

A page is visited once, on a phone, in a narrow window and in a wide one; the tests ask what was
met.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from helpers.axe import violations
from helpers.web import CHAPTERS, PAGES, Visit

FRAMED = (PAGES[0], CHAPTERS[3], PAGES[-1])  # around the text all pages of a kind are alike
FIRST_VISIT = 160_000  # bytes that travel, compressed
# Of each prediction its answer, its question, and whether all that would tell is hidden.
PREDICTIONS = """() => [...document.querySelectorAll('.predict')].map((one) => [
    one.dataset.answer,
    one.querySelector('.asks').innerText.trim(),
    [...document.querySelectorAll(`[data-veil='${one.dataset.point}']`)]
        .every((part) => part.getAttribute('hidden') === 'until-found'),
])"""


@dataclass
class Met:
    """What one visit of a page showed."""

    visitor: Visit
    weight: float  # bytes of the first visit
    narrow: int  # width in pixels of what is drawn in a window of 320
    outside_frames: list[str]  # parts of pictures beyond their frame's edge
    headings: int
    path: str
    predictions: list[tuple[str, str, bool]]  # before any guess: answer, question, nothing told
    told: bool  # what only a reader without a guess is told
    bare: int  # codes of pictures that stand there without their picture
    axe: dict[str, list[str]] = field(default_factory=dict)


def test_pages_are_those_of_the_contents(site: Path) -> None:
    made = {f"/{path.parent.relative_to(site)}/" for path in site.rglob("index.html")}
    assert {address.replace("/./", "/") for address in made} == set(PAGES)


@pytest.fixture(scope="module", params=PAGES)
def met(
    request: pytest.FixtureRequest, browser: Any, address: str, axe_source: str
) -> Iterator[Met]:
    """The page's one visit."""
    context = browser.new_context(viewport={"width": 390, "height": 844}, reduced_motion="reduce")
    visitor = Visit(context, address)
    session = context.new_cdp_session(visitor.page)
    session.send("Network.enable")
    weights: list[float] = []
    session.on("Network.loadingFinished", lambda done: weights.append(done["encodedDataLength"]))
    shown = visitor.open(request.param)
    shown.wait_for_timeout(300)
    found = Met(
        visitor,
        sum(weights),
        0,
        [],
        shown.locator("h1").count(),
        request.param,
        shown.evaluate(PREDICTIONS),
        "no guess" in shown.locator("main").inner_text(),
        shown.locator(".cell:has(> [data-veil][hidden]) > .picture-code:visible").count(),
    )
    shown.set_viewport_size({"width": 320, "height": 900})
    shown.evaluate("document.querySelectorAll('.predict .plain').forEach((b) => b.click())")
    shown.evaluate("document.querySelectorAll('details').forEach((fold) => fold.open = true)")
    visitor.scroll_through()
    visitor.pictures_ready()
    found.narrow = shown.evaluate("document.documentElement.scrollWidth")
    found.outside_frames = shown.evaluate(
        """() => [...document.querySelectorAll('.pa .pa-cell, .pa button, .pa input, .pa select')]
            .filter((part) => {
                for (let box = part.parentElement; !box.matches('.pa'); box = box.parentElement)
                    if (getComputedStyle(box).overflowX !== 'visible') return false;
                const edge = part.closest('.pa').getBoundingClientRect().right;
                return part.getBoundingClientRect().right > edge - 8;
            })
            .map((part) => part.outerHTML.slice(0, 120))"""
    )
    frame = "header, nav, footer" if request.param in FRAMED else ""
    found.axe = violations(shown, axe_source, frame)
    yield found
    context.close()


def test_a_page_loads_quietly_and_from_its_own_host(met: Met) -> None:
    assert met.visitor.outside == []
    assert met.visitor.console == []
    assert met.visitor.context.cookies() == []
    assert met.headings == 1


def test_every_chapter_asks_and_gives_nothing_away(met: Met) -> None:
    assert not met.told
    assert not met.bare
    assert len(met.predictions) >= (3 if met.path in CHAPTERS else 0)
    for answer, question, hidden in met.predictions:
        assert answer
        assert question
        assert hidden, question


def test_axe_finds_nothing(met: Met) -> None:
    assert met.axe == {}


def test_a_narrow_page_does_not_scroll_sideways(met: Met) -> None:
    assert met.narrow <= 320


def test_pictures_stay_inside_their_frames_on_a_narrow_page(met: Met) -> None:
    assert met.outside_frames == []


def test_a_first_visit_is_light(met: Met) -> None:
    assert 0 < met.weight <= FIRST_VISIT


def test_axe_hears_what_only_one_look_shows(visit: Callable[..., Visit], axe_source: str) -> None:
    """The four looks ask different rules; none of these faults may slip between them."""
    page = visit().open("/")
    page.evaluate(
        """() => {
            const faults = new CSSStyleSheet();
            faults.replaceSync(`
                @media (width < 400px) { header .planted { color: #eee; background: #fff } }
                @media (width > 900px) { footer .planted { color: #eee; background: #fff } }
                @media (prefers-color-scheme: dark) {
                    main .planted { color: #222; background: #111 }
                }`);
            document.adoptedStyleSheets = [faults];
            for (const part of ["header", "main", "footer"]) {
                const planted = document.createElement("p");
                planted.className = "planted";
                planted.textContent = "Read me";
                document.querySelector(part).append(planted);
            }
        }"""
    )
    found = violations(page, axe_source, "header, nav, footer")
    assert set(found) == {"narrow, light", "narrow, dark", "wide, dark", "wide, light"}

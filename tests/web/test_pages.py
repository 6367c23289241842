"""Every page loads, stays on its host, and can be read by everybody."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from helpers.web import CHAPTERS, PAGES, Visit

FIRST_VISIT = 160_000  # bytes that travel, compressed
RULES = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"]
LOOKS = [("light", 1280), ("dark", 1280), ("light", 320), ("dark", 320)]


def test_pages_are_those_of_the_contents(site: Path) -> None:
    made = {f"/{path.parent.relative_to(site)}/" for path in site.rglob("index.html")}
    assert {address.replace("/./", "/") for address in made} == set(PAGES)


@pytest.mark.parametrize("page", PAGES)
def test_a_page_loads_quietly_and_from_its_own_host(page: str, visit: Callable[..., Visit]) -> None:
    visitor = visit()
    shown = visitor.open(page)
    visitor.scroll_through()
    visitor.pictures_ready()
    assert visitor.outside == []
    assert visitor.console == []
    assert shown.context.cookies() == []
    assert shown.locator("h1").count() == 1


@pytest.mark.parametrize("page", PAGES)
def test_axe_finds_nothing(page: str, visit: Callable[..., Visit], axe_source: str) -> None:
    found = {}
    visitor = visit(reduced_motion="reduce")
    shown = visitor.open(page)
    shown.evaluate("document.querySelectorAll('details').forEach((fold) => fold.open = true)")
    visitor.scroll_through()
    visitor.pictures_ready()
    shown.evaluate(axe_source)
    for scheme, width in LOOKS:
        shown.set_viewport_size({"width": width, "height": 900})
        shown.emulate_media(color_scheme=scheme)
        visitor.scroll_through()
        result = shown.evaluate(
            """(rules) => axe.run(document, {
                runOnly: {type: "tag", values: rules}, resultTypes: ["violations"], reporter: "v2",
            })""",
            RULES,
        )
        found[scheme, width] = [_said(violation) for violation in result["violations"]]
    assert not any(found.values()), found


def _said(violation: dict[str, Any]) -> str:
    nodes = violation["nodes"]
    first = f"{nodes[0]['html'][:150]} {nodes[0].get('failureSummary', '')}"
    return f"{violation['id']} ({len(nodes)}×): {first}"


@pytest.mark.parametrize("page", PAGES)
def test_a_narrow_page_does_not_scroll_sideways(page: str, visit: Callable[..., Visit]) -> None:
    visitor = visit(width=320)
    shown = visitor.open(page)
    shown.evaluate("document.querySelectorAll('details').forEach((d) => d.open = true)")
    visitor.scroll_through()
    assert shown.evaluate("document.documentElement.scrollWidth") <= 320


@pytest.mark.parametrize("page", CHAPTERS)
def test_pictures_stay_inside_their_frames_on_a_narrow_page(
    page: str, visit: Callable[..., Visit]
) -> None:
    visitor = visit(width=320)
    shown = visitor.open(page)
    visitor.scroll_through()
    visitor.pictures_ready()
    outside = shown.evaluate(
        """() => [...document.querySelectorAll('.pa .pa-cell, .pa button, .pa input, .pa select')]
            .filter((part) => {
                for (let box = part.parentElement; !box.matches('.pa'); box = box.parentElement)
                    if (getComputedStyle(box).overflowX !== 'visible') return false;
                const edge = part.closest('.pa').getBoundingClientRect().right;
                return part.getBoundingClientRect().right > edge - 8;
            })
            .map((part) => part.outerHTML.slice(0, 120))"""
    )
    assert outside == []


@pytest.mark.parametrize("page", PAGES)
def test_a_first_visit_is_light(page: str, visit: Callable[..., Visit]) -> None:
    visitor = visit(width=390, height=844)
    session = visitor.context.new_cdp_session(visitor.page)
    session.send("Network.enable")
    weights: list[float] = []
    session.on("Network.loadingFinished", lambda done: weights.append(done["encodedDataLength"]))
    visitor.open(page)
    visitor.page.wait_for_timeout(300)
    assert sum(weights) <= FIRST_VISIT

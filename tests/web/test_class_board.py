"""The class's board in a browser: what it shows, that it keeps up, and that all can read it."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from helpers.axe import violations
from helpers.class_board import FULL, board_page, put
from helpers.web import PATIENCE
from playwright.sync_api import expect

EVIL = "<img src=x onerror=alert(1)>"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for at in range(27):
        name = EVIL if at == 0 else f"learner {at:02}"
        second = [("ex-02-2", 1, 4)] if at > 8 else [("ex-02-2", 4, 4), ("ex-02-3", -1, 5)]
        put(tmp_path, name, ("ex-02-1", 6, 6), *second)
    return tmp_path


@pytest.fixture
def page(browser: Any, folder: Path) -> Iterator[Any]:
    context = browser.new_context(viewport={"width": 1920, "height": 1080})
    said: list[str] = []
    context.set_default_timeout(PATIENCE)
    opened = context.new_page()
    opened.on("console", lambda message: said.append(message.text))
    opened.on("pageerror", lambda error: said.append(str(error)))
    with board_page(folder) as address:
        opened.goto(f"{address}/")
        yield opened
        assert said == []
        context.close()


def test_a_room_sees_what_to_explain_next_and_who_is_where(page: Any, folder: Path) -> None:
    expect(page.locator("#next-case")).to_have_text(FULL)
    where = page.locator("#next-where")
    expect(where).to_have_text("It stops 18 of 27 in 02-2, All or nothing.")
    second = page.locator(".exercise").nth(1)
    expect(second.locator(".counts")).to_have_text("9 of 27 passed · 18 not yet")
    expect(second.locator(".stop")).to_have_text(f"Most stop at “{FULL}” (18)")
    third = page.locator(".exercise").nth(2)
    expect(third.locator(".counts")).to_have_text("0 of 27 passed · 27 not begun")
    rows = page.locator("#rows tr")
    expect(rows).to_have_count(27)
    expect(rows.first.locator("th")).to_have_text(EVIL)  # a name is text, whatever it looks like
    expect(rows.first.locator("td").nth(2)).to_have_text("to do")
    sizes = page.evaluate(
        """() => [...document.querySelectorAll("body *")]
            .filter((e) => e.checkVisibility() && [...e.childNodes].some((n) => n.data?.trim()))
            .map((e) => parseFloat(getComputedStyle(e).fontSize))"""
    )
    assert min(sizes) >= 20  # px: from the back of the room

    put(folder, "a late one", ("ex-02-2", 1, 4))  # the page keeps up by itself
    expect(where).to_have_text("It stops 19 of 28 in 02-2, All or nothing.")

    page.keyboard.press("Tab")
    expect(page.get_by_role("button", name="Hide names")).to_be_focused()
    page.keyboard.press("Enter")
    expect(page.get_by_role("table")).to_be_hidden()
    put(folder, "another", ("ex-02-2", 1, 4))
    expect(where).to_have_text("It stops 20 of 29 in 02-2, All or nothing.")
    expect(page.get_by_role("table")).to_be_hidden()
    page.keyboard.press("Enter")
    expect(page.get_by_role("table")).to_be_visible()


def test_a_board_that_is_gone_says_since_when(page: Any, folder: Path) -> None:
    expect(page.locator("#problem")).to_be_empty()
    expect(page.locator("#rows tr")).to_have_count(27)
    away = folder.with_name("away")
    folder.rename(away)
    expect(page.locator("#problem")).to_contain_text("What stands here is of")
    expect(page.locator("#rows tr")).to_have_count(27)
    away.rename(folder)
    expect(page.locator("#problem")).to_be_empty()


def test_everybody_can_read_it(page: Any, axe_source: str) -> None:
    expect(page.locator("#rows tr")).to_have_count(27)
    assert violations(page, axe_source, "body") == {}
    page.set_viewport_size({"width": 320, "height": 700})
    assert page.evaluate("document.documentElement.scrollWidth") == 320

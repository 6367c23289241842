"""A link within the book shows what it leads to, and nothing is in the reader's way."""

from collections.abc import Callable

from helpers.web import Visit

Open = Callable[..., Visit]
CHAPTER = "/the-block-allocator/"


def test_a_link_shows_where_it_leads_by_mouse_and_keyboard(visit: Open) -> None:
    visitor = visit()
    page = visitor.open(CHAPTER)
    link = page.locator("main a.term").first
    link.hover()
    preview = page.get_by_role("tooltip")
    preview.wait_for()
    assert link.get_attribute("aria-describedby") == preview.get_attribute("id")
    assert len(preview.inner_text()) > 30
    preview.hover()  # the pointer may enter it
    page.wait_for_timeout(500)
    assert preview.is_visible()
    page.keyboard.press("Escape")
    assert preview.count() == 0
    page.mouse.move(0, 0)
    link.evaluate("(link) => link.focus({focusVisible: true})")
    preview.wait_for()
    page.keyboard.press("Tab")
    assert preview.count() == 0
    assert visitor.outside == []
    assert visitor.console == []


def test_a_preview_stays_inside_a_narrow_window(visit: Open) -> None:
    page = visit(width=320).open(CHAPTER)
    page.locator("main a.term").first.hover()
    box = page.get_by_role("tooltip").bounding_box()
    assert box["x"] >= 0
    assert box["x"] + box["width"] <= 320

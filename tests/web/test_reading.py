"""What a reader does: search, switch to dark, unfold, go on, read without scripts, print."""

import re
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path

from helpers.web import BASE, CHAPTERS, PAGES, Visit

CHAPTER = "/the-block-allocator/"


def test_search_finds_sections_and_goes_there(visit: Callable[..., Visit]) -> None:
    visitor = visit()
    page = visitor.open("/")
    page.get_by_role("button", name="Search").click()
    page.get_by_role("searchbox").fill("double release")
    page.locator(".hits a").first.wait_for()
    assert "section" in page.locator(".search .count").inner_text()
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Enter")
    page.wait_for_url(lambda url: url != f"{visitor.address}/")
    assert page.url.startswith(f"{visitor.address}/")
    assert not page.locator("dialog.search").is_visible()
    assert visitor.outside == []
    assert visitor.console == []


def test_search_says_when_there_is_nothing_and_escape_closes_it(
    visit: Callable[..., Visit],
) -> None:
    page = visit().open(CHAPTER)
    page.keyboard.press("Control+k")
    page.get_by_role("searchbox").fill("qqqqqq <b>")
    page.get_by_text("Nothing found for “qqqqqq <b>”.").wait_for()
    page.keyboard.press("Escape")
    assert not page.locator("dialog.search").is_visible()
    assert page.evaluate("document.activeElement.className") != "search"


def test_every_word_of_a_title_is_found(visit: Callable[..., Visit]) -> None:
    page = visit().open("/")
    titles = page.locator(".contents-list .name a").all_inner_texts()
    names = [title.split(" · ")[-1] for title in titles]
    assert len(names) == len(PAGES) - 1
    page.get_by_role("button", name="Search").click()
    for name in names:
        page.get_by_role("searchbox").fill(name)
        page.locator(".hits a", has_text=name).first.wait_for()


def test_dark_switch_holds_on_other_pages_without_a_cookie(visit: Callable[..., Visit]) -> None:
    visitor = visit(color_scheme="light")
    page = visitor.open("/")
    ground = "getComputedStyle(document.body).backgroundColor"
    light = page.evaluate(ground)
    switch = page.get_by_role("button", name="Dark mode")
    assert switch.get_attribute("aria-pressed") == "false"
    switch.click()
    assert switch.get_attribute("aria-pressed") == "true"
    dark = page.evaluate(ground)
    assert dark != light
    page = visitor.open(CHAPTER)
    assert page.evaluate(ground) == dark
    assert page.context.cookies() == []
    page.get_by_role("button", name="Dark mode").click()
    assert page.evaluate(ground) == light
    assert page.evaluate("localStorage.length") == 0


def test_dark_follows_the_system(visit: Callable[..., Visit]) -> None:
    page = visit(color_scheme="dark").open("/")
    assert page.get_by_role("button", name="Dark mode").get_attribute("aria-pressed") == "true"
    assert page.evaluate("getComputedStyle(document.body).backgroundColor") == "rgb(21, 22, 26)"


def test_solutions_and_hints_are_folded_and_open(visit: Callable[..., Visit]) -> None:
    page = visit().open(CHAPTER)
    for kind in (".solution", ".admonition.hint", ".question"):
        folds = page.locator(f"details{kind}")
        assert folds.count() >= 3
        assert page.locator(f"details{kind}[open]").count() == 0
        assert not folds.first.locator(".folded").is_visible()
        folds.first.locator("summary").focus()
        page.keyboard.press("Enter")
        assert folds.first.locator(".folded").is_visible()


def test_a_link_into_a_fold_opens_it(visit: Callable[..., Visit]) -> None:
    visitor = visit()
    page = visitor.open(CHAPTER)
    inside = page.locator("details.solution[id]").nth(1).get_attribute("id")
    page.evaluate("(id) => { location.hash = id; }", inside)
    page.locator(f"details#{inside}").wait_for()
    page.wait_for_function("(id) => document.getElementById(id).open", arg=inside)


def test_the_way_through_the_book(visit: Callable[..., Visit], site: Path) -> None:
    visitor = visit()
    page = visitor.open("/")
    for path in PAGES[1:3]:
        page.locator("a[rel=next]").click()
        page.wait_for_url(f"{visitor.address}{path}")
    page.locator("a[rel=prev]").click()
    page.wait_for_url(f"{visitor.address}{PAGES[1]}")
    for path, after in pairwise([*PAGES, None]):  # the other links lead on in the same way
        page_text = (site / path.strip("/") / "index.html").read_text(encoding="utf-8")
        links = re.findall(r'<a\b[^>]*\brel="next"[^>]*>', page_text)
        where = {found[1] for link in links if (found := re.search(r'href="([^"]*)"', link))}
        assert where == ({f"{BASE}{after}"} if after else set()), path


def test_contents_by_keyboard_on_a_small_screen(visit: Callable[..., Visit]) -> None:
    page = visit(width=320).open(CHAPTER)
    contents = page.locator("#book-contents")
    assert not contents.is_visible()
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.textContent") == "Skip to the text"
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    assert contents.is_visible()
    page.keyboard.press("Escape")
    assert not contents.is_visible()


def test_skip_link_moves_to_the_text(visit: Callable[..., Visit]) -> None:
    page = visit().open(CHAPTER)
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    assert page.evaluate("document.activeElement.id") == "book-main"


def test_notebooks_can_be_downloaded(visit: Callable[..., Visit], site: Path) -> None:
    page = visit().open(CHAPTER)
    link = page.get_by_role("link", name="Download the notebook")
    assert link.get_attribute("download") == "02_the_block_allocator.ipynb"
    path = (link.get_attribute("href") or "").removeprefix(f"{BASE}/")
    original = Path(__file__).parents[2] / "chapters" / "02_the_block_allocator.ipynb"
    assert (site / path).read_bytes() == original.read_bytes()


def test_without_scripts_everything_is_there(visit: Callable[..., Visit]) -> None:
    visitor = visit(java_script_enabled=False)
    for path in CHAPTERS[1::3]:
        page = visitor.open(path)
        assert not page.get_by_role("button", name="Search").is_visible()
        assert page.locator("main h2").count() > 3
        for still in page.locator(".pa-host > img").all():
            assert still.is_visible()
    page = visitor.open(CHAPTER)
    page.locator("details.solution summary").first.click()
    assert page.locator("details.solution .folded").first.is_visible()


def test_a_broken_picture_module_leaves_the_static_pictures(visit: Callable[..., Visit]) -> None:
    visitor = visit()
    visitor.context.route("**/pictures.js", lambda route: route.fulfill(status=404))
    for path in CHAPTERS[3:5]:
        page = visitor.open(path)
        assert page.locator(".pa-host > img").count()
        for still in page.locator(".pa-host > img").all():
            assert still.is_visible()


def test_print_unfolds_everything_and_leaves_the_chrome_out(visit: Callable[..., Visit]) -> None:
    page = visit().open(CHAPTER)
    page.emulate_media(media="print")
    assert not page.locator(".top").is_visible()
    assert not page.locator("#book-contents").is_visible()
    assert page.locator("details.solution .folded").first.is_visible()
    assert page.pdf(tagged=True).startswith(b"%PDF")


def test_a_missing_address_gets_a_page_that_leads_back(visit: Callable[..., Visit]) -> None:
    visitor = visit()
    visitor.page.goto(f"{visitor.address}/nothing/here/")
    assert visitor.page.get_by_role("heading", name="No such page").is_visible()
    visitor.page.locator("main a").click()
    visitor.page.wait_for_url(f"{visitor.address}/")

"""Board and chat in a browser, their kernel a stand-in: keys, words, both themes, small windows."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from helpers.axe import violations
from helpers.panels import BOARD, CHAT, write_panels
from helpers.web import BASE, Visit

from bookbuild.web.serve import serving


@pytest.fixture(scope="module")
def where(tmp_path_factory: Any) -> Iterator[str]:
    folder: Path = tmp_path_factory.mktemp("panels")
    write_panels(folder)
    with serving(folder, BASE) as address:
        yield address


@pytest.fixture
def page(browser: Any, where: str) -> Iterator[Any]:
    context = browser.new_context(viewport={"width": 1280, "height": 900})
    visitor = Visit(context, where)
    opened = visitor.open("/")
    opened.locator("body[data-ready]").wait_for()
    yield opened
    assert visitor.console == []
    assert visitor.outside == []
    context.close()


def sent(page: Any, name: str) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = page.evaluate("(name) => window.models[name].sent", name)
    return found


def put(page: Any, name: str, trait: str, value: Any) -> None:
    page.evaluate("([n, t, v]) => window.models[n].set(t, v)", [name, trait, value])


def says(page: Any, name: str) -> str:
    return str(page.locator(f"#{name}").get_by_role("status").inner_text())


def test_a_board_says_what_the_server_does(page: Any) -> None:
    board = page.locator("#board")
    meters = board.get_by_role("meter")
    said = [
        (meters.nth(at).get_attribute("aria-label"), meters.nth(at).get_attribute("aria-valuetext"))
        for at in range(meters.count())
    ]
    assert said == [
        ("blocks", "29 of 64 held"),
        ("batch", "4 running"),
        ("queue", "2 waiting"),
    ]
    facts = board.locator(".pa-live-facts li").all_inner_texts()
    assert [fact.split("\n")[0] for fact in facts] == ["41.8", "62 %", "1,184", "1"]
    assert "from 29 s ago to now, at most 58" in str(
        board.get_by_role("img").get_attribute("aria-label")
    )
    put(page, "board", "data", BOARD | {"usage": None, "held": None, "hits": None, "waiting": 0})
    assert meters.count() == 2
    assert meters.last.get_attribute("aria-valuetext") == "0 waiting"
    put(page, "board", "data", BOARD | {"running": 900})
    assert meters.nth(1).locator(".pa-cell").count() < 100


def test_a_board_is_looked_at_by_keyboard(page: Any) -> None:
    page.locator("body").press("Tab")
    assert sent(page, "board") == [{"call": "seen"}]
    page.keyboard.press("Enter")
    assert sent(page, "board")[-1] == {"call": "pause"}
    put(page, "board", "watching", False)
    assert says(page, "board") == "Paused."
    page.keyboard.press("Enter")
    assert sent(page, "board")[-1] == {"call": "resume"}
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    table = page.locator("#board").get_by_role("table")
    assert table.locator("tbody tr").first.inner_text().split() == ["0.0", "58", "59"]
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.getAttribute('role')") == "region"


def test_a_board_tells_once_that_the_server_is_gone_and_back(page: Any) -> None:
    """The figures change each second; what is spoken changes only with the news."""
    assert says(page, "board") == "Watching the server."
    put(page, "board", "data", BOARD | {"said": 1200, "rate": 50.1})
    assert says(page, "board") == "Watching the server."
    put(page, "board", "data", BOARD | {"away": "nothing listens there.", "rate": None})
    assert says(page, "board").startswith("The server doesn't answer: nothing listens there. It is")
    put(page, "board", "data", BOARD)
    assert says(page, "board") == "Watching the server."
    page.evaluate("window.models.board.lose()")
    assert "lost its kernel" in says(page, "board")
    page.evaluate("window.removers.board()")
    assert sent(page, "board")[-1] == {"call": "gone"}
    assert page.locator("#board").inner_text() == ""
    left = page.evaluate("Object.values(window.models.board.hearers).flat().length")
    assert left == 0


def test_a_chat_by_keyboard(page: Any) -> None:
    chat = page.locator("#chat")
    box = chat.get_by_label("Message")
    box.fill("  ")
    box.press("Enter")
    assert sent(page, "chat") == []
    box.fill("one")
    box.press("Shift+Enter")
    box.type("two")
    box.press("Enter")
    assert sent(page, "chat") == [{"call": "send", "text": "one\ntwo"}]
    messages = [*CHAT["messages"], ["user", "one\ntwo"]]
    put(page, "chat", "data", CHAT | {"messages": messages, "state": "answering"})
    assert box.input_value() == ""
    assert chat.get_by_role("log").get_attribute("aria-busy") == "true"
    box.fill("too early")
    box.press("Enter")
    assert len(sent(page, "chat")) == 1
    put(page, "chat", "said", "three")
    assert chat.locator(".pa-live-turn").last.inner_text() == "Model\nthree"
    box.press("Escape")
    assert sent(page, "chat")[-1] == {"call": "stop"}
    put(page, "chat", "data", CHAT | {"messages": [*messages, ["assistant", "three four"]]})
    assert chat.get_by_role("log").get_attribute("aria-busy") == "false"
    assert chat.locator(".pa-live-turn").count() == 4
    box.press("Escape")
    assert len(sent(page, "chat")) == 2
    assert box.input_value() == "too early"


def test_what_is_said_is_text(page: Any) -> None:
    log = page.locator("#chat").get_by_role("log")
    assert "<b>What</b> is a block table?" in log.inner_text()
    assert log.locator("b").count() == 0


def test_a_message_that_nothing_came_of_is_put_back(page: Any) -> None:
    chat = page.locator("#chat")
    put(page, "chat", "draft", "again?")
    put(page, "chat", "note", "No answer: nothing listens there. Your message is back in the box.")
    assert chat.get_by_label("Message").input_value() == "again?"
    assert "No answer" in says(page, "chat")
    chat.get_by_role("button", name="New chat").click()
    assert sent(page, "chat")[-1] == {"call": "fresh"}
    put(page, "chat", "data", CHAT | {"messages": []})
    assert "Nothing has been said yet." in chat.inner_text()
    page.evaluate("window.models.chat.lose()")
    assert "lost its kernel" in says(page, "chat")


def test_a_long_conversation_follows_unless_the_reader_has_gone_up(page: Any) -> None:
    log = page.locator("#chat").get_by_role("log")
    long = [["assistant", "word " * 400] for _ in range(3)]
    put(page, "chat", "data", CHAT | {"messages": long})
    end = "(log) => log.scrollHeight - log.scrollTop - log.clientHeight"
    assert log.evaluate(end) < 4
    log.evaluate("(log) => { log.scrollTop = 0; }")
    put(page, "chat", "data", CHAT | {"messages": [*long, ["user", "more"]]})
    assert log.evaluate("(log) => log.scrollTop") == 0


def test_axe_finds_nothing_and_nothing_is_too_wide(page: Any, axe_source: str) -> None:
    found = {}
    for state in ("bars", "table", "away"):
        if state != "bars":
            page.locator("#board").get_by_role("button", name="Table").click()
        if state == "away":
            put(page, "board", "data", BOARD | {"away": "nothing listens there."})
            put(page, "chat", "data", CHAT | {"state": "answering"})
        for width in (1280, 320):
            page.set_viewport_size({"width": width, "height": 900})
            assert page.evaluate("document.documentElement.scrollWidth") <= width
        found[state] = violations(page, axe_source, "body")
    assert not any(found.values()), found

"""What a page that runs keeps of its reader's, what it can't do, and every way to look at it."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from helpers.axe import violations
from helpers.running import Reader, message, prints

from workbook.widgets import pool_picture
from workbook.widgets.common.picture import MIME, WIDGET_VIEW

Open = Callable[..., Reader]


def test_answers_are_kept_and_nothing_of_the_book(reader: Open) -> None:
    anna = reader()
    page = anna.begin()
    assert not page.get_by_role("button", name="Download my answers").is_visible()
    anna.field("stub").fill("def add(a, b):\n    return a + b")
    anna.field("hello").fill("not an answer")
    anna.field("last").fill("judge.task(add)")
    answers = anna.kept()["small"]
    assert {key: answer["text"] for key, answer in answers.items()} == {
        "ex-1": "def add(a, b):\n    return a + b",
        "last": "judge.task(add)",
    }
    anna.open("/small/")
    anna.wait_for(".run-cost", "Your answers from before are put in again.")
    anna.begin()  # another visit: the page's own text, the answers put in
    anna.hears("2 answers of yours are back.")
    assert anna.field("stub").input_value() == answers["ex-1"]["text"]
    assert "not an answer" not in anna.field("hello").input_value()
    anna.mark("stub", "changed, not run yet")
    with page.expect_download() as download:
        anna.press("Download my answers")
    assert download.value.suggested_filename == "small-answers.py"
    text = Path(download.value.path()).read_text(encoding="utf-8")
    assert "# Exercise 1 Add\n\ndef add(a, b):\n    return a + b\n" in text
    anna.press("Clear my answers")
    anna.press("Keep them")
    assert anna.kept() == {"small": answers}
    anna.press("Clear my answers")
    anna.press("Clear them")
    assert anna.kept() is None
    assert anna.field("stub").input_value() == "def add(a, b):\n    raise NotImplementedError"
    assert anna.console == []


def test_an_answer_to_an_earlier_edition_is_offered(reader: Open) -> None:
    anna = reader()
    page = anna.open("/small/")
    old = {
        "small": {
            "ex-1": {"edition": "older", "text": "mine"},
            "gone": {"edition": "older", "text": "x"},
        }
    }
    page.evaluate("(text) => localStorage.setItem('book-answers', text)", json.dumps(old))
    anna.begin()
    assert "raise" in anna.field("stub").input_value()
    anna.wait_for("#stub .run-told", "You answered an earlier edition of this exercise.")
    anna.press("Put it here")
    assert anna.field("stub").input_value() == "mine"
    kept = anna.kept()["small"]["ex-1"]
    assert kept["text"] == "mine"
    assert kept["edition"] != "older"


def test_where_storage_is_forbidden_it_is_said(reader: Open) -> None:
    anna = reader()
    anna.context.add_init_script(
        "Object.defineProperty(window, 'localStorage', {get() { throw new Error('forbidden') }})"
    )
    anna.begin()
    anna.field("stub").fill("mine")
    anna.hears("This browser keeps nothing for this site")
    assert anna.console == []


@pytest.mark.parametrize("missing", ["run-page.js", "01_small.json", "run-worker.js"])
def test_what_cannot_be_loaded_leaves_the_page_as_it_was(missing: str, reader: Open) -> None:
    anna = reader()
    anna.context.route(f"**/{missing}", lambda route: route.abort())
    page = anna.open("/small/")
    anna.press("Run this page")
    anna.wait_for(".run-page", "The page is as it was.")
    assert page.locator("textarea").count() == 0
    anna.context.unroute(f"**/{missing}")
    page.locator(".run-start").click()
    if missing != "run-page.js":  # a browser doesn't ask twice for a module
        anna.wait_for(".run-bar", count=12)


def test_a_worker_that_gives_up_says_why_and_keeps_the_texts(reader: Open) -> None:
    anna = reader()
    page = anna.begin()
    anna.field("stub").fill("mine")
    anna.run("hello", message(kind="failed", text="It ran out of memory."))
    anna.hears("It ran out of memory. Your texts are still here.")
    assert anna.field("stub").input_value() == "mine"
    page.get_by_role("button", name="Try again").click()
    anna.wait_for(".run-start", "Run all cells")
    anna.run("hello", prints("well"))
    anna.wait_for("#hello .outputs > .output", "well")


def test_a_live_pictures_buttons_reach_python(reader: Open) -> None:
    anna = reader()
    page = anna.begin()
    picture = pool_picture()
    assert picture.answer
    traits = {"data": picture.data, "live": picture.answer.calls, "fault": ""}
    shown = {MIME: picture.data, WIDGET_VIEW: {"model_id": "m1"}, "text/plain": "a pool"}
    made = message(kind="widget", model="m1", content=traits)
    anna.run("hello", f"{made}\n{message(kind='data', data=shown, metadata={})}")
    page.locator("#hello [data-call=create]").click()
    anna.wait_for("#hello .pa-says", "m1 heard create")
    anna.run("uses", "# forever")
    anna.press("Stop")
    anna.wait_for("#hello .pa-says", "This picture has lost its engine")
    assert anna.console == []


def test_the_keyboard_passes_through_and_is_caught_nowhere(reader: Open) -> None:
    anna = reader()
    page = anna.begin()
    page.locator(".run-start").focus()
    met = []
    for _ in range(80):
        page.keyboard.press("Tab")
        where = page.evaluate(
            "document.activeElement.ariaLabel || document.activeElement.textContent"
        )
        met.append(where)
        if "Front page" in where:
            break
    assert "Front page" in met[-1]
    assert "Cell 5, Exercise 1 Add" in met
    assert {"Run cell 5", "Run all above"} <= set(met)
    anna.field("hello").focus()
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")  # Run
    anna.mark("hello", "ran")
    assert page.evaluate("document.activeElement.ariaLabel") == "Run cell 2"


def test_what_is_shown_anew_takes_the_place_of_what_it_was(reader: Open) -> None:
    anna = reader()
    page = anna.begin()
    one = {"kind": "data", "data": {"text/plain": "1 of 2"}, "metadata": {"display_id": "d"}}
    two = {"kind": "data", "data": {"text/plain": "2 of 2"}, "metadata": {}, "update": "d"}
    anna.run("hello", "\n".join([message(**one), prints("between\n"), message(**two)]))
    anna.mark("hello", "ran")
    assert page.locator("#hello .outputs > .output").all_inner_texts() == ["2 of 2", "between"]


def test_a_flood_of_output_is_cut(reader: Open) -> None:
    anna = reader()
    page = anna.begin()
    anna.run("hello", "\n".join([prints("x" * 60_000)] * 3 + [prints("never")]))
    anna.mark("hello", "ran")
    anna.wait_for("#hello .outputs > .output", "more than a page can hold")
    assert len(page.locator("#hello .outputs > .output").text_content()) < 130_000


def test_without_workers_the_button_says_where_to_run(reader: Open) -> None:
    anna = reader()
    anna.context.add_init_script("delete window.Worker")
    page = anna.open("/small/")
    anna.wait_for(".run-page", "The chapter runs in JupyterLab")
    assert not page.locator(".run-start").is_visible()


def test_without_scripts_there_is_no_button(reader: Open) -> None:
    page = reader(java_script_enabled=False).open("/small/")
    assert not page.locator(".run-page").is_visible()


def test_on_paper_there_are_no_controls(reader: Open) -> None:
    anna = reader()
    page = anna.begin()
    anna.field("hello").fill("written")
    page.emulate_media(media="print")
    assert page.locator(".run-bar:visible, .run-page:visible, textarea:visible").count() == 0
    assert page.locator("#hello pre").first.inner_text().strip() == "written"


def test_on_a_phone_code_scrolls_and_the_page_does_not(reader: Open) -> None:
    anna = reader(width=390, height=844, has_touch=True, is_mobile=True)
    page = anna.begin()
    anna.field("stub").fill(f"x = {'1 + ' * 60}1\n" * 3)
    anna.run("stub")
    for width in 390, 320:
        page.set_viewport_size({"width": width, "height": 844})
        assert page.evaluate("document.documentElement.scrollWidth") == width
        sheet = page.evaluate("document.querySelector('#stub .run-sheet').scrollWidth")
        assert sheet > 2 * width
    heights = page.locator(".run-bar button:visible, .run-page button:visible").evaluate_all(
        "(all) => all.map((button) => button.getBoundingClientRect().height)"
    )
    assert min(heights) >= 24
    for layer in "pre", "textarea":  # smaller letters make phones enlarge the page
        size = page.locator(f"#stub {layer}").first.evaluate(
            "(it) => getComputedStyle(it).fontSize"
        )
        assert size == "16px"


def test_axe_finds_nothing_in_a_page_that_runs(reader: Open, axe_source: str) -> None:
    anna = reader()
    page = anna.begin()
    anna.run("hello", prints("new"))
    anna.run("uses", "# needs what")
    anna.mark("uses", "failed")
    anna.field("timed").fill("changed")
    anna.field("stub").fill("mine")
    page.evaluate("document.querySelectorAll('details').forEach((fold) => { fold.open = true; })")
    assert violations(page, axe_source, ".run-page, .run-bar, .run-told, .run-edit") == {}

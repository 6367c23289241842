"""The page asks: predictions wait, choices react, and the browser keeps what was said.

That every chapter asks, and is clean for axe while nothing is answered, is in ``test_pages``.
"""

import json
from collections.abc import Callable
from typing import Any

from helpers.axe import violations
from helpers.web import Visit

Open = Callable[..., Visit]
CHAPTER = "/the-block-allocator/"
ASKING = ".predict:has(input)"


def said(page: Any) -> dict[str, dict[str, str]]:
    """What the browser keeps."""
    found: dict[str, dict[str, str]] = page.evaluate(
        "JSON.parse(localStorage.getItem('book-progress') ?? '{}')"
    )
    return found


def waiting(page: Any, section: Any) -> Any:
    """The parts of the page that wait for this prediction."""
    point = section.get_attribute("data-point")
    return page.locator(f"[data-veil='{point}']")


def test_a_guess_is_judged_told_and_kept(visit: Open) -> None:
    page = visit().open(CHAPTER)
    section = page.locator(ASKING).first
    answer = section.get_attribute("data-answer")
    point = section.get_attribute("data-point")
    section.locator("input").fill("999999")
    section.locator("input").press("Enter")
    assert f"You said 999999. It is {answer}. Read on for why." in section.inner_text()
    assert not section.locator("form").is_visible()
    assert not any(part.get_attribute("hidden") for part in waiting(page, section).all())
    assert said(page) == {"the-block-allocator": {point: "999999"}}
    page.reload()
    assert "You said 999999" in page.locator(ASKING).first.inner_text()


def test_a_right_guess_is_called_right_and_can_be_made_again(visit: Open) -> None:
    page = visit().open(CHAPTER)
    section = page.locator(ASKING).first
    section.locator("input").fill(section.get_attribute("data-answer") or "")
    section.get_by_role("button", name="Guess").click()
    assert "Right: it is" in section.get_by_role("status").inner_text()
    section.get_by_role("button", name="guess again").click()
    assert page.evaluate("document.activeElement.matches('.predict input')")
    assert section.get_by_role("status").inner_text() == ""
    assert said(page) == {"the-block-allocator": {}}
    assert waiting(page, section).first.get_attribute("hidden") == "until-found"


def test_nobody_is_made_to_guess(visit: Open) -> None:
    page = visit().open(CHAPTER)
    for section in page.locator(".predict").all():
        section.get_by_role("button", name="show me").click()
        assert "It is" in section.inner_text()
        assert "✗" not in section.inner_text()
    assert page.locator("[data-veil][hidden]").count() == 0
    assert page.locator(".veil:visible").count() == 0


def test_choices_are_buttons(visit: Open) -> None:
    page = visit().open(CHAPTER)
    section = page.locator(".predict:has(.choice)").first
    answer = section.get_attribute("data-answer")
    section.locator(f".choice[value='{answer}']").click()
    assert "Right" in section.inner_text()


def test_an_empty_guess_says_nothing(visit: Open) -> None:
    page = visit().open(CHAPTER)
    section = page.locator(ASKING).first
    section.get_by_role("button", name="Guess").click()
    assert section.get_attribute("data-told") is None
    assert page.evaluate("document.activeElement.matches('.predict input')")


def test_whoever_searches_the_page_sees_what_is_found(visit: Open) -> None:
    page = visit().open(CHAPTER)
    section = page.locator(".predict").first
    waiting(page, section).first.evaluate("(part) => part.dispatchEvent(new Event('beforematch'))")
    assert section.get_attribute("data-told") == "skipped"


def test_hostile_guesses_and_storage_harm_nobody(visit: Open) -> None:
    visitor = visit()
    page = visitor.open(CHAPTER)
    section = page.locator(ASKING).first
    section.locator("input").fill("<img src=x onerror=\"document.title='owned'\">")
    section.locator("input").press("Enter")
    assert page.locator("main [onerror]").count() == 0
    for stored in ('"x"', "[1]", "{not json", '{"the-block-allocator": 3}', "null"):
        page.evaluate("(text) => localStorage.setItem('book-progress', text)", stored)
        page.reload()
        assert section.locator("form").is_visible()
    assert visitor.console == []


def test_multiple_choice_reacts_and_gives_its_reasons(visit: Open) -> None:
    page = visit().open("/reserved-memory-is-wasted-memory/")
    quiz = page.locator(".quiz").first
    right = quiz.get_attribute("data-right")
    reasons = quiz.locator("details .folded")
    assert not reasons.is_visible()
    wrong = next(
        button
        for button in quiz.locator("li button").all()
        if button.get_attribute("value") != right
    )
    wrong.click()
    assert reasons.is_visible()
    assert wrong.get_attribute("aria-pressed") == "true"
    assert "✗" in wrong.inner_text()
    assert "✓" in quiz.locator(f"li button[value='{right}']").inner_text()
    chosen = wrong.get_attribute("value")
    assert f"Not {chosen}: it is {right}." in quiz.get_by_role("status").inner_text()
    page.reload()
    assert page.locator(".quiz").first.get_attribute("data-told") == ""


def test_progress_shows_in_the_contents_and_on_the_front_page(visit: Open) -> None:
    visitor = visit()
    page = visitor.open(CHAPTER)
    total = int(page.locator(".contents .points[data-begun]").count() == 0)
    assert total == 1  # nothing is begun
    page.locator(".predict .plain").first.click()
    page.locator(".solved input").first.check()
    points = page.locator(".contents .points[data-begun]")
    assert points.count() == 1
    assert points.evaluate("(node) => node.style.getPropertyValue('--done')") == "2"
    page = visitor.open("/")
    assert page.locator(".path .points[data-begun] .count-of").inner_text().startswith("2 of ")
    assert "You were in 2 · The block allocator." in page.locator(".going-on").inner_text()
    page.locator(".going-on a").click()
    page.wait_for_url(f"**{CHAPTER}")
    page.locator(".solved input").first.uncheck()
    assert len(said(page)["the-block-allocator"]) == 1


def test_points_that_a_chapter_no_longer_has_do_not_count(visit: Open) -> None:
    page = visit().open(CHAPTER)
    old = json.dumps({"the-block-allocator": {"guess-gone": "1", "exercise-gone": "solved"}})
    page.evaluate("(text) => localStorage.setItem('book-progress', text)", old)
    page.reload()
    assert page.locator(".contents .points[data-begun]").count() == 0


def test_without_scripts_predictions_and_choices_stand_answered(visit: Open) -> None:
    page = visit(java_script_enabled=False).open("/reserved-memory-is-wasted-memory/")
    section = page.locator(".predict").first
    assert section.get_attribute("data-answer") in section.locator(".plainly").inner_text()
    assert section.locator(".plainly").is_visible()
    assert not section.locator("form").is_visible()
    assert page.locator("[data-veil][hidden]").count() == 0
    assert page.locator(".quiz summary").first.is_visible()


def test_on_paper_nothing_waits_and_solutions_come_last(visit: Open) -> None:
    page = visit().open(CHAPTER)
    page.evaluate("dispatchEvent(new Event('beforeprint'))")
    page.emulate_media(media="print")
    waits = page.locator("[data-veil][hidden]")
    assert waits.count() > 0
    for part in waits.all():
        assert part.is_visible()
    assert page.locator(".plainly").first.is_visible()
    assert not page.locator(".veil:visible").count()
    exercises = page.locator(".workshop").count()
    assert page.locator(".answers h3").count() == exercises
    assert page.locator(".workshop details.solution:visible").count() == 0
    page.evaluate("dispatchEvent(new Event('afterprint'))")
    page.emulate_media(media="screen")
    assert page.locator(".answers").count() == 0
    assert page.locator("details[open]").count() == 0


def test_axe_finds_nothing_in_what_was_answered(visit: Open, axe_source: str) -> None:
    page = visit().open("/reserved-memory-is-wasted-memory/")
    for at, section in enumerate(page.locator(ASKING).all()):
        answer = section.get_attribute("data-answer") or ""
        section.locator("input").fill(answer if at else "nothing")
        section.locator("input").press("Enter")
    page.locator(".quiz li button").first.click()
    answered = ".predict, .quiz"
    assert violations(page, axe_source, answered, only=answered) == {}

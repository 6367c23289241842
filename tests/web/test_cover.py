"""The front page's cover: stepped by keyboard, played when asked, lit by pointing."""

from collections.abc import Callable
from typing import Any

from helpers.web import Visit

Open = Callable[..., Visit]


def front(visit: Open, *, stopped_clock: bool = False) -> Any:
    """The front page once its cover can be walked."""
    visitor = visit()
    if stopped_clock:
        visitor.page.clock.install()
    page = visitor.open("/")
    page.locator(".walk[data-ready]").wait_for()
    return page


def test_the_cover_steps_by_keyboard_and_says_what_it_shows(visit: Open) -> None:
    page = front(visit)
    walk = page.locator(".walk")
    says = walk.get_by_role("status")
    assert says.inner_text() == "Six numbers, and nothing else, say where everything is."
    step = walk.get_by_role("button", name="One block on")
    step.focus()
    page.keyboard.press("Enter")
    assert "Twelve free blocks" in says.inner_text()
    assert walk.locator(".walk-pool [data-written]").count() == 0
    page.keyboard.press("Enter")
    assert "Entry 0 of the table says 7: tokens 0 to 3 lie in block 7." in says.inner_text()
    assert walk.locator("li[data-now]").count() == 2
    walk.get_by_role("button", name="One block back").click()
    assert "Twelve free blocks" in says.inner_text()


def test_the_cover_plays_only_when_asked_and_stops(visit: Open) -> None:
    page = front(visit, stopped_clock=True)
    walk = page.locator(".walk")
    page.clock.run_for(5000)
    assert "Six numbers" in walk.get_by_role("status").inner_text()
    walk.get_by_role("button", name="Walk the table").click()
    assert "Entry 0" in walk.get_by_role("status").inner_text()
    page.clock.run_for(1500)
    assert "Entry 1 of the table" in walk.get_by_role("status").inner_text()
    walk.get_by_role("button", name="Stop").click()
    shown = walk.get_by_role("status").inner_text()
    page.clock.run_for(5000)
    assert walk.get_by_role("status").inner_text() == shown


def test_pointing_at_an_entry_or_its_block_lights_both(visit: Open) -> None:
    page = front(visit)
    for target in (".walk-sequence .entry >> nth=2", ".walk-pool li >> nth=11"):
        page.locator(target).hover()
        assert "Entry 2 of the table says 11" in page.locator(".walk [role=status]").inner_text()
        page.mouse.move(0, 0)

"""The pictures on a page without a kernel: they step by keyboard, say what happened, and harm
nobody.
"""

import re
from collections.abc import Callable
from itertools import pairwise
from typing import Any

import pytest
from helpers.axe import violations
from helpers.gallery import HOSTILE, Shown
from helpers.web import Visit

from workbook.widgets.contiguous import picture as contiguous
from workbook.widgets.pages import picture as pages
from workbook.widgets.tiles import picture as tiles
from workbook.words.names import shown_names

EACH = ["pool", "contiguous", "reading", "fork", "prefix", "block_size", "line", "tiles", "pages"]
EACH += ["times", "engine"]
WHOLE = ("reading", "block_size", "times", "tiles", "pages")  # tables that have all steps
Open = Callable[..., Visit]


@pytest.fixture
def visit(visit_gallery: Open) -> Open:
    return visit_gallery


def picture(visitor: Visit, name: str) -> Any:
    return visitor.page.locator(f"#{name} .pa")


def says(one: Any) -> str:
    return str(one.get_by_role("status").inner_text()).strip()


def focus_picture(one: Any) -> Any:
    """Put the focus on the picture's one tab stop."""
    stop = one.locator(".pa-stage [tabindex='0']:not(input)").first
    stop.focus()
    return stop


def test_the_page_is_quiet_and_asks_nobody_else(visit: Open, shown: dict[str, Shown]) -> None:
    visitor = visit()
    assert visitor.page.locator(".pa").count() == len(shown)
    assert visitor.outside == []
    assert visitor.console == []
    for name, one in shown.items():
        assert says(picture(visitor, name)) == one.sentences[one.start], name


@pytest.mark.parametrize("name", EACH)
def test_it_steps_by_keyboard_and_says_each_step(
    name: str, visit: Open, shown: dict[str, Shown]
) -> None:
    """Every step from the first to the last, as Python says it, and back."""
    visitor = visit(name)
    one, sentences = picture(visitor, name), shown[name].sentences
    focus_picture(one)
    for _ in range(shown[name].start):
        visitor.page.keyboard.press("[")
    heard = [says(one)]
    for _ in sentences[1:]:
        visitor.page.keyboard.press("]")
        heard.append(says(one))
    assert heard == sentences
    visitor.page.keyboard.press("]")
    assert says(one) == sentences[-1]
    visitor.page.keyboard.press("[")
    assert says(one) == sentences[-2]
    assert one.get_by_role("status").get_attribute("aria-live") == "polite"
    assert one.locator(".pa-range").first.input_value() == str(len(sentences) - 2)


@pytest.mark.parametrize("name", EACH)
def test_one_tab_stop_between_the_controls_and_the_table_switch(name: str, visit: Open) -> None:
    visitor = visit(name)
    one = picture(visitor, name)
    one.get_by_role("button", name="Back one step").focus()
    stops = []
    for _ in range(30):
        kind = visitor.page.evaluate(
            """document.activeElement
                .closest('.pa-bar, .pa-controls, .pa-stage, .pa-foot')?.className"""
        )
        inside = one.evaluate("(root) => root.contains(document.activeElement)")
        if not inside:
            break
        stops.append(kind)
        visitor.page.keyboard.press("Tab")
    assert stops == sorted(stops, key=["pa-bar", "pa-controls", "pa-stage", "pa-foot"].index)
    assert stops.count("pa-stage") == 1
    assert stops.count("pa-foot") == 2
    assert stops.count("pa-bar") == 4


@pytest.mark.parametrize(
    "name", ["pool", "contiguous", "reading", "fork", "prefix", "tiles", "pages"]
)
def test_arrows_move_enter_pins_and_escape_lets_go(name: str, visit: Open) -> None:
    visitor = visit(name)
    one = picture(visitor, name)
    focus_picture(one)
    label = "document.activeElement.getAttribute('aria-label')"
    keys = visitor.page.keyboard
    first = visitor.page.evaluate(label)
    assert first
    keys.press("ArrowDown" if name == "prefix" else "ArrowRight")
    second = visitor.page.evaluate(label)
    assert second != first
    keys.press("Home")
    assert visitor.page.evaluate(label) == first
    keys.press("End")
    assert visitor.page.evaluate(label) not in (first, None)
    keys.press("Enter")
    assert one.locator("[data-pinned]").count() == 1
    keys.press("Escape")
    assert one.locator("[data-pinned]").count() == 0
    before = says(one)
    keys.press("a")
    keys.press("d")
    assert says(one) == before


def test_a_block_and_its_table_entries_are_linked(visit: Open) -> None:
    one = picture(visit("pool"), "pool")
    block = one.locator(".pa-pool .pa-cell[aria-label^='Block 8:']")
    block.focus()
    linked = one.locator(".pa-tables .pa-cell[data-linked]")
    assert linked.count() == 2
    assert {linked.nth(at).get_attribute("aria-label") for at in range(2)} == {
        "Entry 1 of B: block 8, 3 of 4 written",
        "Entry 1 of C: block 8, 3 of 4 written",
    }
    assert one.locator(".pa-line-link").count() == 2
    one.locator(".pa-name", has_text="A").click()
    order = one.locator(".pa-pool .pa-cell[data-order]")
    assert {
        (
            order.nth(at).locator(".pa-id").get_attribute("data-text"),
            order.nth(at).get_attribute("data-order"),
        )
        for at in range(order.count())
    } == {("7", "0"), ("2", "1"), ("11", "2"), ("5", "3"), ("9", "4"), ("0", "5")}


def test_a_copy_is_an_arrow_and_a_state(visit: Open) -> None:
    visitor = visit("pool")
    one = picture(visitor, "pool")
    focus_picture(one)
    visitor.page.keyboard.press("]")
    assert says(one).startswith("reserve(C, 1) Block 8 has 2 holders")
    assert one.locator(".pa-line-copy").count() == 1
    assert one.locator(".pa-pool .pa-cell[data-state=copied] .pa-id[data-text='1']").count() == 1
    visitor.page.keyboard.press("]")
    assert one.locator(".pa-line-copy").count() == 0


@pytest.mark.parametrize("name", EACH)
def test_a_table_stands_for_the_picture_at_the_same_step(name: str, visit: Open) -> None:
    visitor = visit(name)
    one = picture(visitor, name)
    one.get_by_role("button", name="Table").click()
    assert not one.locator(".pa-stage").is_visible()
    table = one.get_by_role("table")
    rows = table.locator("tbody tr")
    assert rows.count() >= 3
    before = table.inner_text()
    one.get_by_role("button", name="Back one step").click()
    if name not in WHOLE:
        assert table.inner_text() != before
    one.get_by_role("button", name="Table").click()
    assert one.locator(".pa-stage").is_visible()


def test_tables_have_the_books_numbers(visit: Open) -> None:
    def row(name: str, head: str) -> list[str]:
        one = picture(visit(name), name)
        one.get_by_role("button", name="Table").click()
        rows = one.locator("tbody tr").evaluate_all(
            "(rows) => rows.map((row) => [...row.cells].map((cell) => cell.textContent))"
        )
        return next(cells for cells in rows if cells[0] == head)

    assert row("pool", "8") == ["8", "shared", "2", "B entry 1 and C entry 1", "3/4"]
    assert row("contiguous", "D") == ["D", "contiguous", "0", "0", "0", "waits"]
    assert row("reading", "3") == ["3", "11", "4", "4", "0.1353", "1.7099", "0.8691 1.5557"]
    assert row("fork", "3") == ["3", "0", "1", "8 from 2"]
    assert row("prefix", "9") == ["9", "7", "name the largest planet", "1", "5"]
    assert row("block_size", "64") == ["64", "2.21 %", "measured", "22", "384"]
    assert row("times", "64")[:5] == ["64", "2.21 %", "measured", "88", "384"]
    assert row("tiles", "A 1") == ["A 1", "7", "8", "3", "8 keys in blocks 5 1"]
    assert row("pages", "6") == ["6", "24–27", "2", "8–11", "10"]


def test_axe_finds_nothing(visit: Open, axe_source: str) -> None:
    """As opened, with a part pinned, and as tables."""
    found = {}
    visitor = visit(reduced_motion="reduce")
    for state in ("opened", "pinned", "tables"):
        for name in EACH if state != "opened" else []:
            one = picture(visitor, name)
            if state == "tables":
                one.get_by_role("button", name="Table").click()
            elif name not in ("block_size", "times"):
                focus_picture(one)
                visitor.page.keyboard.press("Enter")
        found[state] = violations(
            visitor.page, axe_source, ".pa-bar, .pa-foot", narrow=state == "opened"
        )
    assert not any(found.values()), found


@pytest.mark.parametrize("width", [320, 640, 1280])
def test_nothing_is_wider_than_its_page(width: int, visit: Open) -> None:
    visitor = visit(width=width)
    for turn in ("picture", "table"):
        assert visitor.page.evaluate("document.documentElement.scrollWidth") <= width, turn
        for name in EACH:
            picture(visitor, name).get_by_role("button", name="Table").click()
    small = visitor.page.evaluate(
        """() => [...document.querySelectorAll('.pa button, .pa input, .pa select')]
            .map((e) => e.getBoundingClientRect()).filter((r) => r.width && r.height)
            .filter((r) => r.width < 24 || r.height < 24).length"""
    )
    assert small == 0


def test_names_are_text_whatever_they_are(visit: Open, shown: dict[str, Shown]) -> None:
    visitor = visit()
    one = picture(visitor, "hostile")
    names = [*HOSTILE, str(("same",))]
    heads = one.locator(".pa-name bdi").all_inner_texts()
    assert [re.sub(r"\s+", " ", head).strip() for head in heads] == [
        re.sub(r"\s+", " ", name).strip() for name in shown_names(names)
    ]
    one.get_by_role("button", name="Table").click()
    assert "<img src=x onerror='window.caught=1'> entry 0" in one.inner_text()
    assert "\u202e" not in one.inner_text()
    prompt = picture(visitor, "prefix").get_by_label("Prompt")
    prompt.fill("<img src=x onerror=window.caught=1> <script>window.caught=1</script> a b c d")
    prompt.press("Enter")
    assert "<img src=x" in picture(visitor, "prefix").inner_text()
    assert visitor.page.evaluate("window.caught") is None
    assert visitor.page.locator(".pa img, .pa script").count() == 0
    assert visitor.console == []


def test_lengths_can_be_changed(visit: Open) -> None:
    one = picture(visit("contiguous"), "contiguous")
    scene = contiguous.scene_of((7, 12, 5, 20, 20))
    for name in "DE":
        one.get_by_label(name, exact=True).fill("20")
        one.get_by_label(name, exact=True).press("Enter")
    assert says(one) == contiguous.sentence(scene, 5)
    assert "waits: E" in one.locator("[data-side=paged]").inner_text()
    one.get_by_label("D", exact=True).fill("99")
    one.get_by_label("D", exact=True).press("Tab")
    assert one.get_by_label("D", exact=True).input_value() == "20"


def test_writers_can_be_put_in_another_order(visit: Open) -> None:
    visitor = visit("fork")
    one = picture(visitor, "fork")
    one.get_by_label("First to write").select_option("parent")
    assert says(one) == "P writes: block 2 has 5 holders; 8 tokens copied to 3, 1 written."
    for _ in range(4):
        one.get_by_role("button", name="Next step").click()
    assert says(one) == "c4 writes in place: sole holder of block 2."


def test_a_prompt_can_be_typed_and_a_block_evicted(visit: Open) -> None:
    visitor = visit("prefix")
    one = picture(visitor, "prefix")
    prompt = one.get_by_label("Prompt")
    prompt.press_sequentially("you are a careful assistant who answers briefly today")
    assert "2 blocks would hit: 8 tokens reused, 1 to run" in one.inner_text()
    assert one.locator(".pa-tree [data-ring]").count() == 2
    prompt.press("Enter")
    assert says(one) == "D: 2 blocks hit, 8 tokens reused, 1 to run."
    one.get_by_label("Salt").fill("x")
    prompt.fill("you are a careful assistant who answers briefly today")
    prompt.press("Enter")
    assert says(one) == "E: no block hit, no token reused, 9 to run."
    one.get_by_role("button", name="Next step").click()
    assert "salt x" in one.get_by_role("tree").inner_text()
    one.get_by_role("button", name="Evict one").click()
    assert says(one).startswith("Nothing to evict")
    one.get_by_role("button", name="Run").click()
    assert says(one) == "Type a prompt first: its words are its tokens."


def test_requests_and_the_longest_allowed_can_be_chosen(visit: Open) -> None:
    visitor = visit("block_size")
    one = picture(visitor, "block_size")
    assert "9.7 % of them are used" in one.inner_text()
    one.get_by_label("Requests").select_option("code")
    assert says(one) == "16: waste 0.37 %, 130 entries, 160 run."
    one.get_by_label("Longest allowed").focus()
    visitor.page.keyboard.press("ArrowRight")
    assert says(one).startswith("Contiguous: each request reserves 8,192 slots; 25.")
    one.get_by_role("slider", name="Block size").last.focus()
    visitor.page.keyboard.press("ArrowRight")
    assert says(one) == "32: waste 0.73 %, 65 entries, 160 run."


def test_tiles_can_be_made_larger(visit: Open) -> None:
    """One control chooses how the batch is cut; list, cells and sentence follow."""
    one = picture(visit("tiles"), "tiles")
    for size in (4, 1):
        one.get_by_label("Tokens in a tile").select_option(str(size))
        batch = tiles.batch_of(tokens=size)
        assert says(one) == tiles.sentence(batch, 3)
        assert one.locator(".pa-programs .pa-cell").count() == batch.last
    cells = one.locator(".pa-sequence .pa-cell")
    assert one.locator(".pa-sequence .pa-cell[data-read]").count() == batch.tiles[2].keys
    cells.last.focus()
    assert one.locator(".pa-programs [data-linked]").count() == 1


def test_one_token_in_pages_of_any_size(visit: Open) -> None:
    one = picture(visit("pages"), "pages")
    for size in (1, 16):
        one.get_by_label("Slots in a page").select_option(str(size))
        assert says(one) == pages.sentence(pages.Split((5, 2), 16, size), 25)
        assert one.locator(".pa-page-row .pa-cell").count() == 32 // size
    assert one.locator(".pa-pages [data-ring]").count() == 2
    one.locator(".pa-block-row .pa-cell").first.focus()
    assert one.locator(".pa-page-row [data-linked]").count() == 1


def test_play_steps_to_the_end_and_speaks_at_most_every_two_seconds(visit: Open) -> None:
    visitor = visit("reading", alone=True)
    one = picture(visitor, "reading")
    assert one.get_by_role("button", name="Play").count() == 1  # nothing has begun by itself
    visitor.page.clock.install()
    one.evaluate(
        """(root) => {
            const says = root.querySelector('[role=status]');
            window.heard = [];
            new MutationObserver(() => window.heard.push(
                [Math.round(performance.now()), says.getAttribute('aria-live'), says.textContent],
            )).observe(says, {childList: true});
        }"""
    )
    one.get_by_role("button", name="Play").click()
    assert one.get_by_role("button", name="Pause").count() == 1
    for _ in range(40):
        visitor.page.clock.run_for(200)
    heard = visitor.page.evaluate("window.heard")
    assert len(heard) == 3
    assert one.get_by_role("button", name="Play").count() == 1
    loud = [at for at, live, _ in heard if live == "polite"]
    assert loud
    assert all(after - before >= 2000 for before, after in pairwise(loud[:-1]))
    assert heard[-1][1] == "polite"  # the last is said when all is at rest


def test_motion_is_short_and_stops_when_asked(browser: Any, gallery_address: str) -> None:
    for motion, wanted in (("no-preference", "0.16s"), ("reduce", "0s")):
        context = browser.new_context(reduced_motion=motion)
        visitor = Visit(context, gallery_address)
        visitor.open("/pool/")
        visitor.scroll_through()
        visitor.pictures_ready()
        one = picture(visitor, "pool")
        one.get_by_role("button", name="Next step").click()
        cell = one.locator(".pa-pool .pa-cell").first
        lasting = cell.evaluate("(c) => getComputedStyle(c).transitionDuration")
        assert lasting.split(", ")[0] == wanted
        context.close()


def test_states_differ_without_their_colours(visit: Open) -> None:
    """Border, pattern, mark: no two states of a block share all three."""
    one = picture(visit("pool"), "pool")
    cues = one.locator(".pa-legend .pa-swatch").evaluate_all(
        """(cells) => cells.map((c) => {
            const s = getComputedStyle(c);
            const pattern = s.backgroundImage.replace(/rgba?\\([^)]*\\)/g, '');
            return [c.dataset.state, s.borderTopStyle, pattern, s.boxShadow.includes('inset')];
        })"""
    )
    assert len(cues) == 6
    assert len({tuple(cue[1:]) for cue in cues}) == 6, cues


def test_paper_gets_the_still_picture(visit: Open) -> None:
    visitor = visit()
    for name in EACH:
        host = visitor.page.locator(f"#{name}")
        assert host.locator(".pa").is_visible()
        assert not host.locator("img").is_visible()
    visitor.page.emulate_media(media="print")
    for name in EACH:
        host = visitor.page.locator(f"#{name}")
        assert not host.locator(".pa").is_visible()
        assert host.locator("img").is_visible()
        assert len(host.locator("img").get_attribute("alt") or "") > 40


def test_ten_thousand_blocks_are_a_map_with_a_window(visit: Open, shown: dict[str, Shown]) -> None:
    visitor = visit("large")
    one = picture(visitor, "large")
    assert "of the pool: " in (one.get_by_role("img").get_attribute("aria-label") or "")
    assert one.locator(".pa-pool .pa-cell:visible").count() == 64
    focus_picture(one)
    visitor.page.keyboard.press("PageDown")
    assert "Blocks 64 to 127" in one.inner_text()
    visitor.page.keyboard.press("]")
    assert says(one) == shown["large"].sentences[1201]
    one.locator("canvas").click(position={"x": 10, "y": 180})
    assert "Blocks 64 to 127" not in one.inner_text()
    assert one.locator("[role=row]").count() < 120


def test_a_picture_can_be_taken_away_and_bad_data_leaves_the_still_one(visit: Open) -> None:
    visitor = visit()
    visitor.page.evaluate("window.unmount()")
    assert visitor.page.locator(".pa").count() == 0
    assert visitor.page.locator("#pool img").is_visible()
    visitor.page.evaluate(
        """async () => {
            const { mount } = await import('./pictures.js');
            mount(document.querySelector('#pool'), {v: 1, picture: 'nonsense'});
            mount(document.querySelector('#fork'), {v: 1, picture: 'fork', trace: {v: 9}});
        }"""
    )
    for name in ("pool", "fork"):
        assert visitor.page.locator(f"#{name}").get_attribute("data-state") == "failed"
        assert visitor.page.locator(f"#{name} img").is_visible()
        assert visitor.page.locator(f"#{name} .pa").count() == 0

"""A page that runs, as its reader meets it: cells, keys, outputs, and what is said of them."""

from collections.abc import Callable

from helpers.running import Reader, message, prints

EVIL = "<img src=x onerror=\"document.title='owned'\"><script>document.title='owned'</script>"
Open = Callable[..., Reader]


def test_before_the_click_a_page_is_text_and_fetches_a_door(reader: Open) -> None:
    anna = reader()
    asked: list[str] = []
    anna.page.on("request", lambda request: asked.append(request.url.rsplit("/", 1)[-1]))
    page = anna.open("/small/")
    page.wait_for_load_state("networkidle")
    assert [name for name in asked if "run" in name] == ["run.js"]
    assert page.locator("textarea").count() == 0
    place = page.locator(".run-page")
    assert "about 5 MB, once" in place.inner_text()
    assert "Nothing is installed" in place.inner_text()
    anna.press("Run this page")
    anna.hears("Python 3.14.2 is ready.")
    assert page.evaluate("document.activeElement.matches('.run-start')")  # where it was
    assert page.locator(".run-start").inner_text() == "Run all cells"
    assert (anna.outside, anna.console) == ([], [])


def test_a_cell_runs_and_what_it_needs_out_of_sight_runs_before(
    reader: Open,
) -> None:
    anna = reader()
    page = anna.begin()
    anna.run("hello")  # it needs the imports, which are folded
    anna.hears("Cell 2 ran.")
    anna.mark("imports", "ran")
    anna.run("uses")  # and this one the folded solution
    anna.mark("uses", "ran")
    anna.mark("solution", "ran")
    assert page.locator("#uses .outputs > .output").inner_text() == "3"
    assert page.locator("#solution").get_attribute("open") is None
    assert page.locator(".run-book").count() == 0  # all as the book has it


def test_all_cells_run_and_one_sentence_says_so(reader: Open) -> None:
    anna = reader()
    page = anna.begin()
    before = page.locator("#drawn img").get_attribute("src")
    anna.press("Run all cells")
    anna.hears("11 cells ran.")
    for cell in ("imports", "hello", "told", "drawn", "stub", "check", "uses", "timed", "last"):
        anna.mark(cell, "ran")
    anna.mark("meant", "failed")  # an error on purpose stops nobody
    anna.mark("torch", "needs PyTorch: runs in JupyterLab")
    assert page.locator("#torch textarea, #torch button").count() == 1  # to copy it
    assert page.locator("#torch .output").inner_text() == "a tensor"
    assert page.locator("#drawn img").get_attribute("src") == before  # the same digest
    different = page.locator(".cell:has(.run-book)").evaluate_all(
        "(all) => all.map(({ id }) => id)"
    )
    assert different == ["told", "meant", "last"]  # Python would have said what the book has
    assert anna.console == []


def test_a_guess_reaches_the_cell_that_compares_it(reader: Open) -> None:
    anna = reader()
    page = anna.begin()
    anna.run("told")
    anna.mark("told", "ran; its output waits for your guess")
    assert not page.locator("#told .outputs > .output").is_visible()
    page.locator(".predict input").fill("4")
    page.locator(".predict input").press("Enter")
    assert "One more." in page.locator(".predict .says").inner_text()
    anna.run("told")
    anna.wait_for("#told .outputs > .output", '1: # source\ncompare(guess, 3, {4: "One more."})')
    anna.run("told", f"# source\n{prints('you said 4; it is 3')}")
    anna.wait_for("#told .outputs > .output", "you said 4; it is 3")
    page.get_by_role("button", name="guess again").click()
    anna.run("told", f"{prints('no guess; it is 3')}")
    anna.mark("told", "waits for your guess")
    assert "it is 3" not in page.locator("#told .outputs > .output").text_content()


def test_keys_write_python_and_lead_out_again(reader: Open) -> None:
    anna = reader()
    page = anna.begin()
    field = anna.field("stub")
    field.focus()
    page.keyboard.press("Tab")  # nobody has written yet: the keyboard passes by
    assert page.evaluate("document.activeElement.textContent") == "Run"
    field.focus()
    page.keyboard.press("Control+End")
    page.keyboard.type("\nif a:\nreturn b\nx")
    assert field.input_value().endswith("Error\nif a:\n    return b\nx")
    page.keyboard.press("Tab")
    assert field.input_value().endswith("x   ")
    page.keyboard.press("Control+Z")
    assert field.input_value().endswith("x")
    page.keyboard.press("Escape")
    anna.hears("Tab leaves the cell now.")
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.textContent") == "Run"


def test_shift_enter_goes_on_to_the_next_cell_in_sight(reader: Open) -> None:
    anna = reader()
    page = anna.begin()
    here = "document.activeElement.closest('.cell, details').id"
    anna.field("stub").focus()
    page.keyboard.press("Shift+Enter")
    assert page.evaluate(here) == "check"
    page.keyboard.press("Shift+Enter")
    assert page.evaluate(here) == "uses"  # past the solution, which stays closed
    anna.mark("check", "ran")
    assert page.locator("#solution").get_attribute("open") is None


def test_outputs_are_text_whatever_they_hold(reader: Open) -> None:
    anna = reader()
    page = anna.begin()
    lines = [
        prints(EVIL),
        message(kind="stream", name="stderr", text=EVIL),
        message(kind="data", data={"text/plain": EVIL, "text/html": EVIL}, metadata={}),
        message(kind="data", data={"text/html": f"<p>{EVIL}</p>", "text/plain": "p"}, metadata={}),
        message(kind="data", data={"text/html": "<b onclick='x()'>b</b>"}, metadata={}),
        message(kind="data", data={"text/html": "<a href='javascript:x()'>b</a>"}, metadata={}),
        message(kind="data", data={"text/html": "<img src='/x.svg' alt='x'>"}, metadata={}),
        message(kind="data", data={"text/html": "<b>bold</b>"}, metadata={}),
        message(kind="error", ename=EVIL, evalue=EVIL, lines=[{"text": EVIL}]),
    ]
    anna.run("uses", "\n".join(lines))
    anna.mark("uses", "ran")
    shown = page.locator("#uses .outputs")
    assert shown.inner_text().count("<img src=x") == 4
    assert shown.locator("img, script, a, [onclick], [onerror]").count() == 0
    assert page.title().startswith("1 · A small chapter")
    assert anna.console == []


def test_a_picture_stays_while_its_data_are_the_books(reader: Open) -> None:
    anna = reader()
    page = anna.begin()
    drawing = page.evaluate("document.querySelector('#drawn code').textContent")
    anna.run("drawn", drawing.replace("b6b59fa023ff", "000000000000"))
    anna.wait_for("#drawn .outputs > figure small", "000000000000")
    figure = page.locator("#drawn .outputs > figure")
    assert figure.get_attribute("id") == "figure-1-1"
    assert figure.locator("img").get_attribute("src").startswith("data:image/svg+xml;base64,")
    anna.wait_for("#drawn .run-book summary", "The book printed something else")
    chart = message(kind="data", data={"text/plain": "a chart"}, metadata={})
    caption = drawing.split("\n")[1]
    anna.run("drawn", f"{chart}\n{caption}")  # nothing here draws it, and nothing need
    anna.wait_for("#drawn .run-book", count=0)
    assert page.locator("#drawn figure img").get_attribute("src").endswith(".svg")
    anna.run("drawn", f"{chart}\n{caption.replace('b6b59fa023ff', '111111111111')}")
    anna.wait_for("#drawn figure .note", "JupyterLab can.")


def test_endless_cells_are_stopped_and_what_is_lost_is_said(reader: Open) -> None:
    anna = reader()
    page = anna.begin()
    anna.run("hello")
    anna.mark("hello", "ran")
    anna.run("uses", f"{prints('begun')}\n# forever")
    page.locator("#last").get_by_role("button", name="Run cell 12").click()
    anna.mark("last", "waits for its turn")
    anna.wait_for("#uses .outputs > .output", "begun")
    page.get_by_role("button", name="Stop cell 8").click()
    anna.hears("Stopped in cell 8. Python ended, and every name")
    anna.wait_for("#uses .run-told", "Python ended")
    assert page.locator("#hello .run-mark").inner_text() == ""  # nothing has run any more
    assert page.locator("#uses .outputs > .output").inner_text() == "begun"
    page.locator("#uses .run-told button").click()
    anna.hears("7 cells ran.")
    anna.mark("hello", "ran")


def test_the_header_stops_too(reader: Open) -> None:
    anna = reader()
    anna.begin()
    anna.run("hello", "# forever")
    anna.mark("hello", "running")
    anna.press("Stop")
    anna.hears("Stopped in cell 2.")
    anna.run("hello", prints("again"))
    anna.wait_for("#hello .outputs > .output", "again")


def test_a_missing_name_offers_the_cells_above(reader: Open) -> None:
    anna = reader()
    page = anna.begin()
    anna.run("last", f"# needs checked\n{prints('there')}")
    anna.hears("Cell 12 failed: NameError: name 'checked' is not defined.")
    anna.wait_for("#last .run-told", "Cells above haven't run")
    page.locator("#last .output a").click()  # the traceback leads to the line
    assert page.evaluate("document.activeElement.selectionStart") == 0
    anna.press("Run all above, then this cell")
    anna.wait_for("#last .outputs > .output", "there")
    anna.wait_for("#last .run-told", count=0)


def test_what_no_longer_holds_is_marked(reader: Open) -> None:
    anna = reader()
    page = anna.begin()
    for cell in ("hello", "uses"):
        anna.run(cell)
        anna.mark(cell, "ran")
    anna.field("uses").fill("other")
    anna.mark("uses", "changed since it ran")
    page.locator("#uses").get_by_role("button", name="Reset cell 8 to the book's text").click()
    anna.mark("uses", "ran")
    anna.run("hello", prints("new"))
    anna.mark("hello", "ran")
    anna.mark("uses", "a cell above has changed since")
    anna.wait_for("#hello .run-book", "The book printed something else")
    anna.run("uses")
    anna.mark("uses", "ran")
    assert page.locator("#stub .run-mark").inner_text() == ""


def test_after_a_failure_the_cells_below_do_not_run(reader: Open) -> None:
    anna = reader()
    anna.begin()
    anna.field("check").fill("# needs nothing_that_is_there")
    anna.press("Run all cells")
    anna.hears("Cell 6 failed: NameError: name 'nothing_that_is_there' is not defined.")
    anna.hears("The cells after it were not run.")
    anna.mark("check", "failed")


def test_a_check_that_passes_marks_the_exercise_solved(reader: Open) -> None:
    anna = reader()
    page = anna.begin()
    report = "check.add(add)\n  \x1b[32mpassed\x1b[0m  1  two\n  1 of 1 passed."
    anna.run("check", message(kind="data", data={"text/plain": report}, metadata={}))
    anna.hears("Cell 6 ran: 1 of 1 passed.")
    assert page.locator("#check .verdict.passed").inner_text() == "passed"
    assert page.locator(".solved input").is_checked()
    page.reload()
    assert page.locator(".solved input").is_checked()

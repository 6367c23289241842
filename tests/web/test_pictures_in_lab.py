"""The same pictures in a real JupyterLab: still before a kernel runs, live and answering after."""

import contextlib
import json
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any
from urllib.error import URLError
from urllib.request import urlopen

import nbformat
import pytest
from helpers import waiting
from helpers.openai_stub import VLLM, Stub, serving
from helpers.openai_stub import chat as said

from bookbuild.dress import UNFOLDED
from workbook.live.panel import MIME as PANEL
from workbook.widgets import MIME, pool_picture

TOKEN = "pictures"  # of a server that lives for this test
CELLS = [
    "from workbook.widgets import (\n    block_size_picture, contiguous_vs_paged, "
    "fork_and_copy,\n    pages_picture, pool_picture, prefix_picture, reading_through_table, "
    "tiles_picture)\n"
    "while __import__('os').path.exists('busy'):\n    __import__('time').sleep(0.05)",
    "pool_picture()",
    "contiguous_vs_paged()",
    "reading_through_table()",
    "fork_and_copy()",
    "prefix_picture()",
    "block_size_picture()",
    "tiles_picture()",
    "pages_picture()",
    "from workbook.live import board, chat\nboard(URL, every=0.2)",
    "chat(URL)",
    "from workbook.stills import PoolStep, draw_pool_steps, show\n"
    "show(draw_pool_steps([PoolStep('fresh', [0, 0], [1, 0])]),\n"
    "     alt='Two free blocks beside a stack of two ids.', caption='A pool.', data=[])",
]
SECONDS = 120


@pytest.fixture(scope="module")
def stub() -> Iterator[Stub]:
    """A server that board and chat can watch and talk to."""
    with serving(Stub(metrics=VLLM, pieces=said(["to", " be"] * 100), delay=0.05)) as running:
        yield running


@pytest.fixture(scope="module")
def notebook(tmp_path_factory: pytest.TempPathFactory, stub: Stub) -> Path:
    """A notebook as the book ships it: outputs without views, and nobody has trusted it yet."""
    cells = [cell.replace("URL", repr(stub.url)) for cell in CELLS]
    book = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(cell) for cell in cells])
    book.metadata["kernelspec"] = {"name": "python3", "display_name": "Python 3"}
    shown = nbformat.v4.new_output("execute_result", pool_picture()._repr_mimebundle_())
    shown.execution_count = 2
    book.cells[1].outputs = [shown]
    hint = ":::{hint} Hint 1\n:class: dropdown\nTake the quotient.\n:::"
    book.cells.append(nbformat.v4.new_markdown_cell(f"## A hint\n\n{UNFOLDED}\n\n{hint}"))
    path = tmp_path_factory.mktemp("lab") / "pictures.ipynb"
    nbformat.write(book, path)
    return path


@pytest.fixture(scope="module")
def lab(browser: Any, notebook: Path) -> Iterator[str]:
    """JupyterLab as ``make lab`` starts it, in the notebook's folder."""
    del browser  # skip before a server is started
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    start = "import sys, pathlib, bookbuild.lab as b; b.open_lab(pathlib.Path.cwd(), sys.argv[1:])"
    command = [sys.executable, "-c", start, "--no-browser"]
    command += [f"--port={port}", f"--IdentityProvider.token={TOKEN}"]
    command += [
        "--ServerApp.terminals_enabled=False",
        "--AsyncMappingKernelManager.shutdown_wait_time=1",
    ]
    own = {"JUPYTER_DATA_DIR": "data", "JUPYTER_CONFIG_DIR": "config", "IPYTHONDIR": "ipython"}
    home = {name: str(notebook.parent / folder) for name, folder in own.items()}
    log = (notebook.parent / "lab.log").open("w")
    server = subprocess.Popen(
        command,
        cwd=notebook.parent,
        stdout=log,
        stderr=log,
        env=os.environ | home,
        start_new_session=True,
    )
    try:
        address = f"http://127.0.0.1:{port}"
        for _ in range(SECONDS * 4):
            with contextlib.suppress(URLError, ConnectionError):
                urlopen(f"{address}/api?token={TOKEN}").close()
                break
            time.sleep(0.25)
        yield address
    finally:
        # A kernel ends by itself when its server is gone; asking it first takes many seconds.
        os.killpg(server.pid, signal.SIGKILL)
        server.wait()
        log.close()


@pytest.fixture(scope="module")
def outside() -> list[str]:
    """Requests to other hosts."""
    return []


@pytest.fixture(scope="module")
def page(browser: Any, lab: str, notebook: Path, outside: list[str]) -> Iterator[Any]:
    """The notebook, opened and not yet run."""
    context = browser.new_context(viewport={"width": 1300, "height": 1000})

    def only_here(route: Any) -> None:
        if route.request.url.startswith((lab, "data:", "blob:")):
            route.continue_()
        else:
            outside.append(route.request.url)
            route.abort()

    context.route("**/*", only_here)
    context.set_default_timeout(1000 * SECONDS)
    opened = context.new_page()
    opened.goto(f"{lab}/lab/tree/{notebook.name}?token={TOKEN}")
    opened.locator(".jp-Notebook .jp-Cell").first.wait_for()
    opened.get_by_text("| Idle").wait_for()  # the kernel is there
    yield opened
    context.close()


@pytest.fixture(scope="module")
def live(page: Any) -> Any:
    """The notebook after all its cells have run."""
    page.get_by_role("menuitem", name="Run", exact=True).click()
    page.get_by_text("Run All Cells", exact=True).click()
    page.wait_for_function("document.querySelectorAll('.jp-OutputArea .pa').length === 10")
    return page


def picture(page: Any, at: int) -> Any:
    found = page.locator(".jp-OutputArea .pa").nth(at)
    found.scroll_into_view_if_needed()
    return found


def until(page: Any, holds: Callable[[], bool]) -> None:
    """Wait until something holds; meanwhile the page may ask its server."""
    waiting.until(holds, rest=lambda seconds: page.wait_for_timeout(1000 * seconds))


def whole(notebook: Path) -> bool:
    """Whether Lab has written the file to its end."""
    try:
        return bool(json.loads(notebook.read_text(encoding="utf-8")))
    except json.JSONDecodeError:
        return False


def says(one: Any) -> str:
    """What a picture speaks; asked again while Lab makes its view anew after scrolling."""
    status = one.get_by_role("status")
    said = ""

    def speaks() -> bool:
        nonlocal said
        said = str(status.inner_text()).strip()
        return bool(said)

    until(one.page, speaks)
    return said


def test_before_a_kernel_runs_the_still_picture_shows(page: Any) -> None:
    still = page.locator(".jp-OutputArea img[alt^='Pool and tables.']")
    still.wait_for()
    assert still.evaluate("(image) => image.naturalWidth") == 640
    assert page.locator(".pa").count() == 0
    assert page.get_by_text("Loading widget").count() == 0


def test_lab_folds_hints_and_hides_the_line_about_viewers_that_do_not(page: Any) -> None:
    cell = page.locator(".jp-MarkdownCell").last
    cell.scroll_into_view_if_needed()
    cell.get_by_role("heading", name="A hint").last.wait_for()
    until(page, lambda: "If you can read this line" not in cell.inner_text())
    assert "Take the quotient." not in cell.inner_text()
    cell.locator("summary").click()
    until(page, lambda: "Take the quotient." in cell.inner_text())


def test_with_a_kernel_the_live_one_shows(live: Any) -> None:
    assert live.locator(".jp-OutputArea img[alt^='Pool and tables.']").count() == 0
    spoken = "fork(B, C) C shares 3 and 8. No block taken; 3 free."
    until(live, lambda: says(picture(live, 0)) == spoken)
    until(live, lambda: "maximum 2 → 4, the past is scaled by 0.1353" in says(picture(live, 2)))
    ids = live.locator(".pa [id]").evaluate_all("(parts) => parts.map((part) => part.id)")
    assert len(ids) == len(set(ids)) > 6  # each widget has the module for itself


def test_buttons_call_the_engine(live: Any) -> None:
    one = picture(live, 0)
    status = one.get_by_role("status")

    def press(button: str, answer: str) -> None:
        one.get_by_role("button", name=button, exact=True).click()
        status.filter(has_text=answer).wait_for()

    one.get_by_label("Sequence", exact=True).select_option("C")
    press("Reserve", "refused whole, nothing changed")  # the scene ends with a full pool
    one.get_by_label("Sequence", exact=True).select_option("A")
    press("Free", "free(A) Back in the pool: 7, 2, 11, 5, 9, 0 … (10 in all)")
    press("New", "create(D) D begins")
    one.get_by_label("Tokens", exact=True).fill("0")
    press("Reserve", "Tokens are a whole number from 1 to 999")
    one.get_by_label("Tokens", exact=True).fill("5")
    press("Reserve", "reserve(D, 5) D takes")
    press("Write", "write(D, 5) 5 tokens of D written")
    press("Write", "PositionNotReserved: sequence 'D' has no slot for position 9")
    press("Fork", "fork(D, E) E shares")
    press("Publish", "remember(E, 5) Published")
    one.get_by_label("Prompt").fill("<b>hello</b> again")
    press("Attach", "attach(F, 2) No block hit")
    press("Evict", "Nothing to evict")
    until(live, lambda: one.locator(".pa-place").inner_text() == "23/23")


def test_a_typed_prompt_meets_the_real_prefix_cache(live: Any) -> None:
    one = picture(live, 4)
    prompt = one.get_by_label("Prompt")
    prompt.fill("you are a careful assistant who answers briefly why")
    prompt.press("Enter")
    status = one.get_by_role("status")
    status.filter(has_text="D: 2 blocks hit, 8 tokens reused, 1 to run.").wait_for()
    one.get_by_role("button", name="Evict one").click()
    status.filter(has_text="goes").or_(status.filter(has_text="Nothing to evict")).wait_for()


def test_keys_in_a_picture_are_the_pictures(live: Any) -> None:
    """Lab's own single keys (A, B, D D, M) would add and delete cells."""
    one = picture(live, 2)
    one.locator(".pa-entries [tabindex='0']").focus()
    for key in ("]", "a", "b", "d", "d", "m", "["):
        live.keyboard.press(key)
    assert live.locator(".jp-Notebook .jp-Cell").count() == len(CELLS) + 1  # and the hint
    until(live, lambda: says(one).startswith("Look-up 3"))


def test_f_fills_the_screen_and_arrows_are_the_pictures(live: Any) -> None:
    one = picture(live, 2)
    one.locator(".pa-entries [tabindex='0']").focus()
    before = says(one)
    live.keyboard.press("f")
    shown = live.locator(".pa[data-presenting]")
    shown.wait_for()
    assert shown.bounding_box() == {"x": 0, "y": 0, "width": 1300, "height": 1000}
    live.keyboard.press("ArrowRight")
    until(live, lambda: says(shown) != before)
    live.keyboard.press("ArrowLeft")
    live.keyboard.press("f")
    shown.wait_for(state="detached", timeout=1000 * SECONDS)
    assert live.locator(".jp-Notebook .jp-Cell").count() == len(CELLS) + 1
    until(live, lambda: says(one) == before)


def test_a_board_watches_and_a_chat_answers_until_it_is_stopped(live: Any, stub: Stub) -> None:
    board, chat = picture(live, 8), picture(live, 9)
    stub.metrics = VLLM.replace('running{engine="0",model_name="m"} 3', "running 7")
    board.locator("[aria-valuetext='7 running']").wait_for()
    box = chat.get_by_label("Message")
    box.fill("To be?")
    box.press("Enter")
    chat.get_by_role("log").filter(has_text="to be").filter(has_text="To be?").wait_for()
    box.press("Escape")
    chat.get_by_role("status").filter(has_text="Stopped").wait_for()
    until(live, lambda: bool(stub.asked))
    assert stub.asked[-1]["messages"] == [{"role": "user", "content": "To be?"}]


def test_it_follows_labs_theme(live: Any) -> None:
    one = picture(live, 0)
    ground = "(e) => getComputedStyle(e).backgroundColor"
    until(live, lambda: one.evaluate(ground) == "rgb(255, 255, 255)")
    live.get_by_role("menuitem", name="Settings", exact=True).click()
    live.get_by_text("Theme", exact=True).click()
    live.get_by_text("JupyterLab Dark", exact=True).click()
    live.wait_for_function("document.body.dataset.jpThemeLight === 'false'")
    until(live, lambda: one.evaluate(ground) == "rgb(26, 28, 33)")
    scheme = "() => getComputedStyle(document.querySelector('img.pa-still')).colorScheme"
    live.locator(".jp-Notebook .jp-CodeCell").last.scroll_into_view_if_needed()
    until(live, lambda: live.evaluate(scheme) == "dark")  # a still follows, too


def test_a_saved_notebook_keeps_what_shows_without_a_kernel(live: Any, notebook: Path) -> None:
    before = notebook.stat().st_mtime_ns
    live.locator(".jp-Notebook .jp-Cell").first.click()
    live.keyboard.press("Control+s")
    until(live, lambda: notebook.stat().st_mtime_ns != before and whole(notebook))
    saved = json.loads(notebook.read_text(encoding="utf-8"))
    kinds = [set(out["data"]) for cell in saved["cells"] for out in cell.get("outputs", [])]
    still = {"text/html", "text/plain"}
    assert kinds == [still | {MIME}] * 8 + [still | {PANEL}] * 2 + [still] * 2


def test_a_busy_kernel_and_a_lost_one_are_told_apart(live: Any, notebook: Path) -> None:
    one = picture(live, 0)
    status, new = one.get_by_role("status"), one.get_by_role("button", name="New", exact=True)
    slow = live.locator(".jp-Notebook .jp-CodeCell").first
    busy = notebook.with_name("busy")
    busy.touch()  # the first cell waits until it is gone
    slow.locator(".cm-content").click()
    live.keyboard.press("Control+Enter")
    live.get_by_text("| Busy").wait_for()
    new.click()
    status.filter(has_text="The kernel is busy").wait_for()
    busy.unlink()
    status.filter(has_text="begins; it holds no block yet").wait_for()
    live.get_by_role("menuitem", name="Kernel", exact=True).click()
    live.get_by_text("Restart Kernel…", exact=True).click()
    live.get_by_role("button", name="Confirm Kernel Restart").click()
    status.filter(has_text="has lost its engine").wait_for()
    one.get_by_role("button", name="Back one step").click()  # looking still works
    until(live, lambda: "lost" not in says(one))
    new.click()
    status.filter(has_text="has lost its engine").wait_for()


def test_nobody_else_was_asked(live: Any, outside: list[str]) -> None:
    assert live.locator(".jp-Notebook").count() == 1
    assert outside == []

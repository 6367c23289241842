"""Pages that run their chapter: Python in the browser says what the notebook has stored."""

import html
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from helpers.web import CHAPTERS, PAGES, ROOT, Visit, address_of

from bookbuild.web.browser import chapters_that_run
from bookbuild.web.clicks import CLICK

Open = Callable[..., Visit]
RUN = (Path(__file__).parent / "run_cells.js").read_text(encoding="utf-8")
BY_CLICK = "/prefix-caching/"  # the chapter with pictures whose buttons call the engine
RUNNING = [address_of(chapter.notebook.name) for chapter in chapters_that_run(ROOT)]
AFTER = [
    {"id": "endless", "source": "def endless():\n  while True:\n    pass"},
    {
        "id": "stopped",
        "source": "from workbook.checks.framework.limit import time_limit\n"
        "with time_limit(0.05):\n  endless()",
    },
    {"id": "torch", "source": "import torch\n\ntorch.zeros(3)"},
    {"id": "asks", "source": "from js import fetch\nfetch('https://example.org/')"},
]


def said(messages: list[dict[str, Any]]) -> list[Any]:
    """What a cell gave, without what only counts time."""
    return [{k: v for k, v in message.items() if k not in ("id", "ms")} for message in messages]


@pytest.mark.parametrize("chapter", [path for path in RUNNING if path != BY_CLICK])
def test_every_cell_gives_what_is_stored(chapter: str, visit: Open) -> None:
    there = visit()
    page = there.open(chapter)
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    run = page.evaluate(RUN, AFTER)
    cells = run["chapter"]["cells"]
    differ = {
        cell["id"]: said(run["messages"][cell["id"]])
        for cell in cells
        if cell["id"] in run["messages"]
        and run["messages"][cell["id"]][-1]["digest"] != cell["digest"]
    }
    assert differ == {}
    assert len(run["messages"]) > len(AFTER) + len(cells) // 2
    assert there.outside == []
    weight = int(page.locator("main").get_attribute("data-run-bytes"))
    assert run["loading"][-1]["done"] == run["loading"][-1]["total"] < weight < 7 * 2**20
    assert any("/_python-" in url for url in asked)
    what_only_a_page_does(run["messages"])


def what_only_a_page_does(messages: dict[str, list[dict[str, Any]]]) -> None:
    """An endless loop ends, and torch says where it runs."""
    stopped, torch = (messages[name][-2] for name in ("stopped", "torch"))
    assert stopped["ename"] == "NoEnd"
    assert "endless" in [line["where"]["id"] for line in stopped["lines"] if "where" in line]
    assert torch["evalue"].startswith("this cell needs PyTorch")
    assert torch["lines"][0] == {"text": "line 3", "where": {"id": "torch", "line": 3}}


def test_a_click_runs_the_chapter_and_pictures_reach_its_engine(visit: Open) -> None:
    from playwright.sync_api import expect

    there = visit()
    page = there.open(BY_CLICK)
    ready, first, everything, _ = page.evaluate(CLICK)
    assert ready < first < everything
    expect(page.locator(".run-says")).to_have_text(re.compile(r"^\d\d cells ran\.$"))
    assert page.locator(".run-book").count() == 0  # no cell disagrees with the book
    pool = page.locator(".pa-host:has([data-call=write])")
    for call, said in {"create": "create(D) D begins", "reserve": "D takes "}.items():
        pool.locator(f"[data-call={call}]").click()
        expect(pool.locator("[aria-live]").first).to_contain_text(said)
    assert there.outside == []
    assert there.console == []


def test_nothing_is_fetched_before_the_click(visit: Open) -> None:
    asked: list[str] = []
    there = visit()
    there.page.on("request", lambda request: asked.append(request.url))
    there.open(RUNNING[-1])
    there.scroll_through()
    assert not [url for url in asked if "/_run-" in url or "/_python-" in url]
    assert "run-worker.js" not in " ".join(asked)


def test_only_chapters_that_run_say_so_and_no_policy_is_wider(site: Path) -> None:
    policies = set()
    for path in PAGES:
        text = (site / path.strip("/") / "index.html").read_text(encoding="utf-8")
        assert (" data-run=" in text) == (path in RUNNING), path
        policies.add(text.partition('Content-Security-Policy" content="')[2].partition('"')[0])
    [policy] = map(html.unescape, policies)
    assert "script-src 'self';" in policy
    assert "unsafe" not in policy
    assert set(RUNNING) < set(CHAPTERS)

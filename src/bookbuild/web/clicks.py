"""How long a reader waits for a page that runs: from the click to Python, one cell, all cells."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

CLICK = """async () => {
  let began = performance.now();
  const start = document.querySelector(".run-start");
  const until = async (done) => {
    for (;;) {
      const seconds = (performance.now() - began) / 1000;
      if (done()) return seconds;
      if (seconds > 120) throw new Error(document.querySelector(".run-page").textContent);
      await new Promise((go) => setTimeout(go, 10));
    }
  };
  await until(() => !start.disabled);
  began = performance.now();
  start.click();
  const ready = await until(() => start.textContent === "Run all cells");
  start.click();
  const first = await until(() => document.querySelector('[data-cell="ran"]'));
  const all = await until(() => / ran\\.$/.test(document.querySelector(".run-says").textContent));
  return [ready, first, all, Number(document.querySelector("main").dataset.runBytes) / 1e6];
}"""


@dataclass(frozen=True)
class Wait:
    """Seconds from the click of a first visit, and the megabytes that it fetches, compressed."""

    page: str
    ready: float
    first: float
    all: float
    megabytes: float


def waits(executable: str, address: str, pages: Iterable[str]) -> Iterator[Wait]:
    """Run each page's chapter once, in a browser that has seen none of them."""
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=executable, args=["--no-sandbox"])
        for page in pages:
            visit = browser.new_context().new_page()
            visit.goto(f"{address}{page}")
            visit.wait_for_selector(".run-start")
            yield Wait(page, *visit.evaluate(CLICK))
            visit.context.close()
        browser.close()


def table(found: Iterable[Wait]) -> str:
    """The waits as a table of Markdown, under a heading."""
    rows = [
        f"| {each.page} | {each.megabytes:.1f} | {each.ready:.1f} | {each.first:.1f} "
        f"| {each.all:.1f} |"
        for each in found
    ]
    head = """
## Pages that run

From the click on *Run this page* of a first visit, in Chromium on the machine that built the book.
The aim is a first cell after 5 s, and 7 MiB at most.

| page | MB fetched | Python, s | first cell, s | all cells, s |
|---|---:|---:|---:|---:|
"""
    return head + "\n".join(rows) + "\n" if rows else ""

"""How long a step of each picture takes to draw in Chromium, and what the module weighs.

in tests/:  python -m benchmarks.pictures [--out results/DATE-pictures.json]

A frame is what one key press costs: replay, words, changed cells, and layout forced at the end. The
browser paints on the processor here, as on a machine without a GPU; painting comes on top and is
told as the time from one frame to the next.
"""

import argparse
import gzip
import json
import shutil
import sys
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from benchmarks import machine
from helpers.gallery import HARD, gallery, write_gallery
from helpers.traffic import random_trace
from playwright.sync_api import sync_playwright

from bookbuild.web.serve import serving
from workbook.trace import Trace
from workbook.widgets import Picture, bundle, pool_picture

FLAGS = ["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run"]
MEASURE = """async ({name, steps, from}) => {
    const root = document.querySelector(`#${name} .pa`);
    root.scrollIntoView();
    const press = (key) => {
        const target = root.querySelector('.pa-stage [tabindex="0"]') ?? root;
        target.dispatchEvent(new KeyboardEvent('keydown', {key, bubbles: true}));
    };
    const frame = () => new Promise((go) => requestAnimationFrame(go));
    const range = root.querySelector('.pa-range');
    range.value = from;
    range.dispatchEvent(new Event('input'));
    const [work, whole] = [[], []];
    for (const key of [...Array(steps).fill(']'), ...Array(steps).fill('[')]) {
        await frame();
        const start = performance.now();
        press(key);
        root.getBoundingClientRect();
        work.push(performance.now() - start);
        await frame();
        await frame();
        whole.push((performance.now() - start) / 2);
    }
    return {work, whole};
}"""


def large(num_blocks: int, events: int) -> Picture:
    """A pool so large, part-filled by random traffic."""
    trace: Trace = random_trace(events, num_blocks=num_blocks, block_size=16)
    return pool_picture(trace, start=trace.last - 150)


def median(values: list[float], share: float = 0.5) -> float:
    """The value that this share of all stays below."""
    return round(sorted(values)[int(share * (len(values) - 1))], 2)


def measured(page: Any, name: str, steps: int, first: int) -> dict[str, float]:
    """Milliseconds of one picture: the median and the 95th percentile of its steps."""
    result = page.evaluate(MEASURE, {"name": name, "steps": steps, "from": first})
    return {
        "work median": median(result["work"]),
        "work 95 %": median(result["work"], 0.95),
        "frame to frame median": median(result["whole"]),
    }


def weights(pictures: Mapping[str, Picture]) -> dict[str, Any]:
    """Bytes: the module and the style sheet as they are and compressed; each picture's data."""
    files = {"pictures.js": bundle.module(), "pictures.css": bundle.style()}
    return {
        "module": {
            name: [len(text.encode()), len(gzip.compress(text.encode(), mtime=0))]
            for name, text in files.items()
        },
        "data": {
            name: len(json.dumps(picture.data, separators=(",", ":")).encode())
            for name, picture in pictures.items()
        },
        "still": {name: len(picture.svg.encode()) for name, picture in pictures.items()},
    }


def run() -> dict[str, Any]:
    """Measure every picture of the gallery, and pools of 256, 10,000 and 50,000 blocks."""
    book = {name: one.picture for name, one in gallery().items() if name not in HARD}
    pools = {
        "pool-256": large(256, 3_000),
        "pool-10000": large(10_000, 30_000),
        "pool-50000": large(50_000, 30_000),
    }
    frames = {}
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        write_gallery(Path(folder), book | pools)
        executable = shutil.which("chromium") or shutil.which("chromium-browser")
        browser = playwright.chromium.launch(executable_path=executable, args=FLAGS)
        page = browser.new_page(viewport={"width": 1280, "height": 900})
        with serving(Path(folder), "/p") as address:
            for name in book | pools:
                page.goto(f"{address}/{name}/")
                page.wait_for_selector(".pa-host[data-state=ready]")
                last = int(page.locator(".pa-range").first.get_attribute("max") or 0)
                steps = min(last, 100)
                frames[name] = measured(page, name, steps, last - steps)
                print(name, frames[name], file=sys.stderr)
        version = browser.version
        browser.close()
    trace = random_trace(10_000)
    text = json.dumps(trace.to_json(), separators=(",", ":"))
    about = machine.described()
    about["versions"] |= {"chromium": version}
    return about | {
        "unit": "milliseconds; bytes",
        "frames": frames,
        "bytes": weights(book),
        "trace of 10,000 random events": {
            "events": len(trace),
            "steps": trace.last,
            "bytes": len(text),
        },
    }


def main() -> None:
    """Run everything and print, or write, one JSON document."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", type=Path)
    options = parser.parse_args()
    text = json.dumps(run(), indent=2)
    if options.out:
        options.out.write_text(text + "\n", encoding="utf-8")
    print(text)


if __name__ == "__main__":
    main()

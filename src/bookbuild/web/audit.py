"""Let Lighthouse judge every page, and write down what it said and what the pages weigh."""

import json
import os
import re
import subprocess
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from bookbuild.book import BookError
from bookbuild.web import clicks
from bookbuild.web.serve import serving
from bookbuild.web.tools import chromium, install

LEAST = {"accessibility": 100, "best-practices": 100, "performance": 97}
BROWSER_FLAGS = (
    "--headless=new --no-sandbox --disable-gpu --disable-quic --no-first-run "
    "--disable-background-networking --disable-component-update --disable-sync "
    '--host-resolver-rules="MAP * ~NOTFOUND , EXCLUDE 127.0.0.1"'
)


@dataclass(frozen=True)
class Verdict:
    """One page: scores from 0 to 100, and kilobytes as they travel, compressed."""

    page: str
    scores: dict[str, int]
    document: float
    everything: float
    requests: int
    complaints: list[str]

    @property
    def short_of(self) -> list[str]:
        """What isn't good enough, a sentence each."""
        return [
            f"{self.page}: {name} {self.scores[name]}, wanted {least}"
            for name, least in LEAST.items()
            if self.scores[name] < least
        ]


def audit(root: Path, folder: Path, base: str, build_seconds: float) -> int:
    """Judge the pages in ``folder`` and write ``tests/web/audit/RESULTS.md``.

    The exit status is 1 when a page falls short. Raises ``BookError`` without a browser.
    """
    tools = root / "tests" / "web" / "audit"
    install(tools)
    browser = chromium()
    if browser is None:
        raise BookError("The audit needs Chromium; on Debian and Ubuntu: apt install chromium")
    verdicts = []
    with serving(folder, base) as address:
        for path in sorted(folder.rglob("index.html")):
            verdicts.append(_judge(tools, browser, address, _page(folder, path)))
            print(_row(verdicts[-1]), flush=True)
        running = clicks.table(clicks.waits(browser, address, _pages_that_run(folder)))
    text = _table(verdicts, build_seconds) + running
    (tools / "RESULTS.md").write_text(text, encoding="utf-8")
    short = [sentence for verdict in verdicts for sentence in verdict.short_of]
    for verdict in verdicts:
        for complaint in verdict.complaints:
            print(f"{verdict.page}: {complaint}")
    print("\n".join(short) or f"{len(verdicts)} pages, all good enough")
    return int(bool(short))


def _page(folder: Path, path: Path) -> str:
    """``/`` for the front page, ``/name/`` for another."""
    name = path.parent.relative_to(folder).as_posix()
    return "/" if name == "." else f"/{name}/"


def _pages_that_run(folder: Path) -> list[str]:
    paths = sorted(folder.rglob("index.html"))
    return [_page(folder, path) for path in paths if " data-run=" in path.read_text("utf-8")]


def _judge(tools: Path, browser: str, address: str, page: str) -> Verdict:
    script = tools / "node_modules" / "lighthouse" / "cli" / "index.js"
    command = [
        *("node", str(script), f"{address}{page}", "--quiet", "--output=json"),
        f"--only-categories={','.join(LEAST)}",
        f"--chrome-flags={BROWSER_FLAGS}",
    ]
    made = subprocess.run(
        command,
        env=os.environ | {"CHROME_PATH": browser},
        capture_output=True,
        encoding="utf-8",
        check=False,
    )
    if made.returncode:
        raise BookError(f"Lighthouse stopped at {page}:\n{made.stderr}")
    found = json.loads(made.stdout)
    requests = found["audits"]["network-requests"]["details"]["items"]
    sizes = [request.get("transferSize", 0) / 1000 for request in requests]
    judged = {
        reference["id"]
        for name in ("accessibility", "best-practices")
        for reference in found["categories"][name]["auditRefs"]
        if reference["weight"]
    }
    return Verdict(
        page=page,
        scores={name: round(found["categories"][name]["score"] * 100) for name in LEAST},
        document=sizes[0],
        everything=sum(sizes),
        requests=len(requests),
        complaints=[
            result["title"]
            for name, result in found["audits"].items()
            if name in judged and result["score"] == 0
        ],
    )


def _row(verdict: Verdict) -> str:
    scores = " | ".join(str(verdict.scores[name]) for name in LEAST)
    return (
        f"| {verdict.page} | {verdict.document:.0f} | {verdict.everything:.0f} "
        f"| {verdict.requests} | {scores} |"
    )


def _table(verdicts: list[Verdict], build_seconds: float) -> str:
    today = datetime.now(tz=UTC).date().isoformat()
    names = " | ".join(re.sub("-", " ", name) for name in LEAST)
    head = f"""# Pages, weighed and judged

Written by `make web-audit` on {today}; the build took {build_seconds:.1f} s. Kilobytes are those
that travel, compressed; "all" is a first visit on Lighthouse's phone, without what is further down.

| page | document kB | all kB | requests | {names} |
|---|---:|---:|---:|---:|---:|---:|
"""
    return head + "\n".join(_row(verdict) for verdict in verdicts) + "\n"

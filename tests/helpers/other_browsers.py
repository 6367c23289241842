"""Run the chapters that run in a page in Firefox and WebKit: ``python -m helpers.other_browsers``.

From ``tests``, by hand: Debian and Ubuntu have both (``apt install firefox-esr webkit2gtk-driver
xvfb``). Firefox is driven by its own protocol, Marionette, WebKit by WebDriver; both know the same
commands.
"""

import contextlib
import json
import os
import shutil
import socket
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from helpers.web import BASE, ROOT, address_of

from bookbuild.web.browser import chapters_that_run
from bookbuild.web.build import build
from bookbuild.web.clicks import CLICK
from bookbuild.web.serve import serving

LONGEST = 300_000  # ms that a chapter may take
SCRIPT = f"""
const done = arguments[arguments.length - 1];
const differ = () => [...document.querySelectorAll(".run-book")].map((at) => at.closest("[id]").id);
const says = () => document.querySelector(".run-says").textContent;
({CLICK})().then(
  (waits) => done({{ waits, differ: differ(), says: says() }}),
  (error) => done({{ error: String(error) }}));
"""
Command = Callable[[str, dict[str, Any]], Any]


@contextlib.contextmanager
def firefox() -> Iterator[Command]:
    """Firefox without a window, by Marionette: a length, a colon, JSON, over a socket."""
    program = shutil.which("firefox-esr") or shutil.which("firefox")
    assert program, "no Firefox here"
    port = free_port()
    with tempfile.TemporaryDirectory() as profile:
        settings = f'user_pref("marionette.port", {port});\n'
        (Path(profile) / "user.js").write_text(settings, encoding="utf-8")
        started = [program, "--headless", "--marionette", "--no-remote", "--profile", profile]
        with running(started), connected(port) as stream:
            answer(stream)  # its greeting
            numbers = iter(range(1, 1000))

            def command(name: str, values: dict[str, Any]) -> Any:
                text = json.dumps([0, next(numbers), f"WebDriver:{name}", values]).encode()
                stream.write(b"%d:%b" % (len(text), text))
                stream.flush()
                _, _, error, result = answer(stream)
                assert error is None, error
                return result

            command("NewSession", {})
            command("SetTimeouts", {"script": LONGEST, "pageLoad": LONGEST})
            yield command


@contextlib.contextmanager
def webkit() -> Iterator[Command]:
    """WebKitGTK's small browser, by WebDriver; its window is on a screen that nobody sees."""
    driver, screen = shutil.which("WebKitWebDriver"), shutil.which("Xvfb")
    assert driver, "no WebKitWebDriver here"
    assert screen, "no Xvfb here"
    port, display = free_port(), ":97"
    environment = {"DISPLAY": display, "WEBKIT_DISABLE_COMPOSITING_MODE": "1"}
    with (
        running([screen, display, "-screen", "0", "1280x900x24"]),
        running([driver, f"--port={port}"], environment),
        connected(port),
    ):
        where = f"http://127.0.0.1:{port}/session"
        made = post(where, {"capabilities": {"alwaysMatch": {}}})
        session = f"{where}/{made['sessionId']}"
        post(f"{session}/timeouts", {"script": LONGEST, "pageLoad": LONGEST})
        paths = {"Navigate": "url", "ExecuteAsyncScript": "execute/async"}
        yield lambda name, values: {"value": post(f"{session}/{paths[name]}", values)}


def free_port() -> int:
    """A port that nobody has now."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


@contextlib.contextmanager
def running(command: list[str], environment: dict[str, str] | None = None) -> Iterator[None]:
    """A program while the context lasts."""
    with subprocess.Popen(
        command,
        env=os.environ | (environment or {}),
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    ) as process:
        try:
            yield
        finally:
            process.terminate()


@contextlib.contextmanager
def connected(port: int) -> Iterator[Any]:
    """A stream to the port, once somebody listens there."""
    for _ in range(600):
        with contextlib.suppress(OSError):
            link = socket.create_connection(("127.0.0.1", port))
            break
        time.sleep(0.1)
    else:
        raise TimeoutError(f"nobody listens at port {port}")
    with link, link.makefile("rwb") as stream:
        yield stream


def answer(stream: Any) -> Any:
    """One message of Marionette."""
    digits = b""
    while not digits.endswith(b":"):
        digits += stream.read(1)
    return json.loads(stream.read(int(digits[:-1])))


def post(url: str, values: dict[str, Any]) -> Any:
    """One command of WebDriver."""
    request = urllib.request.Request(url, json.dumps(values).encode(), method="POST")
    with urllib.request.urlopen(request, timeout=LONGEST / 1000) as reply:
        return json.loads(reply.read())["value"]


def judged(command: Command, address: str) -> tuple[bool, str]:
    """Click and run one chapter; whether all is well, and what came of it."""
    command("Navigate", {"url": address})
    result = command("ExecuteAsyncScript", {"script": SCRIPT, "args": []})["value"]
    if "error" in result:
        return False, f"FAILED {result['error']}"
    ready, first, everything, _ = result["waits"]
    differ = result["differ"]
    words = f"{result['says']} Python after {ready:.0f} s, a cell {first:.0f}, all {everything:.0f}"
    return not differ, f"{words}; {', '.join(differ) or 'none'} unlike the book"


def main(names: list[str]) -> int:
    """Say how each chapter runs in each browser; 1 if a cell differs."""
    bad = False
    with tempfile.TemporaryDirectory() as folder:
        build(ROOT, Path(folder) / "site", BASE)
        with serving(Path(folder) / "site", BASE) as address:
            for browser in (firefox, webkit):
                if names and browser.__name__ not in names:
                    continue
                with browser() as command:
                    for chapter in chapters_that_run(ROOT):
                        well, line = judged(
                            command, f"{address}{address_of(chapter.notebook.name)}"
                        )
                        print(f"{browser.__name__}, {chapter.name}: {line}", flush=True)
                        bad |= not well
    return int(bad)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

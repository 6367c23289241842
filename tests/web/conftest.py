"""The book, built once below a base path for all workers, served, and opened in Chromium."""

import os
import shutil
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from filelock import FileLock
from helpers.gallery import Shown, gallery, write_gallery
from helpers.running import Reader, draw_small_chapter
from helpers.web import BASE, PATIENCE, ROOT, Visit

from bookbuild.web.build import build
from bookbuild.web.serve import serving
from bookbuild.web.tools import chromium, install, missing_tool, theme_folder

FLAGS = [
    "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1",  # no other host is ever reached
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]


@pytest.fixture(scope="session")
def node() -> str:
    """The path of Node; tests that need it are skipped where it is missing or too old."""
    if missing := missing_tool():
        pytest.skip(missing)
    found = shutil.which("node")
    assert found
    return found


@pytest.fixture(scope="session")
def site(node: str, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The built pages. The first worker builds, the others wait."""
    shared = tmp_path_factory.getbasetemp()
    if "PYTEST_XDIST_WORKER" in os.environ:
        shared = shared.parent
    folder, done = shared / "site", shared / "site.done"
    with FileLock(shared / "site.lock"):
        if not done.exists():
            build(ROOT, folder, BASE)
            done.touch()
    return folder


@pytest.fixture(scope="session")
def address(site: Path) -> Iterator[str]:
    """Where the front page is, without a closing slash."""
    with serving(site, BASE) as where:
        yield where


@pytest.fixture(scope="session")
def axe_source(node: str) -> str:
    """axe-core's script."""
    install(theme_folder(ROOT))
    source = theme_folder(ROOT) / "node_modules" / "axe-core" / "axe.min.js"
    return source.read_text(encoding="utf-8")


@pytest.fixture(scope="session")
def browser() -> Iterator[Any]:
    """The system's Chromium, driven by Playwright."""
    executable = chromium()
    if executable is None:
        pytest.skip("No Chromium here (Debian and Ubuntu: apt install chromium)")
    if sys.platform == "win32":
        pytest.skip("The browser tests are for Linux and macOS")
    from playwright.sync_api import expect, sync_playwright

    expect.set_options(timeout=PATIENCE)
    with sync_playwright() as playwright:
        launched = playwright.chromium.launch(executable_path=executable, args=FLAGS)
        yield launched
        launched.close()


@pytest.fixture
def visit(browser: Any, address: str) -> Iterator[Callable[..., Visit]]:
    """Make visits: ``visit(width=320, color_scheme="dark")``."""
    contexts = []

    def start(width: int = 1280, height: int = 900, **options: Any) -> Visit:
        context = browser.new_context(viewport={"width": width, "height": height}, **options)
        contexts.append(context)
        return Visit(context, address)

    yield start
    for context in contexts:
        context.close()


@pytest.fixture(scope="session")
def shown() -> dict[str, Shown]:
    """Every picture, and what it says at each step."""
    return gallery()


@pytest.fixture(scope="session")
def gallery_address(
    shown: dict[str, Shown], tmp_path_factory: pytest.TempPathFactory
) -> Iterator[str]:
    """Where a page with all pictures is, and below it one for each."""
    folder = tmp_path_factory.mktemp("gallery")
    write_gallery(folder, {name: one.picture for name, one in shown.items()})
    with serving(folder, BASE) as where:
        yield where


@pytest.fixture(scope="session")
def gallery_contexts(browser: Any) -> Iterator[dict[tuple[Any, ...], Any]]:
    """One for each kind of window: its pages keep nothing, and a context takes half a visit."""
    contexts: dict[tuple[Any, ...], Any] = {}
    yield contexts
    for context in contexts.values():
        context.close()


@pytest.fixture
def visit_gallery(
    browser: Any, gallery_address: str, gallery_contexts: dict[tuple[Any, ...], Any]
) -> Iterator[Callable[..., Visit]]:
    """Make visits to it: ``visit_gallery("pool", width=320)``; its pictures are drawn by then.
    Whoever stops the clock visits it ``alone``.
    """
    visitors = []

    def start(
        name: str = "", width: int = 1280, height: int = 900, *, alone: bool = False, **options: Any
    ) -> Visit:
        kind = (width, height, name if alone else None, *sorted(options.items()))
        if kind not in gallery_contexts:
            viewport = {"width": width, "height": height}
            gallery_contexts[kind] = browser.new_context(viewport=viewport, **options)
        visitor = Visit(gallery_contexts[kind], gallery_address)
        visitors.append(visitor)
        visitor.open(f"/{name}/" if name else "/")
        visitor.scroll_through()
        visitor.pictures_ready()
        return visitor

    yield start
    for visitor in visitors:
        visitor.page.close()


@pytest.fixture(scope="session")
def small(node: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of a small chapter that runs."""
    install(theme_folder(ROOT))
    folder = tmp_path_factory.mktemp("small")
    draw_small_chapter(node, folder)
    with serving(folder, BASE) as where:
        yield where


@pytest.fixture
def reader(browser: Any, small: str) -> Iterator[Callable[..., Reader]]:
    """Make readers: ``reader(width=390, color_scheme="dark")``."""
    contexts = []

    def start(width: int = 1280, height: int = 900, **options: Any) -> Reader:
        context = browser.new_context(viewport={"width": width, "height": height}, **options)
        contexts.append(context)
        return Reader(context, small)

    yield start
    for context in contexts:
        context.close()

"""What is wrong with a book stops the build, by name; what is hostile in one stays text."""

import base64
import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import nbformat
import pytest
from helpers.web import PATIENCE, ROOT
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook, new_output

from bookbuild.book import BookError
from bookbuild.web import tools
from bookbuild.web.build import build
from bookbuild.web.serve import serving

PICTURE = "application/vnd.paged-attention.picture+json"
EVIL = (
    "</script><img src=x onerror=\"document.title='owned'\"><script>document.title='owned'</script>"
)
STILL = base64.b64encode(b'<svg xmlns="http://www.w3.org/2000/svg" width="8" height="8"/>').decode()
MYST = """\
version: 1
project:
  title: A small book
  error_rules: [{rule: reference-target-resolves, severity: error}]
  toc: [{file: chapters/pages/index.md}, {file: chapters/01_one.ipynb}]
site: {title: A small book, template: ./assets/theme}
"""


@pytest.fixture
def book(node: str, tmp_path: Path) -> Callable[..., Path]:
    """A book of two pages with our theme: ``book(front="…", cells=[…])`` is its folder."""

    def make(front: str = "Hello.", cells: list[Any] | None = None) -> Path:
        root = tmp_path / "small"
        (root / "chapters" / "pages").mkdir(parents=True)
        (root / "assets").mkdir()
        (root / "assets" / "theme").symlink_to(tools.theme_folder(ROOT))
        (root / "myst.yml").write_text(MYST, encoding="utf-8")
        page = f"---\ntitle: Front\n---\n\n{front}\n"
        (root / "chapters" / "pages" / "index.md").write_text(page, encoding="utf-8")
        notebook = new_notebook(cells=[new_markdown_cell("# 1 · One"), *(cells or [])])
        notebook.metadata["kernelspec"] = {"name": "python3", "display_name": "Python 3"}
        nbformat.write(notebook, root / "chapters" / "01_one.ipynb")
        return root

    return make


def complaints(root: Path, out: Path) -> str:
    """What stops the build of ``root``; checks that ``out`` stays as it was."""
    out.mkdir()
    (out / "index.html").write_text("the last good one", encoding="utf-8")
    with pytest.raises(BookError) as caught:
        build(root, out)
    assert (out / "index.html").read_text(encoding="utf-8") == "the last good one"
    return str(caught.value)


def test_the_theme_names_page_and_cell(book: Callable[..., Path], tmp_path: Path) -> None:
    output = new_output("display_data", {"text/html": "<script>alert(1)</script>"})
    cell = new_code_cell("show()", id="c01-bad", outputs=[output])
    said = complaints(
        book(front="![](../../assets/none.svg)\n\n```cobol\nX\n```", cells=[cell]), tmp_path / "out"
    )
    assert "chapters/pages/index.md" in said
    assert "none.svg" in said


def test_every_problem_is_named_at_once(book: Callable[..., Path], tmp_path: Path) -> None:
    output = new_output("display_data", {"text/html": "<script>alert(1)</script>"})
    cell = new_code_cell("show()", id="c01-bad", outputs=[output])
    root = book(front="```cobol\nX\n```\n\n[](./LICENSE) {u}`fine`", cells=[cell])
    (root / "chapters" / "pages" / "LICENSE").write_text("x", encoding="utf-8")
    said = complaints(root, tmp_path / "out")
    assert 'chapters/pages/index.md, line 5: code in the language "cobol"' in said
    assert "chapters/01_one.ipynb, cell c01-bad: HTML that this page doesn't take: <script>" in said


def test_warnings_of_myst_stop_the_build(book: Callable[..., Path], tmp_path: Path) -> None:
    front = "[](#nowhere) and {unknown}`role`\n\n:::{strange}\n:::"
    said = complaints(book(front=front), tmp_path / "out")
    for what in ("nowhere", "unknown", "strange"):
        assert what in said
    assert "index.md" in said


def test_hostile_names_stay_text(book: Callable[..., Path], tmp_path: Path, browser: Any) -> None:
    data = json.dumps({"v": 1, "picture": "pool", "seqs": [EVIL]})
    still = f'<img src="data:image/svg+xml;base64,{STILL}" alt="A still picture of nothing.">'
    cells = [
        new_code_cell(
            f"# {EVIL}",
            outputs=[
                new_output("stream", text=EVIL),
                new_output("error", ename="E", evalue=EVIL, traceback=[EVIL]),
                new_output(
                    "display_data",
                    {PICTURE: json.loads(data), "text/html": still, "text/plain": EVIL},
                ),
            ],
        )
    ]
    build(book(front=f"`{EVIL}`", cells=cells), tmp_path / "out")
    with serving(tmp_path / "out") as address:
        page = browser.new_page()
        page.set_default_timeout(PATIENCE)
        for path in ("/", "/one/"):
            page.goto(f"{address}{path}")
            page.wait_for_timeout(300)
            assert page.locator("[onerror]").count() == 0
            assert "owned" not in page.title()
            assert EVIL in page.locator("main").inner_text()
        host = page.locator(".pa-host")
        assert json.loads(host.locator("script").inner_text())["seqs"] == [EVIL]
        page.get_by_role("button", name="Search").click()
        page.get_by_role("searchbox").fill("onerror")
        page.locator(".hits a").first.wait_for()
        assert "owned" not in page.title()
        page.close()


def test_a_book_with_an_address_has_a_sitemap_and_a_card(
    book: Callable[..., Path], tmp_path: Path
) -> None:
    root, out = book(), tmp_path / "out"
    config = MYST.replace(
        "template: ./assets/theme",
        "template: ./assets/theme, options: {site_url: https://example.org/b}",
    )
    (root / "myst.yml").write_text(config, encoding="utf-8")
    build(root, out, "/b")
    sitemap = (out / "sitemap.xml").read_text(encoding="utf-8")
    assert "<loc>https://example.org/b/one/</loc>" in sitemap
    page = (out / "one" / "index.html").read_text(encoding="utf-8")
    card = re.search(r'og:image" content="https://example\.org/b/([^"]+)"', page)
    assert card
    assert (out / card[1]).read_bytes().startswith(b"\x89PNG")


def test_a_base_path_looks_like_a_path(tmp_path: Path) -> None:
    for wrong in ("book", "https://example.org/book", "/a b", "/../x/'"):
        with pytest.raises(BookError, match="base path"):
            build(ROOT, tmp_path / "out", wrong)


def test_a_missing_tool_is_said_in_a_sentence(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tools.shutil, "which", lambda name: None)
    assert "needs Node 20 or newer with npm" in (tools.missing_tool() or "")
    assert tools.chromium() is None

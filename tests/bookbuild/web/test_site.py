"""The check of built pages finds what readers would stumble over."""

from pathlib import Path

import pytest

from bookbuild.web.site import check_site

GOOD = """<!doctype html><html lang="en"><head>
<meta http-equiv="Content-Security-Policy" content="default-src 'none'">
<title>Page</title><link rel="stylesheet" href="/b/style.css"></head>
<body><h1 id="top">Page</h1><a href="/b/two/#there">two</a><a href="#top">top</a>
<a href="https://example.org/">out</a><img src="/b/a.png" alt="A picture">{more}</body></html>"""


@pytest.fixture
def site(tmp_path: Path) -> Path:
    (tmp_path / "two").mkdir()
    (tmp_path / "style.css").write_text("p{background:url(a.png)}", encoding="utf-8")
    (tmp_path / "a.png").write_bytes(b"")
    (tmp_path / "index.html").write_text(GOOD.format(more=""), encoding="utf-8")
    two = GOOD.format(more='<p id="there"></p>')
    (tmp_path / "two" / "index.html").write_text(two, encoding="utf-8")
    return tmp_path


def test_good_pages_have_no_problems(site: Path) -> None:
    assert check_site(site, "/b") == []


@pytest.mark.parametrize(
    ("more", "said"),
    [
        ('<p id="top"></p>', "a second element with the id 'top'"),
        ('<a href="/b/three/">x</a>', "/b/three/ leads to nothing"),
        ('<a href="/two/">x</a>', "leaves the base path"),
        ('<a href="two/">x</a>', "leaves the base path"),
        ('<a href="/b/two/#gone">x</a>', "a page without that place"),
        ('<a href="#gone">x</a>', "a page without that place"),
        ('<div data-src="/b/none.json"></div>', "none.json leads to nothing"),
        ('<img src="/b/a.png" alt=" ">', "no alt text"),
        ('<img src="/b/a.png">', "no alt text"),
        ('<p onclick="x()"></p>', "the attribute onclick"),
        ('<p style="color:red"></p>', "the attribute style"),
        ("<script>alert(1)</script>", "a script in the page itself"),
        ("<style>p{}</style>", "<style> isn't allowed"),
        ('<script src="https://example.org/x.js"></script>', "loads https://example.org/x.js"),
        ('<img src="//example.org/x.png" alt="x">', "loads //example.org/x.png"),
        ("<h1>again</h1>", "2 headings of the first level"),
    ],
)
def test_a_fault_is_named_with_its_page(site: Path, more: str, said: str) -> None:
    (site / "index.html").write_text(GOOD.format(more=more), encoding="utf-8")
    [problem] = check_site(site, "/b")
    assert problem.startswith("index.html: ")
    assert said in problem


def test_data_in_a_page_is_no_script(site: Path) -> None:
    data = '<script type="application/json">{"a": 1}</script>'
    (site / "index.html").write_text(GOOD.format(more=data), encoding="utf-8")
    assert check_site(site, "/b") == []


def test_a_page_needs_title_and_policy(site: Path) -> None:
    (site / "index.html").write_text("<h1>x</h1>", encoding="utf-8")
    assert check_site(site, "/b") == [
        "index.html: no title",
        "index.html: no Content-Security-Policy",
    ]


def test_styles_load_from_their_own_host(site: Path) -> None:
    (site / "style.css").write_text(
        "a{b:url(https://example.org/x)}c{d:url('none.png')}e{f:url(data:image/png;base64,AA)}",
        encoding="utf-8",
    )
    assert check_site(site, "/b") == [
        "style.css: url(https://example.org/x) isn't there",
        "style.css: url(none.png) isn't there",
    ]

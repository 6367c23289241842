"""The server behaves like the hosts that pages are made for, and gives away nothing else."""

import gzip
from collections.abc import Iterator
from http.client import HTTPConnection, HTTPResponse
from pathlib import Path

import pytest

from bookbuild.web.serve import serving


@pytest.fixture
def server(tmp_path: Path) -> Iterator[HTTPConnection]:
    folder = tmp_path / "site"
    (folder / "two").mkdir(parents=True)
    (folder / "index.html").write_text("front", encoding="utf-8")
    (folder / "two" / "index.html").write_text("two", encoding="utf-8")
    (folder / "404.html").write_text("missing", encoding="utf-8")
    (folder / "a.png").write_bytes(b"png")
    (tmp_path / "secret").write_text("secret", encoding="utf-8")
    with serving(folder, "/b") as address:
        assert address.endswith("/b")
        yield HTTPConnection("127.0.0.1", int(address.split(":")[2].removesuffix("/b")))


def get(server: HTTPConnection, path: str, **headers: str) -> tuple[HTTPResponse, bytes]:
    server.request("GET", path, headers=headers)
    response = server.getresponse()
    return response, response.read()


def test_pages_below_the_base_path(server: HTTPConnection) -> None:
    response, content = get(server, "/b/")
    assert (response.status, content) == (200, b"front")
    assert response.headers["Content-Type"] == "text/html; charset=utf-8"
    assert get(server, "/b/two/")[1] == b"two"
    assert get(server, "/b/two")[0].headers["Location"] == "/b/two/"
    assert get(server, "/b/a.png")[0].headers["Content-Type"] == "image/png"


@pytest.mark.parametrize("path", ["/", "/two/", "/b/none/", "/b/../secret", "/b/%2e%2e/secret"])
def test_everything_else_is_missing(server: HTTPConnection, path: str) -> None:
    response, content = get(server, path)
    assert (response.status, content) == (404, b"missing")


def test_text_travels_compressed(server: HTTPConnection) -> None:
    response, content = get(server, "/b/", **{"Accept-Encoding": "gzip"})
    assert response.headers["Content-Encoding"] == "gzip"
    assert gzip.decompress(content) == b"front"
    assert (
        "Content-Encoding" not in get(server, "/b/a.png", **{"Accept-Encoding": "gzip"})[0].headers
    )

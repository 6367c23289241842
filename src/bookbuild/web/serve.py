"""Serve built pages from this machine, as a host would: below a base path, compressed."""

import contextlib
import gzip
from collections.abc import Iterator
from functools import lru_cache, partial
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from urllib.parse import unquote, urlsplit

TYPES = {
    ".html": "text/html; charset=utf-8",
    ".css": "text/css; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".json": "application/json",
    ".svg": "image/svg+xml",
    ".png": "image/png",
    ".webp": "image/webp",
    ".woff2": "font/woff2",
    ".txt": "text/plain; charset=utf-8",
    ".ipynb": "application/x-ipynb+json",
}
COMPRESSED = {".html", ".css", ".js", ".json", ".svg", ".ipynb"}


@lru_cache(256)  # every page asks for the same scripts and styles
def _compressed(content: bytes) -> bytes:
    return gzip.compress(content, 6, mtime=0)


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def __init__(self, *arguments: object, folder: Path, base: str) -> None:
        self.folder, self.base = folder, base
        super().__init__(*arguments)  # type: ignore[arg-type]

    def do_GET(self) -> None:
        path = unquote(urlsplit(self.path).path)
        target = self._file(path)
        if target is None:
            self._send(404, self.folder / "404.html")
        elif target.is_dir():
            if path.endswith("/"):
                self._send(200, target / "index.html")
            else:
                self._redirect(f"{path}/")
        else:
            self._send(200, target)

    def do_HEAD(self) -> None:
        self.do_GET()

    def _file(self, path: str) -> Path | None:
        if path in ("/", self.base):
            return self.folder if not self.base else None
        if not path.startswith(f"{self.base}/"):
            return None
        target = (self.folder / path[len(self.base) + 1 :]).resolve()
        inside = target.is_relative_to(self.folder.resolve())
        return target if inside and target.exists() else None

    def _redirect(self, where: str) -> None:
        self.send_response(301)
        self.send_header("Location", where)
        self.send_header("Content-Length", "0")
        self.end_headers()

    def _send(self, status: int, path: Path) -> None:
        if not path.is_file():
            status, content = 404, b"not found"
        else:
            content = path.read_bytes()
        self.send_response(status)
        self.send_header("Content-Type", TYPES.get(path.suffix, "application/octet-stream"))
        self.send_header("Cache-Control", "max-age=600")
        if path.suffix in COMPRESSED and "gzip" in self.headers.get("Accept-Encoding", ""):
            content = _compressed(content)
            self.send_header("Content-Encoding", "gzip")
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(content)

    def log_message(self, format: str, *arguments: object) -> None:  # noqa: A002
        """Say nothing: the reader looks at the page."""


def make_server(folder: Path, base: str = "", port: int = 0) -> ThreadingHTTPServer:
    """A server for this machine alone; port 0 takes any free one."""
    handler = partial(_Handler, folder=folder, base=base)
    return ThreadingHTTPServer(("127.0.0.1", port), handler)


@contextlib.contextmanager
def serving(folder: Path, base: str = "") -> Iterator[str]:
    """The address of the front page's folder while the context lasts, without a closing slash."""
    server = make_server(folder, base)
    thread = Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_address[1]}{base}"
    finally:
        server.shutdown()
        server.server_close()
        thread.join()

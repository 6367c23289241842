"""``python -m bookbuild.web build | serve | audit``."""

import argparse
import os
import sys
import time
from collections.abc import Sequence
from pathlib import Path

from bookbuild.book import ROOT, BookError
from bookbuild.web.build import build


def main(argv: Sequence[str], root: Path = ROOT) -> int:
    """Run one command; the exit status is 1 when the pages can't be made or aren't good enough."""
    parser = argparse.ArgumentParser(prog="python -m bookbuild.web", description=__doc__)
    commands = parser.add_subparsers(dest="command", required=True)
    for name, text in (
        ("build", "write the pages"),
        ("serve", "write the pages and show them on this machine"),
        ("audit", "write the pages, and have Lighthouse judge them"),
    ):
        command = commands.add_parser(name, help=text)
        command.add_argument("--out", type=Path, default=root / "_build" / "html")
        command.add_argument(
            "--base",
            default=os.environ.get("BASE_URL", ""),
            help="path below which a host will have the pages, as /name (or BASE_URL)",
        )
        if name == "serve":
            command.add_argument("--port", type=int, default=8000)
    arguments = parser.parse_args(argv)
    try:
        return _run(arguments, root)
    except BookError as error:
        print(error, file=sys.stderr)
        return 1


def _run(arguments: argparse.Namespace, root: Path) -> int:
    start = time.perf_counter()
    pages = build(root, arguments.out, arguments.base)
    took = time.perf_counter() - start
    print(f"{pages} pages in {arguments.out}, built in {took:.1f} s")
    if arguments.command == "serve":
        _serve(arguments.out, arguments.base.rstrip("/"), arguments.port)
    if arguments.command == "audit":
        from bookbuild.web.audit import audit

        return audit(root, arguments.out, arguments.base.rstrip("/"), took)
    return 0


def _serve(folder: Path, base: str, port: int) -> None:
    from bookbuild.web.serve import make_server

    try:
        server = make_server(folder, base, port)
    except OSError:
        server = make_server(folder, base)
    print(f"http://127.0.0.1:{server.server_address[1]}{base}/  (stop with Ctrl+C)", flush=True)
    try:
        server.serve_forever()
    except KeyboardInterrupt:
        server.server_close()


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

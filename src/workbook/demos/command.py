"""``python -m paged_attention demo NAME``: the command that this package adds to the engine's."""

import argparse
import contextlib
import json
import sys
from pathlib import Path

from paged_attention.errors import PagedAttentionError
from workbook.demos import NAMES, load_demo
from workbook.demos.base import Demo, Result
from workbook.demos.implementation import Implementation, finished, from_file

HELP = "run one of the book's demos"


def add_options(parser: argparse.ArgumentParser) -> None:
    """One command a demo, each with ``--json`` and ``--impl`` beside its own options."""
    demos = parser.add_subparsers(dest="demo", required=True)
    for name in NAMES:
        demo = load_demo(name)
        sub = demos.add_parser(name, help=demo.about, description=demo.about)
        sub.add_argument("--json", action="store_true", help="print the result as one line of JSON")
        sub.add_argument("--impl", type=Path, metavar="FILE.py", help="use your own classes")
        demo.add_options(sub)


def run(args: argparse.Namespace) -> int:
    """Run the demo that ``args`` names and print its result; returns the exit code."""
    demo = load_demo(args.demo)
    impl: Implementation | None = None
    try:
        impl = from_file(args.impl) if args.impl is not None else finished()
        result = _result(demo, args, impl)
    except Exception as error:
        blame = impl.blame(error) if impl is not None else None
        if blame is None and not isinstance(error, PagedAttentionError | ValueError):
            raise
        print(f"demo {args.demo} stopped: {blame or error}", file=sys.stderr)
        return 1
    print(json.dumps(result, ensure_ascii=False) if args.json else demo.text(result))
    return 0


def _result(demo: Demo, args: argparse.Namespace, impl: Implementation) -> Result:
    """The demo's result; with ``--json`` nothing else may come out on stdout."""
    with contextlib.redirect_stdout(sys.stderr) if args.json else contextlib.nullcontext():
        return demo.run(args, impl)

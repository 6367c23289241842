"""``python -m workbook board FOLDER``: the table once, or a page that keeps itself up to date."""

import argparse
import asyncio
import sys
from pathlib import Path

from paged_attention.server.sockets import AddressTaken, bound
from workbook.classroom.board import read_board
from workbook.classroom.table import table

HELP = "show a class's board: who has passed what, and what to explain next"


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add the command's options to ``parser``."""
    parser.add_argument(
        "folder", type=Path, metavar="FOLDER", help="what PAGED_ATTENTION_BOARD names for the class"
    )
    parser.add_argument("chapters", nargs="*", metavar="NN", help="only these chapters' exercises")
    parser.add_argument("--serve", action="store_true", help="as a page, for this machine alone")
    parser.add_argument(
        "--port",
        type=_port,
        metavar="N",
        default=8010,
        help="of that page; 0 takes a free one (%(default)s)",
    )


def _port(text: str) -> int:
    if not text.isdecimal() or int(text) > 65535:
        raise argparse.ArgumentTypeError(f"a number up to 65535, not {text}")
    return int(text)


def run(args: argparse.Namespace) -> int:
    """Print the board, or serve it until Ctrl-C; returns the exit code."""
    chapters = [number.zfill(2) for number in args.chapters]
    try:
        board = read_board(args.folder, chapters)
        if not args.serve:
            print(table(board))
            return 0
        sockets = bound("127.0.0.1", args.port)
    except AddressTaken as error:
        print(f"No page: {error.args[-1]}.", file=sys.stderr)
        return 1
    except OSError as error:
        print(
            f"No board: {args.folder} can't be read ({error.strerror}). Name the folder that "
            "PAGED_ATTENTION_BOARD is in the learners' notebooks.",
            file=sys.stderr,
        )
        return 1
    from workbook.classroom.serve import serve

    asyncio.run(serve(args.folder, chapters, sockets))
    return 0

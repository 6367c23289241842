"""``python -m workbook board``: what a teacher runs beside the chapters."""

import argparse
import io
import sys
from collections.abc import Sequence

from workbook.classroom import command as board


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command line ``argv``; returns the exit code, 0 when all went well."""
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors="replace")  # a name may have what the terminal can't show
    parser = argparse.ArgumentParser(prog="python -m workbook", description=__doc__)
    commands = parser.add_subparsers(dest="command", required=True)
    board.add_options(commands.add_parser("board", help=board.HELP))
    args = parser.parse_args(argv)
    try:
        return board.run(args)
    except KeyboardInterrupt:
        print("\nstopped", file=sys.stderr)
        return 130


if __name__ == "__main__":
    sys.exit(main())

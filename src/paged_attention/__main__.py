"""``python -m paged_attention``: set up the model, or run a command that another package adds.

Only ``model`` uses the network, and only while the model is not on this machine.
"""

import argparse
import io
import sys
from collections.abc import Sequence

from paged_attention.commands import commands


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command line ``argv``; returns the exit code, 0 when all went well."""
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors="replace")  # a model may write what the terminal can't
    parser = argparse.ArgumentParser(prog="python -m paged_attention", description=__doc__)
    known = commands()
    subparsers = parser.add_subparsers(dest="command", required=True)
    for name, command in known.items():
        command.add_options(subparsers.add_parser(name, help=command.HELP))
    args = parser.parse_args(argv)
    try:
        return known[args.command].run(args)
    except KeyboardInterrupt:
        print("\nstopped", file=sys.stderr)
        return 130


if __name__ == "__main__":
    sys.exit(main())

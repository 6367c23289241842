"""``python -m bookbuild grade EDITION SUBMISSIONS``: what it takes.

What it needs is imported when it runs: readers have other commands, and not all of that.
"""

import argparse
import sys
from pathlib import Path

from bookbuild.grading.limits import Limits

HELP = "grade a class's notebooks by the checks; no sandbox: it runs what learners wrote"


def add_grade_command(commands: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    """Describe ``grade`` to the parser."""
    usual = Limits()
    grade = commands.add_parser("grade", help=HELP, description=HELP)
    grade.add_argument("edition", type=Path, metavar="EDITION", help="the folder that you gave out")
    grade.add_argument(
        "submissions", type=Path, nargs="+", metavar="SUBMISSION",
        help="a notebook, or a folder with notebooks in it or in its folders",
    )  # fmt: skip
    grade.add_argument("--out", type=Path, metavar="FILE", help="write the table there")
    grade.add_argument(
        "--jobs", type=_positive, default=2, metavar="N", help="at once (%(default)s)"
    )
    grade.add_argument(
        "--seconds", type=_positive, default=usual.wall, metavar="S",
        help="that one exercise may take (%(default)g)",
    )  # fmt: skip
    grade.add_argument(
        "--memory", type=_positive, default=usual.memory // 1_000_000, metavar="MB",
        help="that one exercise may take, where the system can say so (%(default)s)",
    )  # fmt: skip


def _positive(text: str) -> int:
    """A whole number above 0; argparse says so of what isn't."""
    if not text.isdecimal() or int(text) < 1:
        raise argparse.ArgumentTypeError(f"a whole number above 0, not {text}")
    return int(text)


def grade(arguments: argparse.Namespace) -> int:
    """Grade everything, print or write the table; returns the exit code.

    Raises ``BookError`` where there is nothing to grade.
    """
    from bookbuild.grading.batch import grade_all

    limits = Limits(wall=arguments.seconds, memory=arguments.memory * 1_000_000)
    try:
        grade_all(arguments.edition, arguments.submissions, arguments.out, limits, arguments.jobs)
    except KeyboardInterrupt:
        print(f"\nstopped{'; no table was written' if arguments.out else ''}", file=sys.stderr)
        return 130
    return 0

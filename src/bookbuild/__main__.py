"""``python -m bookbuild build | check | lab | edition | fresh | publish | grade``."""

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

from bookbuild.book import ROOT, BookError
from bookbuild.editions.commands import EDITION_COMMANDS, add_edition_commands
from bookbuild.grading.command import add_grade_command, grade


def main(argv: Sequence[str], root: Path = ROOT) -> int:
    """Run one command; the exit status is 1 when something of the book needs mending."""
    arguments, rest = _parsed(argv)
    try:
        return _run(arguments, rest, root)
    except BookError as error:
        print(error, file=sys.stderr)
        return 1


def _parsed(argv: Sequence[str]) -> tuple[argparse.Namespace, list[str]]:
    parser = argparse.ArgumentParser(
        prog="python -m bookbuild", description="How the book is made."
    )
    commands = parser.add_subparsers(dest="command", required=True)
    build = commands.add_parser("build", help="execute the chapters whose text changed")
    build.add_argument("chapters", nargs="*", metavar="NN")
    build.add_argument("--force", action="store_true", help="execute them even if nothing changed")
    check = commands.add_parser("check", help="compare texts with notebooks, and check the rules")
    check.add_argument("chapters", nargs="*", metavar="NN")
    commands.add_parser("lab", help="open the book; arguments go on to jupyter lab")
    add_edition_commands(commands)
    add_grade_command(commands)
    arguments, rest = parser.parse_known_args(argv)
    if "chapters" in arguments:  # argparse takes no more of them after an option
        arguments.chapters += [word for word in rest if not word.startswith("-")]
        rest = [word for word in rest if word.startswith("-")]
    if rest and arguments.command != "lab":
        parser.error(f"unknown arguments: {' '.join(rest)}")
    return arguments, rest


def _run(arguments: argparse.Namespace, rest: list[str], root: Path) -> int:
    # Imported where needed: readers have `lab` and `fresh`, but not jupytext.
    if arguments.command == "lab":
        from bookbuild.lab import open_lab

        open_lab(root, rest)
        return 0
    if arguments.command == "grade":
        return grade(arguments)
    if arguments.command in EDITION_COMMANDS:
        EDITION_COMMANDS[arguments.command](arguments, root)
        return 0
    from bookbuild.book import chapters

    selected = chapters(root, arguments.chapters)
    if arguments.command == "build":
        from bookbuild.build import build_all

        outcomes = build_all(selected, root, force=arguments.force)
        return int(any(outcome.problem for outcome in outcomes))
    from bookbuild.check import check_all

    return check_all(selected, root)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

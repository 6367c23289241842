"""The commands about editions: make one, publish it, and lay a fresh copy beside a learner's.

What they need is imported when one runs: readers have ``fresh``, but not jupytext.
"""

import argparse
from collections.abc import Callable
from datetime import datetime
from pathlib import Path


def add_edition_commands(commands: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    """Describe ``edition``, ``publish`` and ``fresh`` to the parser."""
    edition = commands.add_parser("edition", help="write a set of notebooks for a class")
    edition.add_argument("kind", choices=("student", "instructor", "nbgrader"))
    edition.add_argument("chapters", nargs="*", metavar="NN", help="all when none is named")
    edition.add_argument("--out", type=Path, required=True, metavar="DIR", help="a new folder")
    publish = commands.add_parser("publish", help="publish an edition; nothing there ever changes")
    publish.add_argument("edition", type=Path, help="the edition's folder")
    publish.add_argument("where", type=Path, help="a folder, or a git repository on this machine")
    today = f"workshop-{datetime.now():%Y-%m-%d}"
    publish.add_argument("--branch", default=today, help=f"in a repository; now {today}")
    publish.add_argument(
        "--correct", action="store_true", help="publish what changed as new files beside the old"
    )
    fresh = commands.add_parser("fresh", help="lay a fresh copy of a chapter beside your own")
    fresh.add_argument("chapter", metavar="NN")
    fresh.add_argument("--folder", type=Path, default=Path(), help="an edition; this folder if not")


def _edition(arguments: argparse.Namespace, root: Path) -> None:
    from bookbuild.book import chapters
    from bookbuild.editions.folder import lay
    from bookbuild.editions.student import student

    book = chapters(root, arguments.chapters)
    if arguments.kind == "student":
        files = student(book)
    elif arguments.kind == "nbgrader":
        from bookbuild.grading.nbgrader import course

        files = course(book)
    else:
        from bookbuild.editions.instructor import instructor

        files = instructor(book, root)
    written = lay(files, arguments.out)
    print(f"{arguments.out}: {len(book)} chapters, {len(written)} new files of {len(files)}")


def _publish(arguments: argparse.Namespace, _: Path) -> None:
    from bookbuild.editions.corrected import word
    from bookbuild.editions.places import BRANCH, place
    from bookbuild.editions.publish import additions, read

    where = place(arguments.where, arguments.branch)
    branch = BRANCH.fullmatch(arguments.branch)
    first_day = branch[1] if branch else ""
    correction = word(datetime.now(), first_day) if arguments.correct else None
    new = additions(where.published(), read(arguments.edition), correction)
    where.add(new, correction.capitalize() if correction else "Publish an edition")
    for name in sorted(new):
        print(f"published {name}")
    print(f"{len(new)} new files; what was there is as it was.{where.next_step}")


def _fresh(arguments: argparse.Namespace, root: Path) -> None:
    from bookbuild.editions.fresh import fresh

    print(
        f"{fresh(arguments.chapter, root, arguments.folder)} is a fresh copy; yours is untouched."
    )


EDITION_COMMANDS: dict[str, Callable[[argparse.Namespace, Path], None]] = {
    "edition": _edition,
    "publish": _publish,
    "fresh": _fresh,
}

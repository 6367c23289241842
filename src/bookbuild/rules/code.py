"""What a code cell may look like."""

import re
from collections.abc import Iterator

from bookbuild.rules.page import Page, Problem, tags

LONGEST = 25
EXECUTION_TAGS = {"raises-exception", "nbval-skip", "nbval-ignore-output", "nbval-raises-exception"}
KNOWN_TAGS = {
    *EXECUTION_TAGS,
    *("stub", "check", "solution", "answer", "break", "measured", "needs-torch"),
    *("hide-input", "hide-output", "hide-cell", "remove-input", "remove-output", "remove-cell"),
}
COMMENT_MARKERS = re.compile(
    r"#\s*(NBVAL_SKIP|NBVAL_IGNORE_OUTPUT|NBVAL_RAISES_EXCEPTION|PYTEST_VALIDATE_IGNORE_OUTPUT)"
)
ABSOLUTE_PATH = re.compile(r"""["'](/(?!/)\w[\w.-]*/?|~/|[A-Za-z]:[\\/])""")


def short_cells(page: Page) -> Iterator[Problem]:
    """A cell fits a screen together with what is said about it."""
    for at, cell in page.code():
        lines = len(cell.source.splitlines())
        if lines > LONGEST:
            yield page.problem(f"{lines} lines of code; split it, {LONGEST} are the most", at)


def known_tags(page: Page) -> Iterator[Problem]:
    """A misspelt tag would do nothing, silently."""
    for at, cell in enumerate(page.cells):
        for tag in tags(cell):
            if tag not in KNOWN_TAGS:
                known = ", ".join(sorted(KNOWN_TAGS))
                yield page.problem(f"nothing knows the tag {tag!r}; there are {known}", at)


def reasons(page: Page) -> Iterator[Problem]:
    """Whoever takes a cell out of the comparison says why, beside the tag."""
    for at, cell in page.code():
        if marker := COMMENT_MARKERS.search(cell.source):
            tag = marker[1].lower().replace("_", "-")
            yield page.problem(
                f"use the tag {tag!r} with a reason, not the comment {marker[0]!r}", at
            )
        for tag in sorted(EXECUTION_TAGS & set(tags(cell))):
            if not str(cell.metadata.get("reason", "")).strip():
                yield page.problem(
                    f"the tag {tag!r} needs its reason: add `:reason: why` below it", at
                )


def no_absolute_paths(page: Page) -> Iterator[Problem]:
    """A path of one machine is nowhere on another."""
    for at, cell in page.code():
        if path := ABSOLUTE_PATH.search(cell.source):
            yield page.problem(f"absolute path {path[1]!r}; write it relative to chapters/", at)


def no_fetching(page: Page) -> Iterator[Problem]:
    """After set-up nothing is fetched."""
    for at, cell in page.code():
        if address := re.search(r"https?://\S*", cell.source):
            yield page.problem(
                f"{address[0]!r} in code: the book works offline; "
                "put the data into assets/, and a link into the prose",
                at,
            )

"""Check the book without running it: texts and notebooks agree, and chapters keep their rules."""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from pathlib import Path

from bookbuild.book import BookError, Chapter, strays
from bookbuild.build import read_notebook
from bookbuild.dress import dressed
from bookbuild.rules import OUTPUT_RULES, SOURCE_RULES, Page, Problem
from bookbuild.rules.page import tags
from bookbuild.sync import difference
from bookbuild.text import read_text, runs_in_browser


def check(chapter: Chapter) -> Iterator[Problem]:
    """Everything to mend in one chapter. Outputs are looked at once text and notebook agree."""
    text = read_text(chapter)
    page = Page(chapter.name, chapter.number, text.cells)
    notebook = read_notebook(chapter.notebook) if chapter.notebook.exists() else None
    apart = "there is no notebook" if notebook is None else difference(dressed(chapter), notebook)
    if apart is not None:
        yield page.problem(f"{apart}; run `make notebooks CHAPTERS={chapter.number}`")
    for rule in SOURCE_RULES:
        yield from rule(page)
    if not runs_in_browser(chapter) and any("needs-torch" in tags(cell) for cell in text.cells):
        yield page.problem(
            "cells are tagged needs-torch, which only a page that runs looks at; "
            "say runs-in-browser: true in the front matter, or take the tags out"
        )
    if notebook is not None and apart is None:
        executed = Page(chapter.name, chapter.number, notebook.cells)
        for rule in OUTPUT_RULES:
            yield from rule(executed)


def repeated_ids(chapters: Sequence[Chapter]) -> Iterator[Problem]:
    """Cell ids that two notebooks, or two cells of one, share."""
    holders: dict[str, list[str]] = defaultdict(list)
    for chapter in chapters:
        if chapter.notebook.exists():
            for cell in read_notebook(chapter.notebook).cells:
                holders[cell.id].append(chapter.name)
    for name, where in holders.items():
        if len(where) > 1:
            message = (
                f"{len(where)} cells have the id {name}; build {', '.join(sorted(set(where)))}"
            )
            yield Problem(where[0], "", message)


def check_all(chapters: Sequence[Chapter], root: Path) -> int:
    """Print every problem, then one line that counts them. Returns the exit status."""
    problems: list[Problem] = []
    for chapter in chapters:
        try:
            problems += check(chapter)
        except BookError as error:
            problems.append(Problem(chapter.name, "", str(error)))
    problems += repeated_ids(chapters)
    for stray in strays(root):
        message = f"no text makes it; remove it, or write chapters/source/{stray.stem}.md"
        problems.append(Problem(stray.name, "", message))
    for problem in problems:
        print(problem)
    print(f"{len(chapters)} chapters checked, {len(problems)} problems")
    return int(bool(problems))

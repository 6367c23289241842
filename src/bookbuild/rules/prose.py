"""How much a chapter says, and in which order."""

import re
from collections.abc import Iterator

from bookbuild.rules.outputs import SHORTEST_ALT
from bookbuild.rules.page import Page, Problem

FEWEST, MOST = 1_400, 3_000
MOST_WITH_PARTS = 4_200  # those that a first reading may skip
# Chapter 0 is half as long as the others.
FEWEST_IN_CHAPTER_0, MOST_IN_CHAPTER_0 = 700, 2_200
CLOSING_SECTIONS = [
    "Break it",
    "Measure it",
    "The finished version",
    "What to take away",
    "Check your understanding",
    "Further reading",
]


def word_count(page: Page) -> int:
    """Words of prose: everything in markdown but code, formulas' insides, markup, and what a first
    reading may leave folded: hints, and the stories of *It happened*.
    """
    return sum(_words(cell.source) for _, cell in page.prose())


def _words(markdown: str) -> int:
    text = re.sub(r"<!--.*?-->", " ", markdown, flags=re.S)
    text = re.sub(r"^:::\{(?:dropdown\} It happened|hint\}).*?^:::$", " ", text, flags=re.M | re.S)
    text = re.sub(r"^\s*```(?!\{)[^\n]*\n.*?^\s*```\s*$", " ", text, flags=re.M | re.S)
    text = re.sub(r"^\s*(:{3,}|`{3,})\{[\w-]+\}", " ", text, flags=re.M)
    text = re.sub(r"^\s*:[\w-]+:.*$|^\(\S+\)=$", " ", text, flags=re.M)
    text = re.sub(r"\$\$.*?\$\$|\$[^$\n]+\$", " formula ", text, flags=re.S)
    text = re.sub(r"\]\([^)]*\)", "] ", text)
    return sum(any(letter.isalnum() for letter in word) for word in text.split())


def _skipped(page: Page) -> int:
    """Words of sections that begin by saying that a first reading may skip them."""
    words, skip = 0, False
    for _, cell in page.prose():
        if cell.source.startswith("## "):
            skip = "a first reading may skip it" in cell.source
        words += _words(cell.source) if skip else 0
    return words


def length(page: Page) -> Iterator[Problem]:
    """A chapter takes one sitting, and each part that a first reading may skip a short one more."""
    fewest, most = FEWEST, MOST
    if page.number == "00":
        fewest, most = FEWEST_IN_CHAPTER_0, MOST_IN_CHAPTER_0
    words = word_count(page)
    if words > MOST_WITH_PARTS:
        yield page.problem(
            f"{words:,} words of prose; a chapter has {MOST_WITH_PARTS:,} at most with its parts "
            "that a first reading may skip"
        )
    words -= _skipped(page)
    if not fewest <= words <= most:
        yield page.problem(f"{words:,} words of prose; a chapter has {fewest:,} to {most:,}")


def sections(page: Page) -> Iterator[Problem]:
    """Every chapter closes with the same sections in the same order."""
    headings = [
        heading.strip()
        for _, cell in page.prose()
        for heading in re.findall(r"^## (.+)$", cell.source, flags=re.M)
    ]
    found = [heading for heading in headings if heading in CLOSING_SECTIONS]
    missing = [heading for heading in CLOSING_SECTIONS if heading not in found]
    if missing and page.number != "00":
        yield page.problem(f"without the section {', '.join(f'`## {name}`' for name in missing)}")
    if found != [heading for heading in CLOSING_SECTIONS if heading in found]:
        yield page.problem(f"closing sections come as {found}; the order is {CLOSING_SECTIONS}")


def described_pictures(page: Page) -> Iterator[Problem]:
    """A picture in the prose has alt text, too."""
    for at, cell in page.prose():
        for alt in re.findall(r"!\[([^\]]*)\]\(", cell.source):
            if len(alt) < SHORTEST_ALT:
                yield page.problem(
                    f"a picture whose alt text is {alt!r}; tell in {SHORTEST_ALT} characters or "
                    "more what it shows",
                    at,
                )

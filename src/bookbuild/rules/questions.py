"""Questions that a web page asks: guesses that stand alone, and multiple choice that reacts."""

import re
from collections.abc import Iterator

from bookbuild.rules.page import Page, Problem

FEWEST = 2
GUESS = re.compile(r"^guess = None(?P<comment> *#.*)?$", re.MULTILINE)
ANSWER = re.compile(r"^:{3,}\{dropdown\} Answer *\n\s*", re.MULTILINE)
ITEM = re.compile(r"^- \(([a-z])\) ", re.MULTILINE)
RIGHT = re.compile(r"\(([a-z])\)")


def multiple_choice(page: Page) -> Iterator[Problem]:
    """Two questions or more, each with a list of letters and an answer that begins with one."""
    found = 0
    for at, cell in page.prose():
        before, *answers = ANSWER.split(cell.source)
        for answer in answers:
            right = RIGHT.match(answer)
            found += 1
            if right is None or right[1] not in ITEM.findall(before):
                yield page.problem(
                    "the answer doesn't begin with a letter of its list, as in `(b). Not (a): …`; "
                    "the list's items begin `- (a) …`",
                    at,
                )
            before = answer
    if found < FEWEST:
        yield page.problem(
            f"{found} multiple-choice questions; a chapter has {FEWEST} or more "
            "(CONTRIBUTING, A question)"
        )


def guesses(page: Page) -> Iterator[Problem]:
    """The words after a guess are all that a page shows of it, so they are a question."""
    for at, cell in page.code():
        for guess in GUESS.finditer(cell.source):
            if "?" not in (guess["comment"] or ""):
                yield page.problem("write what is to be guessed as a question, `# How many …?`", at)

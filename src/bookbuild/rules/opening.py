"""How a chapter opens: label, title, one-sentence claim, minutes."""

import re
from collections.abc import Iterator

from bookbuild.rules.exercises import exercises
from bookbuild.rules.page import Page, Problem

MINUTES = re.compile(
    r"^\*About (\d+) minutes: (\d+) to read and run, (\d+) for the exercises\."
    r"( Needs (?:chapters?|nothing)[^*]*\.)?\*$",
    re.M,
)


def opening(page: Page) -> Iterator[Problem]:
    """The first cell names the chapter, claims one thing, and says what it will take."""
    if not page.cells or page.cells[0].cell_type != "markdown":
        yield page.problem("the first cell must be the chapter's title in markdown")
        return
    lines = [line for line in page.cells[0].source.splitlines() if line.strip()]
    label, number = f"(ch-{page.number})=", str(int(page.number))
    if not lines or lines[0].strip() != label:
        yield page.problem(f"the chapter starts with the label {label} on a line of its own", 0)
    if len(lines) < 2 or not re.match(rf"# {number} · \S", lines[1]):
        yield page.problem(f"after the label comes the title, `# {number} · …`", 0)
    if len(lines) < 3 or not re.match(r"> \S.*", lines[2]):
        yield page.problem("after the title comes the claim, one sentence, as `> …`", 0)


def minutes(page: Page) -> Iterator[Problem]:
    """The minutes add up, and those of the exercises are those that the exercises give."""
    line = MINUTES.search(page.cells[0].source) if page.cells else None
    if line is None:
        yield page.problem(
            "the first cell needs the line `*About 67 minutes: 45 to read and run, "
            "22 for the exercises. Needs chapters 0 and 1.*`",
            0 if page.cells else None,
        )
        return
    total, reading, practice = (int(line[group]) for group in (1, 2, 3))
    if total != reading + practice:
        yield page.problem(f"{reading} + {practice} minutes are not {total}", 0)
    needed = sum(exercise.minutes for exercise in exercises(page) if not exercise.optional)
    if needed != practice:
        yield page.problem(
            f"the line says {practice} minutes for the exercises, the exercises that are not "
            f"optional say {needed} together",
            0,
        )

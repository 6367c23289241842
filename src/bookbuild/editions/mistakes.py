"""Wrong answers to an exercise and what its check says of each: a table for whoever teaches.

They are the mistakes that the checks know. Each is run as a learner's answer would be.
"""

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Sequence
from itertools import chain, zip_longest
from typing import NamedTuple

from bookbuild.editions.mistake_words import cell, plain, told
from workbook.checks.framework import Exercise
from workbook.checks.framework.report import Report

MOST = 8  # rows of one table; more are not read while a class waits
LINE = re.compile(r" \(line \d+ of your cell\)")  # of the mistake's file here, so of no use


class Row(NamedTuple):
    """One wrong answer: what it does, where the check stops, its ``got`` and ``why``; the code."""

    answer: str
    case: int  # from 1
    title: str
    got: str
    why: str
    code: str


def rows(exercise: Exercise, check: Callable[[object], Report]) -> list[Row]:
    """A row for each known mistake that the check stops, in the order in which they are listed.

    None where this machine can't run the exercise.
    """
    found = []
    for mistake in exercise.mistakes:
        report = check(mistake.wrong)
        if (failure := report.failure) is not None:
            title = report.titles[report.passed]
            got = LINE.sub("", failure.got)
            answer, code = told(exercise, mistake)
            found.append(Row(answer, report.passed + 1, title, got, failure.why, code))
    return _named(found, exercise.stub)


def _named(found: list[Row], stub: str) -> list[Row]:
    """No words for those whose words tell nothing: the stub's own name, or the same for several."""
    times = Counter(row.answer for row in found)
    says = {answer for answer, n in times.items() if n == 1 and answer != stub.lower()}
    return [row if row.answer in says else row._replace(answer="") for row in found]


def chosen(found: Sequence[Row], most: int = MOST) -> list[Row]:
    """The likeliest, at most so many, which the check tells apart; in the order of the cases.

    Lists begin with what readers do most. So each case has its first one before any case has its
    second, and no two have the same outcome or the same words.
    """
    by_case: dict[int, list[Row]] = defaultdict(list)
    outcomes, whys = set[tuple[int, str]](), set[str]()
    for row in found:
        outcome = (row.case, row.got)
        if outcome not in outcomes and row.why not in whys:
            by_case[row.case].append(row)
            outcomes.add(outcome)
            whys.add(row.why)
    in_turn = chain.from_iterable(zip_longest(*(by_case[case] for case in sorted(by_case))))
    first = [row for row in in_turn if row is not None][:most]
    return sorted(first, key=lambda row: row.case)


def table(chosen_rows: Sequence[Row], known: int) -> str:
    """The rows in Markdown, and their code in a fold; ``known`` is how many mistakes there are."""
    if not chosen_rows:
        return "*This machine couldn't run the check, so there is no table of wrong answers.*"
    lines = [
        f"**Wrong answers**, {len(chosen_rows)} of the {known} that this check knows.",
        "",
        "| | wrong answer | stops at | the check says | why |",
        "|---|---|---|---|---|",
    ]
    for number, row in enumerate(chosen_rows, 1):
        stops = f"{row.case}, {row.title}"
        answer = row.answer or (f"code {number} below" if row.code else "as *why* says")
        cells = [str(number), answer, *map(plain, (stops, row.got)), cell(row.why)]
        lines.append(f"| {' | '.join(cells)} |")
    return "\n".join([*lines, "", *_codes(chosen_rows)])


def _codes(chosen_rows: Iterable[Row]) -> list[str]:
    lines = [
        ":::{dropdown} Their code",
        "A line with `-` stands in a right solution, one with `+` in its place. Where `Right` or "
        "`right` is used, it is such a solution.",
        "",
    ]
    for number, row in ((at, row) for at, row in enumerate(chosen_rows, 1) if row.code):
        fence = "diff" if row.code.startswith(("-", "+")) else "python"
        lines += [f"*{number}*", "", f"```{fence}", row.code, "```", ""]
    return [*lines, ":::"]

"""What a wrong answer does, in a few words of Markdown, beside its code."""

import re
from typing import Any

from bookbuild.editions.mistake_code import (
    changed_lines,
    is_changed_text,
    one_line,
    only_method,
    parts,
    written_out,
)
from workbook.checks.framework import Exercise
from workbook.checks.framework.mistake import Mistake

LONGEST = 60  # signs of code that a table has room for
LONGEST_CHANGE = 100  # of a line before and after


def told(exercise: Exercise, mistake: Mistake) -> tuple[str, str]:
    """A few words, and the code: lines changed in a right solution, or all of it.

    There may be no words: where the code takes many, or has no name of its own.
    """
    if is_changed_text(mistake.wrong):
        code = changed_lines([exercise.finished, *exercise.also_right], mistake.wrong)
        one_line_each = all("\n" not in text.strip() for pair in mistake.changes for text in pair)
        words = "; ".join(_change(old, new) for old, new in mistake.changes)
        words = words if words and one_line_each else _of_lines(code)
        return words if len(words) <= LONGEST_CHANGE else "", code
    return _words(mistake.wrong), written_out(mistake.wrong)


def cell(text: str) -> str:
    """Markdown for one cell of a table."""
    return " ".join(text.replace("|", r"\|").split())


def plain(text: str) -> str:
    """Text of a program for a cell; no sign of it means markup."""
    return cell(re.sub(r"([\\`*_\[\]{}<>$~#])", r"\\\1", text))


def span(code: str) -> str:
    """Code for a cell."""
    return plain(code) if "`" in code else f"`{cell(code)}`"


def _words(wrong: Any) -> str:
    """The one line that it is, or that makes it wrong; else the name that it was given."""
    if method := only_method(wrong):
        name, body = method
        return f"`{name}`: {_short(body)}" if _short(body) else ""
    given = parts(wrong)
    if len(given) == 1 and given[0][1].startswith("lambda"):
        return _short(given[0][1].partition(": ")[2])
    name = str(getattr(wrong, "__name__", ""))
    if name == "<lambda>":
        return _short(one_line(wrong))
    return re.sub(r"(?<=[a-z])(?=[A-Z])|_", " ", name).lower().strip()


def _short(code: str) -> str:
    return span(code) if code and len(code) <= LONGEST and "\n" not in code else ""


def _change(old: str, new: str) -> str:
    return f"{span(old)} → {span(new)}" if new.strip() else f"without {span(old)}"


def _of_lines(diff: str) -> str:
    """Of a single line that is changed, added or gone; else nothing."""
    match [(line[:1], line[1:].strip()) for line in diff.splitlines()]:
        case [("-", old), ("+", new)]:
            return _change(old, new)
        case [("-", old)]:
            return _change(old, "")
        case [("+", new)]:
            return f"also {span(new)}"
    return ""

"""What a wrong answer does, in a few words and in full, from how it was written down."""

import ast
import difflib
import inspect
import linecache
import re
from collections.abc import Callable
from typing import Any

from workbook.checks.framework import Exercise
from workbook.checks.framework.mistake import Mistake, source_of

LONGEST = 60  # signs of code that a table has room for
NOTE = re.compile(r"  # (?:noqa|type:).*$", re.MULTILINE)  # for a linter, not for a reader
MADE = "<mistake "  # how files of solutions begin that were made by changing a right one


def told(exercise: Exercise, mistake: Mistake) -> tuple[str, str]:
    """A few words of Markdown, and the code: lines changed in a right solution, or all of it.

    There may be no words: where the code takes many, or has no name.
    """
    wrong, changes = mistake.wrong, mistake.changes
    if isinstance(wrong, str) or _file(wrong).startswith(MADE):
        code = _nearest(exercise, wrong if isinstance(wrong, str) else source_of(wrong))
        words = "; ".join(_change(old, new) for old, new in changes) or _of_lines(code)
        short = words and len(words) <= LONGEST + 10 * len(changes)
        return words if short else "", code
    if _name(wrong) == "<lambda>":
        source = _lambda(wrong)
        return (span(source) if len(source) <= LONGEST else ""), source
    words = re.sub(r"(?<=[a-z])(?=[A-Z])|_", " ", _name(wrong)).lower().strip()
    return words, _undecorated(_source(wrong))


def cell(text: str) -> str:
    """Markdown for one cell of a table."""
    return " ".join(text.replace("|", r"\|").split())


def plain(text: str) -> str:
    """Text of a program for a cell; no sign of it means markup."""
    return cell(re.sub(r"([\\`*_\[\]{}<>$~#])", r"\\\1", text))


def span(code: str) -> str:
    """Code for a cell."""
    return plain(code) if "`" in code else f"`{cell(code)}`"


def _change(old: str, new: str) -> str:
    return f"{span(old)} → {span(new)}" if new.strip() else f"without {span(old)}"


def _of_lines(diff: str) -> str:
    """Of a single line that is changed, added or gone; else nothing."""
    lines = diff.splitlines()
    match [(line[:1], line[1:].strip()) for line in lines]:
        case [("-", old), ("+", new)]:
            return _change(old, new)
        case [("-", old)]:
            return _change(old, "")
        case [("+", new)]:
            return f"also {span(new)}"
    return ""


def _nearest(exercise: Exercise, wrong: str) -> str:
    """The lines changed in the nearest right solution; all of it if none is near."""
    new = wrong.strip("\n").splitlines()
    rights = [exercise.finished, *exercise.also_right]
    sources = [right if isinstance(right, str) else _source(right) for right in rights]
    diffs = [
        [line for line in difflib.unified_diff(old.strip("\n").splitlines(), new, n=0, lineterm="")
         if not line.startswith(("---", "+++", "@@"))]
        for old in sources if old
    ]  # fmt: skip
    best = min((diff for diff in diffs if diff), key=len, default=new)
    return "\n".join(best if len(best) < len(new) else new)


def _source(thing: Any) -> str:
    try:
        return source_of(thing)
    except (OSError, TypeError):
        return ""


def _undecorated(source: str) -> str:
    """Without the decorator, which says why it is wrong: the table has that."""
    found = re.search(r"^(?:class|def) ", source, re.MULTILINE)
    return NOTE.sub("", source[found.start() if found else 0 :]).strip("\n")


def _name(thing: Any) -> str:
    return str(getattr(thing, "__name__", None) or type(thing).__name__)


def _file(thing: Any) -> str:
    inner = inspect.unwrap(getattr(thing, "fn", thing))
    if inspect.isclass(inner):
        methods = [each for each in vars(inner).values() if inspect.isfunction(each)]
        return methods[0].__code__.co_filename if methods else ""
    return inner.__code__.co_filename if inspect.isfunction(inner) else ""


def _lambda(thing: Callable[..., Any]) -> str:
    """The words of a lambda: the first on its line."""
    code = thing.__code__
    lines = linecache.getlines(code.co_filename)
    for node in ast.walk(ast.parse("".join(lines))):
        if isinstance(node, ast.Lambda) and node.lineno == code.co_firstlineno:
            return ast.unparse(node.body)
    return ""

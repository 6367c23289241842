"""What lies in a board's folder: a file a learner, one JSON object a line.

Both sides distrust it. Whoever writes follows no link and never fails; whoever reads takes nothing
that isn't a plain file of plausible lines, since any learner may put anything there.
"""

import json
import os
import stat
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from workbook.checks.framework.report import Report

SUFFIX = ".jsonl"
LONGEST_NAME = 40
_LONGEST = 200  # signs of a label or a title
_MOST_CASES = 1000
_MOST_BYTES = 1_000_000  # of a file; 27 learners with 50 exercises write 10,000 each
_NO_LINK = getattr(os, "O_NOFOLLOW", 0)
_NO_WAIT = getattr(os, "O_NONBLOCK", 0)  # a pipe without a writer would hold us for ever


@dataclass(frozen=True)
class Line:
    """One line: ``who`` is there, and if ``ex`` is given, how a check of that exercise went."""

    who: str
    ex: str | None = None
    passed: int = 0
    of: int = 0
    todo: bool = False  # the check met a stub
    stop: str | None = None  # title of the case that failed
    t: int = 0  # seconds since 1970; ``append`` sets it

    @classmethod
    def of_check(cls, who: str, label: str, report: Report) -> "Line":
        """The line of one check: of the report it keeps counts and one title."""
        stop = report.titles[report.passed] if report.failure else None
        return cls(who, label, report.passed, len(report.titles), report.todo, stop)


def append(path: Path, line: Line) -> bool:
    """Add ``line`` with the present time to the file; whether it got there. Never raises."""
    told = {"t": round(time.time()), "who": line.who}
    if line.ex is not None:
        told |= {name: value for name, value in vars(line).items() if name not in told}
    data = f"{json.dumps(told, ensure_ascii=False)}\n".encode("utf-8", "replace")
    try:
        file = os.open(path, os.O_RDWR | os.O_APPEND | os.O_CREAT | _NO_LINK | _NO_WAIT, 0o644)
        try:
            start = _start(file)
            return os.write(file, start + data) == len(start + data)
        finally:
            os.close(file)
    except OSError:
        return False


def _start(file: int) -> bytes:
    """What goes before a line: a line's end, if a full disk left the last one without. A new file
    is made readable for the teacher, whatever the learner's account does with new files.
    """
    size = os.lseek(file, 0, os.SEEK_END)
    if size == 0:
        if hasattr(os, "fchmod") and stat.S_ISREG(os.fstat(file).st_mode):
            os.fchmod(file, 0o644)
        return b""
    os.lseek(file, size - 1, os.SEEK_SET)
    return b"" if os.read(file, 1) == b"\n" else b"\n"


def lines(path: Path) -> Iterator[Line]:
    """The plausible lines of one file; everything else in it is passed over."""
    for raw in _content(path).split(b"\n"):
        try:
            told = json.loads(raw)
        except (ValueError, RecursionError):
            continue
        if isinstance(told, dict) and (line := _plausible(told)) is not None:
            yield line


def _content(path: Path) -> bytes:
    """The file's beginning; nothing if it is a link, a pipe, or can't be read."""
    try:
        file = os.open(path, os.O_RDONLY | _NO_LINK | _NO_WAIT)
    except OSError:
        return b""
    try:
        if not stat.S_ISREG(os.fstat(file).st_mode):
            return b""
        return os.read(file, _MOST_BYTES)  # of a plain file it comes in one piece
    except OSError:
        return b""
    finally:
        os.close(file)


def _plausible(told: dict[str, Any]) -> Line | None:
    who, when = _text(told.get("who"), LONGEST_NAME), _count(told.get("t"), 10**11)
    if not who or when is None:
        return None
    if "ex" not in told:
        return Line(who, t=when)
    ex = _text(told["ex"], _LONGEST)
    of = _count(told.get("of"), _MOST_CASES)
    passed = _count(told.get("passed"), of or 0)
    if not ex or not of or passed is None:
        return None
    stop = _text(told.get("stop"), _LONGEST)
    return Line(who, ex, passed, of, told.get("todo") is True, stop, when)


def _text(value: Any, longest: int) -> str | None:
    """A text that no terminal takes for a command, cut to its longest."""
    if not isinstance(value, str):
        return None
    return "".join(sign if sign.isprintable() else "\N{REPLACEMENT CHARACTER}" for sign in value)[
        :longest
    ].strip()


def _count(value: Any, most: int) -> int | None:
    return value if type(value) is int and 0 <= value <= most else None

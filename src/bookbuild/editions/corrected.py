"""A corrected notebook is a new file: ``02_the_block_allocator (corrected 14.30).ipynb``.

The time has a point, since a file's name may hold no colon on Windows: a branch with one couldn't
be checked out there. After the workshop's first day, the date stands before it. A corrected
solution is ``ex-02-1-corrected-14.30.py``, without blanks, since ``%run`` reads its name.
"""

import re
from collections.abc import Iterable
from datetime import datetime
from typing import NamedTuple

CORRECTED = re.compile(
    r"(?P<stem>.+?)[ -]\(?corrected[ -](?:(?P<day>\d{4}-\d\d-\d\d)[ -])?(?P<time>\d\d\.\d\d)\)?"
    r"(?P<ending>\.\w+)"
)


class Version(NamedTuple):
    """Of which file a file is an edition, and which: both words are empty for the first one."""

    of: str
    day: str
    time: str


def version(name: str) -> Version:
    """What a file's name says; a name that tells of no correction is a first edition."""
    found = CORRECTED.fullmatch(name)
    if not found:
        return Version(name, "", "")
    return Version(found["stem"] + found["ending"], found["day"] or "", found["time"])


def newest_first(names: Iterable[str]) -> list[str]:
    """Editions of one file, the last correction first and the first edition last."""
    return sorted(names, key=version, reverse=True)


def word(now: datetime, first_day: str) -> str:
    """``"corrected 14.30"``; ``first_day`` is the workshop's, ``"2026-12-01"``."""
    day = now.strftime("%Y-%m-%d")
    return f"corrected {'' if day == first_day else f'{day} '}{now.strftime('%H.%M')}"


def renamed(name: str, correction: str) -> str:
    """The name of the file's correction."""
    stem, dot, ending = name.rpartition(".")
    added = f" ({correction})" if ending == "ipynb" else f"-{correction.replace(' ', '-')}"
    return f"{stem}{added}{dot}{ending}"

"""A learner's side of the board: after each check, one line in a file of the shared folder.

A line has a time, the name that the learner chose and, of a check, the exercise's label, how many
of its cases passed and the title of the case where it stopped. It never has code, a value or a
message, and what a check says is told to nobody.
"""

import os
import re
import secrets
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from workbook.checks import listeners
from workbook.checks.framework.exercise import Exercise
from workbook.checks.framework.owner import is_learners
from workbook.checks.framework.report import Report
from workbook.classroom.lines import LONGEST_NAME, Line, append

FOLDER = "PAGED_ATTENTION_BOARD"  # the environment variable that a class's machine sets


class _Sharing:
    """What is shared at present: as whom, and into which file. A kernel has one."""

    def __init__(self, name: str, path: Path) -> None:
        self.name, self.path = name, path

    def __call__(self, exercises: Sequence[Exercise], report: Report, answer: Any) -> None:
        """Hear of a check; add its line if it was one exercise, on the learner's own answer."""
        if len(exercises) == 1 and is_learners(exercises[0], answer):
            append(self.path, Line.of_check(self.name, exercises[0].label, report))


_now: _Sharing | None = None


def share_progress(name: str, folder: str | Path | None = None) -> None:
    """From now on let the class's board show, as ``name``, which checks pass in this kernel.

    ``folder`` is the board's, by default the one in ``PAGED_ATTENTION_BOARD``; without either
    nothing is shared. Call it in each notebook whose checks shall count. Called again with another
    name it takes back what the first one shared. Raises ``ValueError`` for a name that can't be
    shown.
    """
    global _now
    name = _sound(name)
    root = folder or os.environ.get(FOLDER)
    if not root:
        print("This machine has no board, so nothing is shared.")
        return
    path = Path(root) / f"{_slug(name)}-{_token()}.jsonl"
    if _now is not None and _now.path != path:
        stop_sharing()
    if not append(path, Line(name)):
        print(f"The board's folder can't be written to ({root}), so nothing is shared.")
        return
    if _now is None:
        _now = _Sharing(name, path)
        listeners.append(_now)
    print(
        f"The board shows {name!r}: the exercise, how many cases passed, and at which one a check "
        "stopped.\nNever your code. stop_sharing() takes all of it back."
    )


def stop_sharing() -> None:
    """Share nothing more, and remove what was shared under this name from the board."""
    global _now
    if _now is None:
        print("Nothing is being shared.")
        return
    gone, _now = _now, None
    listeners.remove(gone)
    try:
        gone.path.unlink(missing_ok=True)
    except OSError as error:
        print(f"Nothing more is shared, but {gone.path} can't be removed: {error.strerror}.")
        return
    print(f"Nothing is shared any more, and {gone.name!r} is off the board.")


def _sound(name: str) -> str:
    """The name without spaces around it, if a board can show it."""
    plain = name.strip() if isinstance(name, str) else ""
    if 1 <= len(plain) <= LONGEST_NAME and plain.isprintable():
        return plain
    raise ValueError(
        f'share_progress takes a name of 1 to {LONGEST_NAME} letters, such as "Ada"; any name '
        "will do, it need not be yours. Nothing is shared."
    )


def _slug(name: str) -> str:
    """The name as the beginning of a file's: no path, no sign that a file system minds."""
    return re.sub(r"[^a-z0-9]+", "-", name.lower()).strip("-") or "x"


def _token() -> str:
    """A word that only this learner's account knows, so that nobody else can guess the file.

    It is kept, so that all of a learner's notebooks write into one file. Where it can't be kept, a
    kernel has a word of its own.
    """
    import platformdirs  # a page that runs cells has no board, and no such package

    path = platformdirs.user_data_path("paged-attention") / "board.token"
    fresh = secrets.token_hex(8)
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with path.open("x", encoding="utf-8") as file:
            file.write(fresh)
        return fresh
    except FileExistsError:
        known = _read(path)
        return known if re.fullmatch(r"[0-9a-f]{16}", known) else fresh
    except OSError:
        return fresh


def _read(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8")
    except (OSError, ValueError):
        return ""

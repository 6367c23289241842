"""What a reader has passed: noted when a check passes, told by ``progress()``.

The notes lie in the reader's own data folder on this machine; nothing reads them but this module.
"""

import contextlib
import json
import os
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from workbook.checks.framework.exercise import Exercise
    from workbook.checks.framework.report import Report


def file() -> Path:
    """Where the notes are, or will be."""
    import platformdirs  # a page that runs checks has no such folder, and no such package

    return platformdirs.user_data_path("paged-attention") / "progress.json"


def passed() -> set[str]:
    """Labels of the exercises that the reader has passed; none when there are no (sound) notes."""
    try:
        found = json.loads(file().read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return set()
    return {str(label) for label in found} if isinstance(found, list) else set()


def is_readers(solution: Any) -> bool:
    """Whether this was written in a notebook, and isn't the solution that stands folded there."""
    if isinstance(solution, str):  # a text has no name to tell it by
        return "ipykernel" in sys.modules
    name = str(getattr(solution, "__name__", ""))
    home = getattr(solution, "__module__", None)
    return home == "__main__" and "ipykernel" in sys.modules and not _is_solution(name)


def _is_solution(name: str) -> bool:
    return name.lower().endswith("solution")


def note(exercises: "Iterable[Exercise]", report: "Report", solution: Any) -> None:
    """Note that ``solution`` passed these exercises, if it did and is the reader's. Never raises.

    A folder that can't be written to costs the note and not the check.
    """
    if not report.ok:
        return
    new = {each.label for each in exercises if solution not in (each.finished, *each.also_right)}
    if not is_readers(solution) or new <= passed():
        return
    path = file()
    part = path.with_suffix(f".{os.getpid()}.part")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        part.write_text(json.dumps(sorted(passed() | new)), encoding="utf-8")
        part.replace(path)
    except OSError:
        with contextlib.suppress(OSError):
            part.unlink()

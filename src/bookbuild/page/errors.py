"""An error of a cell as lines for the page: where it went through, then what it says."""

import traceback
from collections.abc import Iterator, Mapping
from itertools import dropwhile
from pathlib import Path
from typing import Any

MOST = 16  # calls that are listed; of more, the first and the last half
_BETWEEN = {
    True: "That error was the direct cause of this one:",
    False: "While that error was dealt with, another one came:",
}


def says(error: BaseException) -> str:
    """The error's own words, if it has any: a class of the reader's may fail to say them."""
    try:
        return str(error)
    except Exception as second:
        return f"(its words can't be had: {type(second).__name__})"


def told(error: BaseException, cells: Mapping[str, str]) -> list[dict[str, Any]]:
    """Each line as ``text``, and for a place in a cell ``where``: its ``id`` and ``line``.

    ``cells`` gives the id of the cell that a file name belongs to.
    """
    found = traceback.TracebackException.from_exception(error)
    return list(_lines(found, cells))


def _lines(
    error: traceback.TracebackException, cells: Mapping[str, str]
) -> Iterator[dict[str, Any]]:
    before = error.__cause__ or (None if error.__suppress_context__ else error.__context__)
    if before is not None:
        yield from _lines(before, cells)
        yield {"text": _BETWEEN[error.__cause__ is not None]}
    # What lies before the first frame of a cell is how the page ran it.
    frames = list(dropwhile(lambda frame: frame.filename not in cells, error.stack))
    for at, frame in enumerate(frames):
        if len(frames) > MOST and MOST // 2 <= at < len(frames) - MOST // 2:
            if at == MOST // 2:
                yield {"text": f"… {len(frames) - MOST} more calls …"}
            continue
        yield _place(frame.filename, frame.lineno or 0, frame.name, cells)
        if frame.line:
            yield {"text": f"    {frame.line}"}
    file = getattr(error, "filename", None)  # a syntax error has no frame of its own
    if isinstance(file, str) and file in cells:
        yield _place(file, int(error.lineno or 0), "<module>", cells)
    for block in error.format_exception_only():
        for line in block.rstrip("\n").split("\n"):
            if not line.startswith('  File "'):
                yield {"text": line}


def _place(file: str, line: int, name: str, cells: Mapping[str, str]) -> dict[str, Any]:
    inside = "" if name == "<module>" else f", in {name}"
    if file in cells:
        return {"text": f"line {line}{inside}", "where": {"id": cells[file], "line": line}}
    return {"text": f"{_short(file)}, line {line}{inside}"}


def _short(file: str) -> str:
    """A path from the package on, or the file's own name."""
    parts = Path(file).parts
    for package in ("paged_attention", "workbook"):
        if package in parts:
            return "/".join(parts[parts.index(package) :])
    return parts[-1] if parts else file

"""Code that may never end is run on fuel: a number of lines, the same on every machine."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Any

from workbook.checks.framework.limit import NoEnd

LINES = 20_000


def _counts(filename: str, files: set[str]) -> bool:
    """Whether it is one of these files, or a cell of the notebook that one of them is a cell of."""
    cells = {folder for folder in map(_folder, files) if "ipykernel" in folder}
    return filename in files or _folder(filename) in cells


def _folder(filename: str) -> str:
    return filename.rpartition("/")[0] or filename.rpartition("\\")[0]


@contextmanager
def fuel(files: set[str], lines: int = LINES) -> Iterator[None]:
    """Inside, ``NoEnd`` is raised after that many lines of ``files``, and of their notebook.

    A debugger or a coverage tool that traces this thread pauses meanwhile.
    """
    left, known = lines, dict[str, bool]()

    def on_line(_frame: FrameType, _event: str, _arg: Any) -> Any:
        nonlocal left
        left -= 1
        if left < 0:
            raise NoEnd
        return on_line

    def on_call(frame: FrameType, _event: str, _arg: Any) -> Any:
        name = frame.f_code.co_filename
        if name not in known:
            known[name] = _counts(name, files)
        return on_line if known[name] else None

    before = sys.gettrace()
    sys.settrace(on_call)
    try:
        yield
    finally:
        sys.settrace(before)

"""Where the reader's own code stands."""

import inspect
import re
import traceback
from pathlib import PurePath
from typing import Any

_LIBRARIES = {"paged_attention", "site-packages", PurePath(traceback.__file__).parent.name}


def line_in(error: BaseException, reader: Any) -> str:
    """`` (line 7 of your cell)`` for the error's last frame in the reader's code, else nothing."""
    files = files_of(reader)
    lines = [f.lineno for f in traceback.extract_tb(error.__traceback__) if f.filename in files]
    return f" (line {lines[-1]} of your cell)" if lines else ""


def files_of(reader: Any) -> set[str]:
    """The files, or a notebook's cells, in which the object's own code stands."""
    members = list(vars(reader).values()) if inspect.isclass(reader) else [reader]
    # A property, a classmethod, a staticmethod and a Triton kernel wrap the function with the code.
    inside = ("fget", "__func__", "fn")
    functions = [next((f for f in (getattr(m, n, None) for n in inside) if f), m) for m in members]
    codes = [getattr(inspect.unwrap(f), "__code__", None) for f in functions if callable(f)]
    return {code.co_filename for code in codes if code is not None}


def raised_by_hand(error: BaseException) -> bool:
    """Whether the line where it arose is a ``raise`` or an ``assert``, and not a library's."""
    frames = traceback.extract_tb(error.__traceback__)
    if not frames or _LIBRARIES & set(PurePath(frames[-1].filename).parts):
        return False
    return bool(re.search(r"(^|: *)(raise|assert)\b", frames[-1].line or ""))

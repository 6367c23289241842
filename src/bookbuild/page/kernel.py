"""The kernel of a page: it runs a chapter's cells in one namespace, in Pyodide or anywhere else.

It needs the standard library alone. What a cell gives goes out through ``post`` as messages, plain
dicts, as ``assets/theme/static/run-worker.js`` hands them on:

``stream`` (name, text), ``data`` (data by mime type, metadata, update), ``error`` (ename, evalue,
lines) and ``widget`` (model, content). ``metadata["digest"]`` is that of the output's own text.
"""

import ast
import builtins
import io
import linecache
import pprint
import sys
import time
import types
from collections.abc import Callable
from contextlib import redirect_stderr, redirect_stdout
from typing import Any

from bookbuild.page.digests import digest
from bookbuild.page.errors import says, told

Post = Callable[[dict[str, Any]], object]
WIDTH = 79  # of a printed container, as IPython has it
MOST = 400_000  # characters that one cell may print; a page with more would stand still
OFTEN = 0.1  # s between two messages of a cell that prints and prints
CELLS = "ipykernel_page"  # folder of the cells' file names, as checks know them from Jupyter


class Stream(io.TextIOBase):
    """What a cell prints, sent on in pieces that keep their order with everything else."""

    def __init__(self, name: str, send: Callable[[str, str], None]) -> None:
        self._name, self._send = name, send
        self._held: list[str] = []
        self._room, self._sent = MOST, time.monotonic()

    def writable(self) -> bool:
        """It is."""
        return True

    def write(self, text: str) -> int:
        """Hold ``text`` until a tenth of a second has passed, or until ``flush``."""
        if not isinstance(text, str):
            raise TypeError(f"a cell prints text, got {type(text).__name__}")
        if self._room > 0:
            self._held.append(text[: self._room])
            self._room -= len(text)
            if self._room <= 0:
                self._held.append(f"\n… more than {MOST:,} characters: the rest isn't shown.\n")
        if time.monotonic() - self._sent > OFTEN:
            self.flush()
        return len(text)

    def flush(self) -> None:
        """Send what is held."""
        if self._held:
            text, self._held = "".join(self._held), []
            self._send(self._name, text)
        self._sent = time.monotonic()


class PageKernel:
    """Runs cells one after the other; whatever a cell does, ``run`` comes back and says how it was.

    ``space`` is what cells see as ``__main__``. ``close`` puts Python's own module back.
    """

    def __init__(self, post: Post) -> None:
        self._post = post
        self._said: list[str] = []  # texts of the running cell, for its digest
        self._count = 0
        self._files: dict[str, str] = {}  # a cell's file name: its id
        self._open()
        self._main = types.ModuleType("__main__")
        self._before = sys.modules["__main__"]
        sys.modules["__main__"] = self._main
        self.space = self._main.__dict__
        self.space["__builtins__"] = builtins
        self.space["input"] = _no_input

    def close(self) -> None:
        """Give ``__main__`` back."""
        sys.modules["__main__"] = self._before

    def run(self, cell: str, source: str, line: int = 1) -> dict[str, Any]:
        """Run one cell whose first line counts as ``line``.

        Returns ``ok`` and the ``digest`` of all that it said, in order.
        """
        self._said.clear()
        self._open()
        with redirect_stdout(self._out), redirect_stderr(self._err):
            try:
                self._execute(source, self._file(cell, source, line), line)
                ok = True
            except BaseException as error:  # a cell may raise SystemExit or KeyboardInterrupt, too
                self._error(error)
                ok = False
            finally:
                self.flush()
        return {"ok": ok, "digest": digest("".join(self._said))}

    def display(
        self,
        *values: Any,
        raw: bool = False,
        metadata: dict[str, Any] | None = None,
        display_id: str | None = None,
        update: bool = False,
    ) -> None:
        """What ``IPython.display.display`` does: each value in the forms that it has."""
        self.flush()
        for value in values:
            data = dict(value) if raw else forms(value)
            self._data(data, metadata or {}, display_id if update else None, display_id)

    def widget(self, model: str, content: dict[str, Any]) -> None:
        """Tell the page that a widget's traits have these values now."""
        self._post({"kind": "widget", "model": model, "content": content})

    def flush(self) -> None:
        """Send what was printed so far, so that it stands before what comes next."""
        self._out.flush()
        self._err.flush()

    def _open(self) -> None:
        self._out, self._err = Stream("stdout", self._stream), Stream("stderr", self._stream)

    def _file(self, cell: str, source: str, line: int) -> str:
        """A file name of this very run, under which tracebacks and ``inspect`` find the source."""
        self._count += 1
        name = f"{CELLS}/{cell}-{self._count}.py"
        text = "\n" * (line - 1) + source
        linecache.cache[name] = (len(text), None, text.splitlines(keepends=True), name)
        self._files[name] = cell
        return name

    def _execute(self, source: str, file: str, line: int) -> None:
        tree = ast.parse("\n" * (line - 1) + source, file)
        last = tree.body[-1] if tree.body else None
        shown = isinstance(last, ast.Expr) and not source.rstrip().endswith(";")
        if shown:
            del tree.body[-1]
        exec(compile(tree, file, "exec"), self.space)
        if shown and isinstance(last, ast.Expr):
            value = eval(compile(ast.Expression(last.value), file, "eval"), self.space)
            if value is not None:
                self.space["_"] = value
                self.display(value)

    def _stream(self, name: str, text: str) -> None:
        self._said.append(text)
        self._post({"kind": "stream", "name": name, "text": text})

    def _data(
        self, data: dict[str, Any], metadata: dict[str, Any], update: str | None, name: str | None
    ) -> None:
        text = str(data.get("text/plain", ""))
        self._said.append(f"\n{text}\n")
        message = {
            "kind": "data",
            "data": data,
            "metadata": {
                **metadata,
                "digest": digest(text),
                **({"display_id": name} if name else {}),
            },
        }
        self._post(message | ({"update": update} if update else {}))

    def _error(self, error: BaseException) -> None:
        self.flush()
        name, words = type(error).__name__, says(error)
        self._said.append(f"\n{name}: {words}\n")
        lines = told(error, self._files)
        self._post({"kind": "error", "ename": name, "evalue": words, "lines": lines})


def forms(value: Any) -> dict[str, Any]:
    """A value by mime type: what it says of itself, and always ``text/plain``."""
    make = getattr(value, "_repr_mimebundle_", None)
    made = make() if make and not isinstance(value, type) else {}
    data = dict(made[0] if isinstance(made, tuple) else made or {})
    data.setdefault("text/plain", _pretty(value))
    return data


def _pretty(value: Any) -> str:
    """``repr``, or a long list, dict, set or tuple an item a line, as IPython prints them."""
    text = repr(value)
    if len(text) <= WIDTH or type(value) not in (list, dict, set, frozenset, tuple):
        return text
    return pprint.pformat(value, width=WIDTH + 1, sort_dicts=False)


def _no_input(_prompt: object = "") -> str:
    raise RuntimeError("a page can't ask while a cell runs: write the value into the cell")

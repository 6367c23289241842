"""Cells as graders see them: plain Python, the names in it, and what can't be read at all."""

import ast
import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from IPython.core.inputtransformer2 import TransformerManager

from bookbuild.book import BookError
from bookbuild.editions.names import Names, names

MOST_BYTES = 50_000_000  # of a notebook; a chapter of the book has 1,000,000
RUN = re.compile(r"^%run -i solutions/(?P<file>[\w.-]+)\.py[ \t]*$", re.MULTILINE)
TIMED = re.compile(r"^\s*%%(time|timeit|capture)\b.*\n?")


class Unreadable(BookError):
    """A file that is no notebook; the message says why."""


@dataclass(frozen=True)
class Cell:
    """A code cell. ``raw`` is what stands in the notebook, ``tags`` are its tags."""

    raw: str
    id: str = ""
    tags: tuple[str, ...] = ()

    @cached_property
    def source(self) -> str:
        """The cell as plain Python: magics do nothing, the body of another language is gone."""
        text = TIMED.sub("", self.raw, count=1)
        if text.lstrip().startswith("%%"):
            return ""
        # A solution that a line runs is not of this cell: it is found by its name, if it may be.
        text = RUN.sub("", text)
        try:
            shell = TransformerManager()  # type: ignore[no-untyped-call]
            plain: str = shell.transform_cell(text)
        except Exception:  # it may meet what is no Python in ways of its own
            return text
        return plain

    @cached_property
    def names(self) -> Names | None:
        """The names in it; ``None`` where it is no Python."""
        try:
            return names(self.source)
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            return None

    @cached_property
    def binds(self) -> frozenset[str]:
        """Names that it binds; in one that is no Python, those that a line seems to define."""
        if self.names is not None:
            return self.names.binds
        return frozenset(re.findall(r"^(?:class|def|async def)\s+(\w+)", self.source, re.MULTILINE))

    @cached_property
    def wants(self) -> frozenset[str]:
        """Names that must be there when it runs, or when a function of it is called."""
        return self.names.now | self.names.later if self.names else frozenset()

    @cached_property
    def patches(self) -> frozenset[str]:
        """Names of objects whose parts it sets: ``MyCache.reserve = reserve``."""
        if self.names is None:
            return frozenset()
        targets = (target for node in ast.parse(self.source).body for target in _targets(node))
        return frozenset(_root(target) for target in targets) - {""}

    @cached_property
    def shape(self) -> str:
        """What is the same for two cells that differ in comments and blanks alone."""
        return ast.dump(ast.parse(self.source)) if self.names is not None else self.source


def _targets(node: ast.stmt) -> list[ast.expr]:
    match node:
        case ast.Assign(targets=targets):
            return [target for target in targets if not isinstance(target, ast.Name)]
        case ast.AugAssign(target=target) | ast.AnnAssign(target=target):
            return [] if isinstance(target, ast.Name) else [target]
        case ast.Expr(ast.Call(ast.Name("setattr"), [first, *_])):
            return [first]
    return []


def _root(node: ast.expr) -> str:
    while isinstance(node, ast.Attribute | ast.Subscript):
        node = node.value
    return node.id if isinstance(node, ast.Name) else ""


def read_cells(path: Path) -> list[dict[str, Any]]:
    """The cells of a notebook, however little of its metadata is there.

    Raises ``Unreadable`` for a file that is no notebook.
    """
    try:
        if path.stat().st_size > MOST_BYTES:
            raise Unreadable(f"it is larger than {MOST_BYTES // 1_000_000} MB")
        told = json.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise Unreadable(f"it can't be read: {error.strerror}") from error
    except (ValueError, RecursionError) as error:
        raise Unreadable("it is no notebook: not JSON in UTF-8") from error
    sheets = told.get("worksheets") if isinstance(told, dict) else None  # before 2015
    holder = sheets[0] if isinstance(sheets, list) and sheets else told
    cells = holder.get("cells") if isinstance(holder, dict) else None
    if not isinstance(cells, list):
        raise Unreadable("it is no notebook: it has no cells")
    return [cell for cell in cells if isinstance(cell, dict)]


def code_cells(cells: list[dict[str, Any]]) -> Iterator[Cell]:
    """The code cells among a notebook's cells, in order."""
    for cell in cells:
        if cell.get("cell_type") == "code":
            metadata = cell.get("metadata")
            tags = metadata.get("tags") if isinstance(metadata, dict) else None
            found = tuple(map(str, tags)) if isinstance(tags, list) else ()
            yield Cell(text_of(cell), str(cell.get("id", "")), found)


def text_of(cell: dict[str, Any]) -> str:
    """A cell's words, which a notebook keeps as a text or as a list of lines."""
    source = cell.get("source", cell.get("input", ""))
    return "".join(map(str, source)) if isinstance(source, list) else str(source)

"""In every chapter stubs are answered calmly, and solutions pass."""

import ast
import contextlib
import hashlib
import linecache
import os
from functools import cache
from pathlib import Path
from typing import Any
from unittest import mock

import jupytext
import pytest

from workbook.checks.framework.report import Report

with contextlib.suppress(ImportError):
    # Before a chapter sets TRITON_INTERPRET: other tests of this process compile these kernels.
    import paged_attention.kernels.launch  # noqa: F401

SOURCE = Path(__file__).parents[3] / "chapters" / "source"
# One worker for both tests of a chapter: its solutions run once.
CHAPTERS = [
    pytest.param(path, id=path.stem, marks=pytest.mark.xdist_group(path.stem))
    for path in sorted(SOURCE.glob("[0-9][0-9]_*.md"))
]


@cache
def cells(chapter: Path) -> list[Any]:
    return list(jupytext.read(chapter).cells)


def code(chapter: Path, tag: str | None = None) -> list[str]:
    found = [c for c in cells(chapter) if c.cell_type == "code"]
    return [c.source for c in found if tag is None or tag in c.metadata.get("tags", [])]


def run(source: str, names: dict[str, Any]) -> Any:
    """Execute a cell; the value of its last expression, as a notebook shows it."""
    tree = ast.parse(source)
    last = tree.body.pop() if tree.body and isinstance(tree.body[-1], ast.Expr) else None
    # As in a notebook, a cell's source can be looked up: Triton reads its kernels there.
    file = f"<cell {hashlib.sha256(source.encode()).hexdigest()[:12]}>"
    linecache.cache[file] = (len(source), None, source.splitlines(keepends=True), file)
    with mock.patch.dict(os.environ):
        exec(compile(tree, file, "exec"), names)
        if not isinstance(last, ast.Expr):
            return None
        return eval(compile(ast.Expression(last.value), file, "eval"), names)


def only_defines(cell: Any) -> bool:
    """Whether a cell of the chapter's own holds classes and functions and does nothing."""
    tags = {"stub", "check", "solution"} & set(cell.metadata.get("tags", []))
    made = (ast.ClassDef, ast.FunctionDef)
    return not tags and all(isinstance(part, made) for part in ast.parse(cell.source).body)


@cache
def solved(chapter: Path) -> dict[str, Any]:
    """The names a chapter has after its imports, its definitions and its solutions, no more."""
    names: dict[str, Any] = {"__name__": "__main__"}
    run(code(chapter)[0], names)
    for cell in cells(chapter):
        if cell.cell_type != "code":
            continue
        if only_defines(cell):
            with contextlib.suppress(NameError):  # built on what a cell that runs has made
                run(cell.source, names)
        if "solution" not in cell.metadata.get("tags", []):
            continue
        source = cell.source
        report = run(source, names)
        assert isinstance(report, Report), f"a solution cell must end with its check:\n{source}"
        assert report.ok, repr(report)
    return names


@pytest.mark.parametrize("chapter", CHAPTERS)
def test_every_solution_passes(chapter: Path) -> None:
    solved(chapter)
    assert len(code(chapter, "solution")) == len(code(chapter, "stub"))


@pytest.mark.parametrize("chapter", CHAPTERS)
def test_untouched_stubs_are_not_implemented_yet(chapter: Path) -> None:
    # A stub may build on an earlier exercise's solution, never on an earlier stub.
    names = dict(solved(chapter))
    stubs, checks = code(chapter, "stub"), code(chapter, "check")
    assert len(stubs) == len(checks)
    for stub, check in zip(stubs, checks, strict=True):
        run(stub, names)
        report = run(check, names)
        assert isinstance(report, Report), check
        assert report.todo, f"{check} says:\n{report!r}"
        assert "not implemented yet" in repr(report)

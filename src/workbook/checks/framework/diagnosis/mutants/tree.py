"""Places in a syntax tree, what may be put there, and short words for it."""

import ast
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

LONGEST = 56  # characters of a snippet
_KEPT = 12  # of them on each side of a difference in a longer one
_NEVER = {"annotation", "returns", "decorator_list", "type_params", "defaults", "kw_defaults"}
_COMPOUND = ast.If | ast.For | ast.While | ast.With | ast.Try | ast.FunctionDef | ast.ClassDef
Block = list[ast.stmt]


@dataclass(frozen=True)
class Place:
    """Where a node stands: ``holder[key]`` of a list, else the attribute ``key`` of a node.

    ``around`` are the nodes that hold it, the outermost first.
    """

    holder: Any
    key: Any
    around: tuple[ast.AST, ...]

    @property
    def node(self) -> Any:
        """What stands there now."""
        return (
            self.holder[self.key]
            if isinstance(self.holder, list)
            else getattr(self.holder, self.key)
        )

    @contextmanager
    def put(self, node: Any) -> Iterator[None]:
        """Inside, this stands there instead."""
        before = self.node
        self._set(node)
        try:
            yield
        finally:
            self._set(before)

    def _set(self, node: Any) -> None:
        if isinstance(self.holder, list):
            self.holder[self.key] = node
        else:
            setattr(self.holder, self.key, node)


@dataclass(frozen=True)
class Change:
    """What is put at a place, a clause that says so, and the line of the changed statement.

    ``needs`` are the different failures that it takes to believe it.
    """

    place: Place
    new: Any
    clause: str
    line: int
    needs: int = 1


# What a loop over fewer items leaves undone, many a mistake does.
FOR_A_LOOP = 3


def expressions(node: ast.AST, around: tuple[ast.AST, ...] = ()) -> Iterator[Place]:
    """Every expression that is computed; the words of an error, annotations and defaults aren't."""
    for name, value in ast.iter_fields(node):
        if name in _NEVER or isinstance(node, ast.JoinedStr):
            continue
        inside = (*around, node)
        if isinstance(value, list):
            found = [(Place(value, i, inside), item) for i, item in enumerate(value)]
        else:
            found = [(Place(node, name, inside), value)]
        for place, item in found:
            if not isinstance(item, ast.AST) or isinstance(item, ast.Raise) or is_docstring(item):
                continue
            if isinstance(item, ast.expr):
                yield place
            yield from expressions(item, inside)


def blocks(node: ast.AST, around: tuple[ast.AST, ...] = ()) -> Iterator[Place]:
    """Every list of statements in a function."""
    inside = (*around, node)
    for name in ("body", "orelse", "finalbody"):
        if isinstance(block := getattr(node, name, None), list):
            if not isinstance(node, ast.Module | ast.ClassDef) and block:
                yield Place(node, name, inside)
            for statement in block:
                yield from blocks(statement, inside)
    for handler in getattr(node, "handlers", []):
        yield from blocks(handler, inside)


def is_docstring(node: ast.AST) -> bool:
    """Whether the statement is nothing but a text."""
    return (
        isinstance(node, ast.Expr)
        and isinstance(node.value, ast.Constant)
        and isinstance(node.value.value, str)
    )


def snippet(node: ast.AST) -> str:
    """The node's source in backticks: a compound statement's head, an error's kind; cut if long."""
    text = _head(node)
    return f"`{text}`" if len(text) <= LONGEST else f"`{text[: LONGEST - 1]}…`"


def _head(node: ast.AST) -> str:
    if isinstance(node, ast.Raise) and isinstance(node.exc, ast.Call):
        node = ast.Raise(node.exc.func, None)
    text = ast.unparse(node).splitlines()[0]
    return text.rstrip(":") if isinstance(node, _COMPOUND) else text


def replaced(place: Place, new: ast.AST) -> str:
    """Words for ``new`` in the place of what stands there, with as much around it as is short."""
    around = [one for one in place.around if isinstance(one, ast.expr | ast.stmt)]
    simple = [one for one in around if not isinstance(one, _COMPOUND)]
    short = (one for one in simple if len(ast.unparse(one)) <= LONGEST)
    shown = next(short, simple[0] if simple else None)
    old = _head(shown or place.node)
    with place.put(new):
        now = _head(shown or new)
    old, now = _where_they_differ(old, now)
    return f"`{now}` stands in the place of `{old}`"


def _where_they_differ(old: str, new: str) -> tuple[str, str]:
    """Both texts, cut where they are the same if one is long."""
    if max(len(old), len(new)) <= LONGEST:
        return old, new
    begin = _alike(old, new)
    end = _alike(old[begin:][::-1], new[begin:][::-1])
    before, after = max(0, begin - _KEPT), max(0, end - _KEPT)
    while before and old[before - 1].isidentifier():
        before -= 1
    first, last = "…" if before else "", "…" if after else ""
    cut_old, cut_new = (text[before : len(text) - after].strip() for text in (old, new))
    return f"{first}{cut_old}{last}", f"{first}{cut_new}{last}"


def _alike(one: str, other: str) -> int:
    """How many characters both begin with."""
    pairs = enumerate(zip(one, other, strict=False))
    return next((i for i, (a, b) in pairs if a != b), min(len(one), len(other)))

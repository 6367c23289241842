"""Which names does a cell bind, and which must be there before it runs?"""

import ast
import builtins
import symtable
from collections.abc import Iterable, Iterator
from typing import NamedTuple

# What a notebook's kernel defines before the first cell.
KERNEL = frozenset(vars(builtins)) | {"__name__", "__file__", "display", "get_ipython", "_"}


class Names(NamedTuple):
    """The names of a cell that others can see.

    ``binds`` are set by it; ``now`` must be there when it starts; ``later`` must be there when a
    function that it defines is called, at the latest. Built-in names are in none of them.
    """

    binds: frozenset[str]
    now: frozenset[str]
    later: frozenset[str]


def names(source: str) -> Names:
    """The names of a cell of plain Python. Raises ``SyntaxError`` where it isn't.

    A name bound in one branch counts as bound.
    """
    top = symtable.symtable(source, "<cell>", "exec")
    walk = _Walk()
    walk.visit(ast.parse(source))
    later = set(_read_in_functions(top)) - walk.bound - walk.now
    binds = walk.bound | {symbol.get_name() for symbol in top.get_symbols() if _is_set(symbol)}
    return Names(*(frozenset(found - KERNEL) for found in (binds, walk.now, later)))


def undefined(sources: Iterable[str]) -> Iterator[tuple[int, str]]:
    """Index and name, for each name that a cell reads and nothing before it binds.

    ``sources`` are a notebook's code cells in order. What only functions read may be bound by any
    cell; it is reported for the cell that defines the function.
    """
    cells = [names(source) for source in sources]
    everywhere = frozenset[str]().union(*(cell.binds for cell in cells))
    known: set[str] = set()
    for at, cell in enumerate(cells):
        for name in sorted((cell.now - known) | (cell.later - everywhere)):
            yield at, name
        known |= cell.binds


def _is_set(symbol: symtable.Symbol) -> bool:
    return symbol.is_assigned() or symbol.is_imported()


def _read_in_functions(table: symtable.SymbolTable) -> Iterator[str]:
    """Global names that the functions in ``table`` read when they are called."""
    for child in table.get_children():
        if child.get_type() == "function":
            for symbol in child.get_symbols():
                if symbol.is_global() and symbol.is_referenced():
                    yield symbol.get_name()
        yield from _read_in_functions(child)


class _Walk(ast.NodeVisitor):
    """What runs at once, in the order in which it runs; bodies of functions are left out."""

    def __init__(self) -> None:
        self.bound: set[str] = set()
        self.now: set[str] = set()
        self._inner: list[set[str]] = []  # scopes of classes and comprehensions, innermost last

    def _bind(self, name: str) -> None:
        (self._inner[-1] if self._inner else self.bound).add(name)

    def _visit_all(self, *parts: ast.AST | list[ast.expr] | list[ast.stmt] | None) -> None:
        for part in parts:
            for node in part if isinstance(part, list) else [part]:
                if node is not None:
                    self.visit(node)

    def visit_Name(self, node: ast.Name) -> None:
        if isinstance(node.ctx, ast.Store):
            self._bind(node.id)
        elif not any(node.id in scope for scope in (self.bound, *self._inner)):
            self.now.add(node.id)

    def visit_Assign(self, node: ast.Assign) -> None:
        self._visit_all(node.value, node.targets)

    def visit_AnnAssign(self, node: ast.AnnAssign) -> None:
        self._visit_all(node.annotation, node.value)
        if node.value is not None:
            self.visit(node.target)

    def visit_AugAssign(self, node: ast.AugAssign) -> None:
        if isinstance(node.target, ast.Name):
            self.visit_Name(ast.Name(node.target.id, ast.Load()))
        self._visit_all(node.value, node.target)

    def visit_NamedExpr(self, node: ast.NamedExpr) -> None:
        self.visit(node.value)
        self.bound.add(node.target.id)

    def visit_For(self, node: ast.For) -> None:
        self._visit_all(node.iter, node.target, node.body, node.orelse)

    def visit_ExceptHandler(self, node: ast.ExceptHandler) -> None:
        if node.name is not None:
            self._bind(node.name)
        self.generic_visit(node)

    def visit_Import(self, node: ast.Import | ast.ImportFrom) -> None:
        for alias in node.names:
            self._bind((alias.asname or alias.name).split(".")[0])

    visit_ImportFrom = visit_Import

    def visit_FunctionDef(self, node: ast.FunctionDef | ast.AsyncFunctionDef) -> None:
        self._visit_all(list(node.decorator_list), node.args, node.returns)
        self._bind(node.name)

    visit_AsyncFunctionDef = visit_FunctionDef

    def visit_Lambda(self, node: ast.Lambda) -> None:
        self.visit(node.args)

    def visit_arguments(self, node: ast.arguments) -> None:
        given = [*node.posonlyargs, *node.args, *node.kwonlyargs, node.vararg, node.kwarg]
        for argument in filter(None, given):
            self._visit_all(argument.annotation)
        self._visit_all(node.defaults, [default for default in node.kw_defaults if default])

    def visit_ClassDef(self, node: ast.ClassDef) -> None:
        self._visit_all(node.decorator_list, node.bases, *(word.value for word in node.keywords))
        self._inner.append(set())
        self._visit_all(node.body)
        self._inner.pop()
        self._bind(node.name)

    def _visit_comprehension(self, node: ast.expr, *elements: ast.expr) -> None:
        self._inner.append(set())
        for generator in node.generators:  # type: ignore[attr-defined]
            self._visit_all(generator.iter, generator.target, generator.ifs)
        self._visit_all(*elements)
        self._inner.pop()

    def visit_ListComp(self, node: ast.ListComp | ast.SetComp | ast.GeneratorExp) -> None:
        self._visit_comprehension(node, node.elt)

    visit_SetComp = visit_ListComp
    visit_GeneratorExp = visit_ListComp

    def visit_DictComp(self, node: ast.DictComp) -> None:
        self._visit_comprehension(node, node.key, node.value)

    def visit_MatchAs(self, node: ast.MatchAs) -> None:
        self._bind_pattern(node)

    def _bind_pattern(self, node: ast.MatchAs | ast.MatchStar) -> None:
        self.generic_visit(node)
        if node.name is not None:
            self._bind(node.name)

    visit_MatchStar = _bind_pattern

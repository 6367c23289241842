"""The mutants of a right solution: its source with one small change, and what that makes."""

import ast
import inspect
import sys
from dataclasses import dataclass
from functools import cache, cached_property
from itertools import chain
from typing import Any

from workbook.checks.framework.diagnosis.mutants import expressions, statements
from workbook.checks.framework.mistake import built, source_of

_ENGINE = "paged_attention."  # its classes have more in them than the chapters' do
_MOST = 600  # of one solution; who wrote more than these few lines has other mistakes, too


@dataclass(frozen=True, eq=False)
class Mutant:
    """A right solution after one change in ``function`` at ``line``; ``clause`` says which.

    ``needs`` are the different failures that it takes to believe it.
    """

    of: Any
    clause: str
    function: str
    line: int
    source: str
    needs: int = 1

    @cached_property
    def solution(self) -> Any:
        """The function or class, made when first needed; ``None`` if Python takes no such text."""
        try:
            return built(self.of, self.source)
        except Exception:  # `break` outside a loop, say
            return None


@cache
def mutants_of(solution: Any) -> tuple[Mutant, ...]:
    """The mutants of a function or a class, no two with the same source; made once a session.

    There are none of what has no source in Python (a text, a kernel), of the engine's classes, and
    of what is long.
    """
    if not (inspect.isfunction(solution) or inspect.isclass(solution)):
        return ()
    if inspect.isclass(solution) and solution.__module__.startswith(_ENGINE):
        return ()
    found = mutants(whole_tree(solution), solution)
    return found if len(found) <= _MOST else ()


def whole_tree(solution: Any) -> ast.Module:
    """Its source, below that of the functions and base classes of its module which it names."""
    parts: dict[Any, ast.stmt] = {}
    _gather(solution, parts)
    return ast.Module([*parts.values()], type_ignores=[])


def _gather(solution: Any, parts: dict[Any, ast.stmt]) -> None:
    try:
        tree = ast.parse(source_of(solution))
    except (OSError, TypeError, SyntaxError):  # made by `exec`, or a part of a longer line
        return
    own = tree.body[0]
    for node in ast.walk(own):
        named = vars(sys.modules[solution.__module__]).get(getattr(node, "id", ""))
        if named is solution or not (inspect.isfunction(named) or inspect.isclass(named)):
            continue
        if named not in parts and named.__module__ == solution.__module__:
            _gather(named, parts)
    if isinstance(own, ast.FunctionDef | ast.ClassDef):
        # `@exercise.also_right.append` has been done, and does no more.
        own.decorator_list = [one for one in own.decorator_list if not _registers(one)]
        parts[solution] = own


def _registers(decorator: ast.expr) -> bool:
    called = decorator.func if isinstance(decorator, ast.Call) else decorator
    return isinstance(called, ast.Attribute)


def mutants(tree: ast.Module, solution: Any) -> tuple[Mutant, ...]:
    """The mutants of this solution, whose tree it is."""
    found: dict[str, Mutant | None] = {ast.unparse(tree): None}
    for change in chain(statements.changes(tree), expressions.changes(tree)):
        around = change.place.around
        function = next((one.name for one in around if isinstance(one, ast.FunctionDef)), "")
        where = f"in `{function}` " if inspect.isclass(solution) and function else ""
        with change.place.put(change.new):
            source = ast.unparse(tree)
        new = Mutant(solution, where + change.clause, function, change.line, source, change.needs)
        found.setdefault(source, new)
    return tuple(mutant for mutant in found.values() if mutant)

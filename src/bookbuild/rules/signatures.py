"""Does a solution answer its stub: the right name, the same signatures?"""

import ast
from collections.abc import Iterator

from bookbuild.book import BookError

Definition = ast.FunctionDef | ast.ClassDef


def statements(source: str) -> list[ast.stmt]:
    """The statements of a cell; ``BookError`` where it isn't plain Python."""
    try:
        return ast.parse(source).body
    except SyntaxError as error:
        raise BookError(f"an exercise's cell is not plain Python ({error}):\n{source}") from error


def definitions(source: str) -> dict[str, Definition]:
    """Functions and classes that a cell defines at its top level."""
    return {node.name: node for node in statements(source) if isinstance(node, Definition)}


def unfinished(source: str) -> dict[str, Definition]:
    """The definitions that raise ``NotImplementedError`` somewhere: what a stub asks for."""
    return {name: node for name, node in definitions(source).items() if _is_stub(node)}


def _is_stub(node: ast.AST) -> bool:
    return any(
        isinstance(part, ast.Raise) and part.exc and "NotImplementedError" in ast.unparse(part.exc)
        for part in ast.walk(node)
    )


def solution_name(stub: Definition) -> str:
    """``gather`` is solved by ``gather_solution``, ``MyAllocator`` by ``AllocatorSolution``."""
    if isinstance(stub, ast.ClassDef):
        return f"{stub.name.removeprefix('My')}Solution"
    return f"{stub.name}_solution"


def mismatches(stub: Definition, solution: Definition) -> Iterator[str]:
    """What the solution's signatures have other than the stub's, in words."""
    given = _signatures(solution)
    for name, signature in _signatures(stub).items():
        if name not in given:
            yield f"{solution.name} has no {name}{signature}, which the stub asks for"
        elif given[name] != signature:
            yield f"{solution.name}: {name}{given[name]} where the stub has {name}{signature}"


def _signatures(node: Definition) -> dict[str, str]:
    """Signature by method name; a function has the one name ``""``."""
    if isinstance(node, ast.FunctionDef):
        return {"": _signature(node)}
    methods = [part for part in node.body if isinstance(part, ast.FunctionDef)]
    return {method.name: _signature(method) for method in methods}


def _signature(function: ast.FunctionDef) -> str:
    returns = f" -> {ast.unparse(function.returns)}" if function.returns else ""
    return f"({ast.unparse(function.args)}){returns}"

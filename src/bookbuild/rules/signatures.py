"""Does a solution answer its stub: the right name, the same signatures?"""

import ast
from collections.abc import Iterator

from bookbuild.book import BookError

Definition = ast.FunctionDef | ast.ClassDef | ast.Assign  # the last: a text with a name


def statements(source: str) -> list[ast.stmt]:
    """The statements of a cell; ``BookError`` where it isn't plain Python."""
    try:
        return ast.parse(source).body
    except SyntaxError as error:
        raise BookError(f"an exercise's cell is not plain Python ({error}):\n{source}") from error


def definitions(source: str) -> dict[str, Definition]:
    """Functions, classes and texts that a cell defines at its top level."""
    found = [node for node in statements(source) if isinstance(node, Definition)]
    return {name: node for node in found if (name := _name(node)) is not None}


def unfinished(source: str) -> dict[str, Definition]:
    """What a stub asks for: what raises ``NotImplementedError``, and texts with the same word."""
    return {name: node for name, node in definitions(source).items() if _is_stub(node)}


def _name(node: ast.stmt) -> str | None:
    match node:
        case ast.FunctionDef(name=name) | ast.ClassDef(name=name):
            return name
        case ast.Assign(targets=[ast.Name(id=name)], value=ast.Constant(value=str())):
            return name
    return None


def _is_stub(node: Definition) -> bool:
    if isinstance(node, ast.Assign):
        return "NOT_IMPLEMENTED" in ast.unparse(node.value)
    return any(
        isinstance(part, ast.Raise) and part.exc and "NotImplementedError" in ast.unparse(part.exc)
        for part in ast.walk(node)
    )


def solution_name(stub: Definition) -> str:
    """``gather`` is solved by ``gather_solution``, ``MyAllocator`` by ``AllocatorSolution``, a text
    ``WALK`` by ``WALK_SOLUTION``.
    """
    if isinstance(stub, ast.Assign):
        return f"{_name(stub)}_SOLUTION"
    if isinstance(stub, ast.ClassDef):
        return f"{stub.name.removeprefix('My')}Solution"
    return f"{stub.name}_solution"


def mismatches(stub: Definition, solution: Definition) -> Iterator[str]:
    """What the solution's signatures have other than the stub's, in words; a text has none."""
    if isinstance(stub, ast.Assign) or isinstance(solution, ast.Assign):
        return
    given = _signatures(solution)
    for name, signature in _signatures(stub).items():
        if name not in given:
            yield f"{solution.name} has no {name}{signature}, which the stub asks for"
        elif given[name] != signature:
            yield f"{solution.name}: {name}{given[name]} where the stub has {name}{signature}"


def _signatures(node: ast.FunctionDef | ast.ClassDef) -> dict[str, str]:
    """Signature by method name; a function has the one name ``""``."""
    if isinstance(node, ast.FunctionDef):
        return {"": _signature(node)}
    methods = [part for part in node.body if isinstance(part, ast.FunctionDef)]
    return {method.name: _signature(method) for method in methods}


def _signature(function: ast.FunctionDef) -> str:
    returns = f" -> {ast.unparse(function.returns)}" if function.returns else ""
    return f"({ast.unparse(function.args)}){returns}"

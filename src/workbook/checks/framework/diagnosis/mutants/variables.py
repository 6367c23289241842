"""One variable in the place of another."""

import ast
from collections.abc import Iterator

from workbook.checks.framework.diagnosis.mutants.tree import Place

# Different failures that tell one apart: a block's id and its place in a table are often equal.
FOR_A_VARIABLE = 3
Names = dict[ast.FunctionDef, list[str]]


def own_names(tree: ast.Module) -> Names:
    """Each function's own names: its parameters, and what it assigns and means to read."""
    found: Names = {}
    for function in ast.walk(tree):
        if isinstance(function, ast.FunctionDef):
            names = [arg.arg for arg in function.args.args if arg.arg != "self"]
            names += [
                node.id
                for node in ast.walk(function)
                if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)
            ]
            found[function] = list(dict.fromkeys(name for name in names if name[0] != "_"))
    return found


def other_names(node: ast.Name, place: Place, names: Names) -> Iterator[ast.expr]:
    """Each other variable of the function that may be of the same kind.

    Either both are objects with attributes or neither is, none is an item of the other, and no
    annotation speaks against it.
    """
    function = next((n for n in place.around[::-1] if isinstance(n, ast.FunctionDef)), None)
    if function is None or node.id not in names[function]:
        return
    objects = {
        one.value.id
        for one in ast.walk(function)
        if isinstance(one, ast.Attribute) and isinstance(one.value, ast.Name)
    }
    loops = [one for one in ast.walk(function) if isinstance(one, ast.For | ast.comprehension)]
    inside = {(item, items) for one in loops for item in _in(one.target) for items in _in(one.iter)}
    kinds = {arg.arg: ast.dump(arg.annotation) for arg in function.args.args if arg.annotation}
    mine = kinds.get(node.id)
    for other in names[function]:
        if other == node.id or (other in objects) != (node.id in objects):
            continue
        if {(other, node.id), (node.id, other)} & inside:
            continue
        if kinds.get(other, mine) == (mine or kinds.get(other)):
            yield ast.Name(other, ast.Load())


def _in(node: ast.expr) -> list[str]:
    return [one.id for one in ast.walk(node) if isinstance(one, ast.Name)]

"""Changes of one expression."""

import ast
import itertools
from collections.abc import Callable, Iterator
from typing import Any

from workbook.checks.framework.diagnosis.mutants.tree import (
    FOR_A_LOOP,
    Change,
    Place,
    expressions,
    replaced,
    snippet,
)
from workbook.checks.framework.diagnosis.mutants.variables import (
    FOR_A_VARIABLE,
    Names,
    other_names,
    own_names,
)

_COMPARED: dict[type[ast.cmpop], tuple[type[ast.cmpop], ...]] = {
    ast.Lt: (ast.LtE, ast.Gt),
    ast.LtE: (ast.Lt, ast.GtE),
    ast.Gt: (ast.GtE, ast.Lt),
    ast.GtE: (ast.Gt, ast.LtE),
    ast.Eq: (ast.GtE, ast.LtE),
    ast.NotEq: (ast.Gt, ast.Lt),
}
_COUNTED: dict[type[ast.operator], tuple[type[ast.operator], ...]] = {
    ast.Add: (ast.Sub,),
    ast.Sub: (ast.Add,),
    ast.Mult: (ast.Add,),
    ast.FloorDiv: (ast.Mod,),
    ast.Mod: (ast.FloorDiv,),
}
_OTHER_FUNCTION = {"max": "min", "min": "max", "any": "all", "all": "any", "sum": "max"}
_ALONE = {"list", "dict", "set", "tuple", "sorted", "reversed", "copy", "deepcopy", "abs", "int"}
_BARE = {"copy", "clone", "contiguous", "item"}
_OTHER_METHOD = {"popleft": "pop", "appendleft": "append", "append": "appendleft"}


def changes(tree: ast.Module) -> Iterator[Change]:
    """Every small change of an expression in the tree."""
    names = own_names(tree)
    for place in expressions(tree):
        for new in _instead(place, names):
            needs = FOR_A_VARIABLE if isinstance(place.node, ast.Name) else 1
            yield Change(place, new, replaced(place, new), _line(place), needs)
        if isinstance(comprehension := place.around[-1], ast.comprehension):
            for new, clause in _of_comprehension(place, comprehension):
                needs = FOR_A_LOOP if place.node is comprehension.iter else 1
                yield Change(place, new, clause, _line(place), needs)


def _line(place: Place) -> int:
    return next(one.lineno for one in place.around[::-1] if isinstance(one, ast.stmt))


def _of_comprehension(place: Place, one: ast.comprehension) -> Iterator[tuple[ast.expr, str]]:
    """Fewer items, another order, or a condition left out."""
    if place.node is one.iter:
        yield from shortened(one.target, one.iter)
    elif place.holder is one.ifs:
        yield ast.Constant(True), f"the condition `if` {snippet(place.node)} is left out"


def _instead(place: Place, names: Names) -> Iterator[ast.expr]:
    node = place.node
    for kind, make in _MAKERS.items():
        if isinstance(node, kind):
            yield from make(node)
    if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load):
        yield from other_names(node, place, names)


def _operands(node: ast.BoolOp) -> Iterator[ast.expr]:
    yield ast.BoolOp(ast.Or() if isinstance(node.op, ast.And) else ast.And(), node.values)
    for i in range(len(node.values)):
        left = node.values[:i] + node.values[i + 1 :]
        yield ast.BoolOp(node.op, left) if len(left) > 1 else left[0]


def _branches(node: ast.IfExp) -> Iterator[ast.expr]:
    yield from (node.body, node.orelse)


def _items(node: ast.Tuple) -> Iterator[ast.expr]:
    if isinstance(node.ctx, ast.Load):
        yield from (ast.Tuple(items, node.ctx) for items in _swaps(node.elts))


def _numbers(node: ast.Constant) -> Iterator[ast.expr]:
    if type(node.value) is int:
        yield from (ast.Constant(node.value + 1), ast.Constant(node.value - 1))


def _subscripts(node: ast.Subscript) -> Iterator[ast.expr]:
    if isinstance(node.slice, ast.Slice):
        yield from _slices(node, node.slice)
    elif isinstance(node.slice, ast.Name | ast.BinOp):
        for side in _sides(node.slice):
            yield ast.Subscript(node.value, side, node.ctx)


def _comparisons(node: ast.Compare) -> Iterator[ast.expr]:
    parts = any(isinstance(one, ast.Slice) for one in ast.walk(node))
    for i, op in enumerate(node.ops):
        if parts and isinstance(op, ast.NotEq | ast.Eq):
            continue  # nobody asks which of two parts of a text is more
        for other in _COMPARED.get(type(op), ()):
            ops = [*node.ops[:i], other(), *node.ops[i + 1 :]]
            yield ast.Compare(node.left, ops, node.comparators)
    none = isinstance(node.comparators[0], ast.Constant) and node.comparators[0].value is None
    if none and isinstance(node.ops[0], ast.IsNot):  # 0 and an empty list count as nothing, too
        yield node.left
    elif none:
        yield ast.UnaryOp(ast.Not(), node.left)


def _signs(node: ast.UnaryOp) -> Iterator[ast.expr]:
    inner = node.operand
    if isinstance(node.op, ast.USub) and isinstance(inner, ast.Constant):
        if inner.value == 1:
            yield ast.Constant(0)  # xs[-1], xs[0]
    else:
        yield inner
    divided = isinstance(inner, ast.BinOp) and isinstance(inner.op, ast.FloorDiv)
    if divided and isinstance(inner, ast.BinOp) and isinstance(inner.left, ast.UnaryOp):
        yield ast.BinOp(inner.left.operand, ast.FloorDiv(), inner.right)  # -(-a // b)


def _sums(node: ast.BinOp) -> Iterator[ast.expr]:
    yield from (node.left, node.right)
    for other in _COUNTED.get(type(node.op), ()):
        yield ast.BinOp(node.left, other(), node.right)
    if isinstance(node.op, ast.FloorDiv):
        yield _up(node.left, node.right)
        yield ast.BinOp(node, ast.Add(), ast.Constant(1))
    if isinstance(node.op, ast.Sub | ast.FloorDiv | ast.Mod | ast.Div):
        yield ast.BinOp(node.right, node.op, node.left)


def _up(left: ast.expr, right: ast.expr) -> ast.expr:
    minus = ast.UnaryOp(ast.USub(), left)
    return ast.UnaryOp(ast.USub(), ast.BinOp(minus, ast.FloorDiv(), right))


def _calls(node: ast.Call) -> Iterator[ast.expr]:
    for args in _swaps(node.args):
        yield ast.Call(node.func, args, node.keywords)
    for i in range(len(node.keywords)):
        yield ast.Call(node.func, node.args, node.keywords[:i] + node.keywords[i + 1 :])
    if isinstance(node.func, ast.Attribute):
        yield from _methods(node, node.func)
    elif isinstance(node.func, ast.Name):
        yield from _functions(node, node.func.id, node.args)


def _functions(node: ast.Call, name: str, args: list[ast.expr]) -> Iterator[ast.expr]:
    if other := _OTHER_FUNCTION.get(name):
        yield ast.Call(ast.Name(other, ast.Load()), args, node.keywords)
    if (name in {"max", "min"} and len(args) > 1) or (name in _ALONE and len(args) == 1):
        yield from args
    elif name == "ceil_div" and len(args) == 2:
        down = ast.BinOp(args[0], ast.FloorDiv(), args[1])
        yield from (down, ast.BinOp(down, ast.Add(), ast.Constant(1)))
    elif name == "range":
        for i, arg in enumerate(args):
            for side in _sides(arg):
                yield ast.Call(node.func, [*args[:i], side, *args[i + 1 :]], [])


def _methods(node: ast.Call, func: ast.Attribute) -> Iterator[ast.expr]:
    if func.attr in _BARE and not node.args:
        yield func.value
    if func.attr == "pop" and not node.args:
        yield ast.Call(func, [ast.Constant(0)], [])
    elif func.attr == "pop" and len(node.args) == 1:
        yield ast.Call(func, [], [])
    elif func.attr == "append" and len(node.args) == 1:
        insert = ast.Attribute(func.value, "insert", ast.Load())
        yield ast.Call(insert, [ast.Constant(0), node.args[0]], [])
    elif func.attr == "get" and len(node.args) == 2:
        yield ast.Subscript(func.value, node.args[0], ast.Load())
    if other := _OTHER_METHOD.get(func.attr):
        yield ast.Call(ast.Attribute(func.value, other, ast.Load()), node.args, [])


def _slices(node: ast.Subscript, cut: ast.Slice) -> Iterator[ast.expr]:
    if isinstance(node.ctx, ast.Load):
        yield node.value
    for side in _sides(cut.lower):
        yield ast.Subscript(node.value, ast.Slice(side, cut.upper, cut.step), node.ctx)
    for side in _sides(cut.upper):
        yield ast.Subscript(node.value, ast.Slice(cut.lower, side, cut.step), node.ctx)
    for lower, upper in ((cut.lower, None), (None, cut.upper), (cut.upper, cut.lower)):
        yield ast.Subscript(node.value, ast.Slice(lower, upper, cut.step), node.ctx)


def shortened(target: ast.expr, items: ast.expr) -> Iterator[tuple[ast.expr, str]]:
    """What is looped over without its last, without its first, and in reverse; with a clause."""
    whole = items if isinstance(items, ast.Name) else ast.Call(ast.Name("list"), [items], [])
    loop = snippet(ast.For(target, items, [ast.Pass()], [], lineno=0))
    one, minus = ast.Constant(1), ast.UnaryOp(ast.USub(), ast.Constant(1))
    for cut, words in (
        (ast.Slice(None, minus), "stops one earlier"),
        (ast.Slice(one, None), "begins one later"),
        (ast.Slice(None, None, minus), "goes from the end to the beginning"),
    ):
        yield ast.Subscript(whole, cut, ast.Load()), f"the loop {loop} {words}"


def _sides(bound: ast.expr | None) -> Iterator[ast.expr]:
    """One more and one less; of a constant that is another change."""
    if bound is not None and not isinstance(bound, ast.Constant):
        yield ast.BinOp(bound, ast.Add(), ast.Constant(1))
        yield ast.BinOp(bound, ast.Sub(), ast.Constant(1))


def _swaps(items: list[ast.expr]) -> Iterator[list[ast.expr]]:
    for i, j in itertools.combinations(range(len(items)), 2):
        new = list(items)
        new[i], new[j] = new[j], new[i]
        yield new


_MAKERS: dict[Any, Callable[[Any], Iterator[ast.expr]]] = {
    ast.Compare: _comparisons,
    ast.BoolOp: _operands,
    ast.UnaryOp: _signs,
    ast.BinOp: _sums,
    ast.IfExp: _branches,
    ast.Call: _calls,
    ast.Tuple: _items,
    ast.Constant: _numbers,
    ast.Subscript: _subscripts,
}

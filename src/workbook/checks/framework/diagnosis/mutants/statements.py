"""Changes of statements: left out, in another order, inside a loop or after it."""

import ast
from collections.abc import Iterator

from workbook.checks.framework.diagnosis.mutants.expressions import shortened
from workbook.checks.framework.diagnosis.mutants.tree import (
    FOR_A_LOOP,
    Block,
    Change,
    Place,
    blocks,
    is_docstring,
    snippet,
)

_NOT_CHANGED = (
    ast.Import | ast.ImportFrom | ast.FunctionDef | ast.ClassDef | ast.Pass | ast.Global | ast.Try
)
Told = Iterator[tuple[Block, str]]  # what takes the place of some statements, and the clause
Placed = Iterator[tuple[Block, str, int]]  # a whole block, the clause, and the line


def changes(tree: ast.Module) -> Iterator[Change]:
    """Every small change of a statement in the tree."""
    for place in blocks(tree):
        block: Block = place.node
        for new, clause, line in _of_block(place, block):
            needs = FOR_A_LOOP if clause.startswith("the loop") else 1
            yield Change(place, new or [ast.Pass()], clause, line, needs)


def _of_block(place: Place, block: Block) -> Placed:
    for i, one in enumerate(block):
        before, after = block[:i], block[i + 1 :]
        if isinstance(one, _NOT_CHANGED) or is_docstring(one):
            continue
        # A sole statement below an `if` is left out together with it.
        if not (isinstance(place.around[-1], ast.If) and len(block) == 1 and _plain(place)):
            yield [*before, *after], _left_out(one), one.lineno
        for new, clause in _alone(one, after[0] if after else None):
            yield [*before, *new, *after], clause, one.lineno
        for new, clause, line in _with_next(one, after):
            yield [*before, *new], clause, line


def _plain(place: Place) -> bool:
    branch = place.around[-1]
    return isinstance(branch, ast.If) and not branch.orelse


def _left_out(one: ast.stmt) -> str:
    if isinstance(one, ast.If) and not one.orelse:
        return f"what stands below {snippet(one)} never happens"
    return f"{snippet(one)} is left out"


def _alone(one: ast.stmt, after: ast.stmt | None) -> Told:
    """Changes of one statement; ``after`` comes next in its block."""
    if isinstance(one, ast.If):
        yield one.body, f"what stands below {snippet(one)} always happens"
        if one.orelse:
            yield one.orelse, f"what stands below {snippet(one)} never happens"
            yield [ast.If(one.test, one.body, [])], f"the `else` of {snippet(one)} is left out"
        opposite = ast.If(ast.UnaryOp(ast.Not(), one.test), one.body, one.orelse)
        yield [opposite], f"{snippet(one)} asks the opposite"
    elif isinstance(one, ast.While):
        once = ast.While(one.test, [*one.body, ast.Break()], one.orelse)
        yield [once], f"{snippet(one)} goes round only once, as an `if` would"
        if one.orelse:
            yield [ast.While(one.test, one.body, []), *one.orelse], "`else:` has no `while` to it"
    elif isinstance(one, ast.For):
        yield from _loops(one, after)
    elif isinstance(one, ast.AugAssign):
        yield from _counted(one)
    elif isinstance(one, ast.Assign) and isinstance(one.targets[0], ast.Name):
        added = ast.AugAssign(one.targets[0], ast.Add(), one.value)
        yield [added], f"{snippet(added)} stands in the place of {snippet(one)}"
    elif isinstance(one, ast.Break):
        yield [ast.Continue()], "`continue` stands in the place of `break`"
    elif isinstance(one, ast.Continue):
        yield [ast.Break()], "`break` stands in the place of `continue`"


def _loops(one: ast.For, after: ast.stmt | None) -> Told:
    head = snippet(one)
    if isinstance(after, ast.Return):
        early = _loop(one, one.iter, [*one.body, after])
        yield [early], f"{snippet(after)} stands inside the loop {head}, at its end"
    else:
        once = _loop(one, one.iter, [*one.body, ast.Break()])
        yield [once], f"the loop {head} ends after its first turn"
    for iterated, clause in shortened(one.target, one.iter):
        yield [_loop(one, iterated, one.body)], clause


def _loop(one: ast.For, items: ast.expr, body: Block) -> ast.For:
    return ast.For(one.target, items, body, one.orelse, lineno=one.lineno)


def _counted(one: ast.AugAssign) -> Told:
    target = one.target
    plain = ast.Assign([target], one.value, lineno=1)
    yield [plain], f"{snippet(plain)} stands in the place of {snippet(one)}"
    if isinstance(one.op, ast.Add | ast.Sub):
        op = ast.Sub() if isinstance(one.op, ast.Add) else ast.Add()
        other = ast.AugAssign(target, op, one.value)
        yield [other], f"{snippet(other)} stands in the place of {snippet(one)}"


def _with_next(one: ast.stmt, after: Block) -> Placed:
    """The other order, and an indentation too many or too few; with all that comes after."""
    if not after or isinstance(after[0], _NOT_CHANGED):
        return
    then, rest = after[0], after[1:]
    yield [then, one, *rest], f"{snippet(then)} comes before {snippet(one)}", one.lineno
    if isinstance(one, ast.If | ast.For | ast.While) and not one.orelse:
        if not (isinstance(one, ast.For) and isinstance(then, ast.Return)):  # which is told above
            taken_in = _with_body(one, [*one.body, then])
            yield [taken_in, *rest], f"{snippet(then)} stands below {snippet(one)}", then.lineno
        if len(one.body) > 1:
            last, left = one.body[-1], _with_body(one, one.body[:-1])
            words = f"{snippet(last)} stands after {snippet(one)}, not below it"
            yield [left, last, *after], words, last.lineno
    if isinstance(one, ast.If) and _leaves(one) and rest:
        end = len(after) - isinstance(after[-1], ast.Return)
        late = [*after[:end], one, *after[end:]]
        yield late, f"{snippet(one)} is asked only when all else has been done", one.lineno


def _with_body(one: ast.If | ast.For | ast.While, body: Block) -> ast.stmt:
    if isinstance(one, ast.For):
        return _loop(one, one.iter, body)
    return type(one)(one.test, body, one.orelse)


def _leaves(one: ast.If) -> bool:
    return isinstance(one.body[-1], ast.Raise | ast.Return) and not one.orelse

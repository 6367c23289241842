"""The code of a wrong answer, however whoever wrote it down has made it.

Some are written out; some are a right solution with texts replaced; some are a class that ``type``
made of a right one and a few methods, or a function that a factory gave one part that is wrong.
"""

import ast
import difflib
import inspect
import linecache
import re
import types
from collections.abc import Callable, Iterator
from typing import Any

from workbook.checks.framework.mistake import source_of

NOTE = re.compile(r"  # (?:noqa|type:).*$", re.MULTILINE)  # for a linter, not for a reader
LONGEST_PART = 80  # signs of what a factory gave
MADE = "<mistake "  # how files of solutions begin that were made by replacing texts


def is_changed_text(wrong: Any) -> bool:
    """Whether it was made from a right solution's text."""
    return isinstance(wrong, str) or _file(wrong).startswith(MADE)


def written_out(wrong: Any) -> str:
    """All of its code, with the parts that a factory gave it; empty where there is none to read."""
    source = _class(wrong) if inspect.isclass(wrong) else _function(wrong)
    given = [f"# where {name} = {value}" for name, value in parts(wrong)]
    return "\n".join([*([source] if source else []), *given])


def parts(wrong: Any) -> list[tuple[str, str]]:
    """What a factory gave a function or the methods of a class: names and code."""
    found: dict[str, str] = {}
    for function in _functions(wrong):
        variables = inspect.getclosurevars(function).nonlocals
        for name, value in variables.items():
            if name != "__class__" and (code := _value(value)):
                found[name] = code
    return list(found.items())


def only_method(wrong: Any) -> tuple[str, str] | None:
    """Name and code of the one method of a class that ``type`` made, if it says all in one line."""
    if not inspect.isclass(wrong) or _is_statement(wrong):
        return None
    methods = dict(_methods(wrong))
    (name,) = methods if len(methods) == 1 else [""]
    body = one_line(methods[name]) if name else ""
    return (name, body) if body else None


def one_line(function: Callable[..., Any]) -> str:
    """The body of a lambda, or of a function with one statement; else nothing."""
    if function.__name__ == "<lambda>":
        return _lambda(function, whole=False)
    try:
        tree = ast.parse(source_of(function)).body[0]
    except (OSError, TypeError, SyntaxError):
        return ""
    body = [] if not isinstance(tree, ast.FunctionDef) else tree.body
    return ast.unparse(body[0]) if len(body) == 1 else ""


def changed_lines(rights: list[Any], wrong: Any) -> str:
    """The lines changed in the nearest right solution; all of it if none is near."""
    new = _text(wrong).strip("\n").splitlines()
    diffs = []
    for right in rights:
        old = _text(right).strip("\n").splitlines()
        lines = difflib.unified_diff(old, new, n=0, lineterm="")
        diffs.append([line for line in lines if not line.startswith(("---", "+++", "@@"))])
    best = min((diff for diff in diffs if diff), key=len, default=new)
    return NOTE.sub("", "\n".join(best if len(best) < len(new) else new))


def _text(solution: Any) -> str:
    if isinstance(solution, str):
        return solution
    if is_changed_text(solution):  # inspect would find the class of that name in its module
        return "".join(linecache.getlines(_file(solution)))
    try:
        return source_of(solution)
    except (OSError, TypeError):
        return ""


def _class(wrong: type) -> str:
    if _is_statement(wrong):
        return _undecorated(_text(wrong))
    bases = ", ".join(base.__name__ for base in wrong.__bases__)
    lines = [f"class {wrong.__name__}({bases}):"]
    for name, method in _methods(wrong):
        source = _function(method)
        if method.__name__ == "<lambda>":
            source = f"{name} = {source}"
        lines += [f"    {line}".rstrip() for line in source.splitlines()]
    return "\n".join(lines)


def _is_statement(wrong: type) -> bool:
    """Told by the full names of its methods: those that ``type`` was given had others before."""
    return all(
        method.__qualname__ == f"{wrong.__qualname__}.{name}" for name, method in _methods(wrong)
    )


def _methods(wrong: type) -> Iterator[tuple[str, Callable[..., Any]]]:
    for name, value in vars(wrong).items():
        inner = value.fget if isinstance(value, property) else value
        inner = inner.__func__ if isinstance(inner, (staticmethod, classmethod)) else inner
        if inspect.isfunction(inner):
            yield name, inner


def _functions(wrong: Any) -> list[Callable[..., Any]]:
    if inspect.isclass(wrong):
        return [method for _, method in _methods(wrong)]
    inner = getattr(wrong, "fn", wrong)
    return [inner] if inspect.isfunction(inner) else []


def _function(wrong: Any) -> str:
    if getattr(wrong, "__name__", "") == "<lambda>":
        return _lambda(wrong, whole=True)
    return _undecorated(_text(wrong))


def _value(value: Any) -> str:
    """A part that is worth showing: a function of some lines, a number, a text."""
    if isinstance(value, dict):
        return ", ".join(f"{key}: {_value(one)}" for key, one in value.items())
    if inspect.isfunction(value):
        return _function(value) if value.__name__ == "<lambda>" else value.__name__
    shown = getattr(value, "__name__", None) or repr(value)
    return shown if len(shown) <= LONGEST_PART and " at 0x" not in shown else ""


def _undecorated(source: str) -> str:
    """Without the decorator, which says why it is wrong: the table has that."""
    found = re.search(r"^(?:class|def) ", source, re.MULTILINE)
    return NOTE.sub("", source[found.start() if found else 0 :]).strip("\n")


def _file(thing: Any) -> str:
    functions = _functions(thing)
    return functions[0].__code__.co_filename if functions else ""


def _lambda(function: Callable[..., Any], *, whole: bool) -> str:
    """The words of a lambda, told from others on its line by what it was compiled to."""
    code = function.__code__
    tree = ast.parse("".join(linecache.getlines(code.co_filename)))
    here = [node for node in ast.walk(tree)
            if isinstance(node, ast.Lambda) and node.lineno == code.co_firstlineno]  # fmt: skip
    alike = [node for node in here if _says(_compiled(node)) == _says(code)]
    found = here if len(here) == 1 else alike
    return ast.unparse(found[0] if whole else found[0].body) if found else ""


def _compiled(node: ast.Lambda) -> types.CodeType:
    """Without running anything: an expression's code holds that of the lambdas in it."""
    inside = compile(ast.Expression(node), "", "eval").co_consts
    return next(each for each in inside if isinstance(each, types.CodeType))


def _says(code: types.CodeType) -> tuple[object, ...]:
    values = [value for value in code.co_consts if not isinstance(value, types.CodeType)]
    return code.co_code, code.co_names, values

"""A chapter taken apart: its exercises, what is folded away, and what later cells need of that.

Everything is told by a ``Page``, a chapter's cells, and nothing is changed. ``at`` is the index of
a cell in it.
"""

import ast
from typing import Literal, NamedTuple

from nbformat import NotebookNode

from bookbuild.book import BookError
from bookbuild.editions.names import names
from bookbuild.rules.exercises import Exercise, check_name, exercises
from bookbuild.rules.page import Page, tags
from bookbuild.rules.signatures import definitions, solution_name, statements, unfinished

Kind = Literal["solution", "answer"]


class Task(NamedTuple):
    """One exercise as it is worked on: the reader completes ``stub``, the book has ``solution``.

    ``check`` is the name below ``check.``. All three are names in the notebook; the cells behind
    them are ``where.stub``, ``where.check`` and ``where.solution``, minutes and the rest likewise.
    """

    label: str
    title: str
    stub: str
    check: str
    solution: str
    where: Exercise


class Part(NamedTuple):
    """A folded code cell that answers something: the solution of an exercise, or of a *Try it*.

    ``name`` is its own in the whole book: ``ex-02-1``, or ``try-02-1`` for an answer. ``source`` is
    the cell's, less its check. ``needed`` are the names that cells below need of it, in order.
    """

    at: int
    kind: Kind
    name: str
    source: str
    needed: tuple[str, ...]


def tasks(page: Page) -> list[Task]:
    """The exercises in order. Raises ``BookError`` for one with a part missing, which `make sync`
    describes better.
    """
    found = []
    for where in exercises(page):
        label = where.spec.options.get("label", "")
        if where.stub is None or where.check is None or where.solution is None:
            raise BookError(f"{page.name}: {label or where.spec.title} is not complete; make sync")
        name, stub = checked(page.cells[where.check].source)
        asked = unfinished(page.cells[where.stub].source)
        if stub not in asked:
            raise BookError(f"{page.name}: the check of {label} takes {stub}, and no stub has it")
        found.append(Task(label, where.spec.title, stub, name, solution_name(asked[stub]), where))
    return found


def checked(source: str) -> tuple[str, str]:
    """Of a cell that ends in ``check.gather(mine)``: ``("gather", "mine")``.

    Raises ``BookError`` where it ends otherwise.
    """
    body = statements(source)
    match body[-1] if body else None:
        case ast.Expr(ast.Call(ast.Attribute(ast.Name("check"), name), [ast.Name(given)])):
            return name, given
    raise BookError(f"a check cell ends in `check.name(your_object)`, not so:\n{source}")


def without_checks(source: str) -> str:
    """The cell's words, less the statements that are calls of a check."""
    gone = set[int]()
    for node in statements(source):
        if check_name(ast.unparse(node)) is not None:
            gone |= set(range(node.lineno, (node.end_lineno or node.lineno) + 1))
    kept = [line for at, line in enumerate(source.splitlines(), 1) if at not in gone]
    return "\n".join(kept).strip() + "\n"


def parts(page: Page) -> list[Part]:
    """The solutions and answers in order, each with what cells below need of it.

    A cell below is one that stays, or another part that is needed itself: going upwards, what a
    cell reads is wanted above it until a cell binds it.
    """
    labels = {task.where.solution: task.label for task in tasks(page)}
    wanted, found = set[str](), []
    promised = _read_by_functions(page)
    for at, cell in reversed(list(page.code())):
        kind = _kind(cell)
        source = cell.source if kind is None else without_checks(cell.source)
        here = names(source)
        needed = here.binds & (wanted | promised)
        if kind is not None:
            name = labels.get(at, f"try-{page.number}")
            found.append(Part(at, kind, name, source, tuple(_in_order(source, needed))))
        if kind is None or needed:
            wanted = (wanted - here.binds) | here.now | here.later
    return _numbered(found[::-1])


def _kind(cell: NotebookNode) -> Kind | None:
    return "solution" if "solution" in tags(cell) else "answer" if "answer" in tags(cell) else None


def _read_by_functions(page: Page) -> frozenset[str]:
    """What functions of cells that stay read when they are called, which may be below a part."""
    stay = [names(cell.source).later for _, cell in page.code() if _kind(cell) is None]
    return frozenset[str]().union(*stay)


def _in_order(source: str, wanted: frozenset[str]) -> list[str]:
    first = [name for name in definitions(source) if name in wanted]
    return [*first, *sorted(wanted - set(first))]


def _numbered(found: list[Part]) -> list[Part]:
    """Answers count from 1 in each chapter; so does a second cell of a solution."""
    seen, out = dict[str, int](), []
    for part in found:
        seen[part.name] = number = seen.get(part.name, 0) + 1
        first = part.kind == "solution" and number == 1
        out.append(part if first else part._replace(name=f"{part.name}-{number}"))
    return out

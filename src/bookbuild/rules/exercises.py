"""Exercises: found in a chapter, and complete (spec, stub, check, two hints, folded solution)."""

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from nbformat import NotebookNode

from bookbuild.rules.directives import Directive, directives
from bookbuild.rules.page import Page, Problem, tags
from bookbuild.rules.signatures import (
    definitions,
    mismatches,
    solution_name,
    statements,
    unfinished,
)

FEWEST = 3
HINTS = 2
EFFORT = re.compile(
    r"(\d+) minutes? · difficulty ([123]) of 3( · importance !{1,3})?(?P<optional> · optional)?"
)


@dataclass
class Exercise:
    """One exercise; cells are indices, ``None`` when the cell isn't there."""

    spec: Directive
    at: int
    stub: int | None = None
    check: int | None = None
    solution: int | None = None
    hints: list[Directive] = field(default_factory=list)

    @property
    def effort(self) -> re.Match[str] | None:
        """Its first line: minutes, difficulty, importance for later chapters, optional or not."""
        first = self.spec.body.split("\n", 1)[0].strip()
        return EFFORT.fullmatch(first)

    @property
    def minutes(self) -> int:
        """Minutes it takes; 0 when it doesn't say."""
        return int(self.effort[1]) if self.effort else 0

    @property
    def optional(self) -> bool:
        """Whether the chapter's minutes leave it out."""
        return bool(self.effort and self.effort["optional"])


def exercises(page: Page) -> list[Exercise]:
    """The chapter's exercises; cells after one belong to it until the next begins."""
    found: list[Exercise] = []
    for at, cell in enumerate(page.cells):
        if cell.cell_type == "markdown":
            for directive in directives(cell.source):
                if directive.name == "exercise":
                    found.append(Exercise(directive, at))
                elif directive.name == "hint" and found and found[-1].solution is None:
                    found[-1].hints.append(directive)
        elif found:
            _place(found[-1], at, cell)
    return found


def _place(exercise: Exercise, at: int, cell: NotebookNode) -> None:
    for role in ("stub", "check", "solution"):
        if role in tags(cell) and getattr(exercise, role) is None:
            setattr(exercise, role, at)


def enough(page: Page) -> Iterator[Problem]:
    """Every chapter has something to do."""
    number = len(exercises(page))
    if number < FEWEST:
        yield page.problem(f"{number} exercises; a chapter has {FEWEST} or more")


def specs(page: Page) -> Iterator[Problem]:
    """An exercise says its label, minutes and difficulty."""
    seen: set[str] = set()
    for exercise in exercises(page):
        label = exercise.spec.options.get("label", "")
        if not re.fullmatch(rf"ex-{page.number}-\d+", label):
            yield page.problem(f"the exercise needs `:label: ex-{page.number}-K`", exercise.at)
        elif label in seen:
            yield page.problem(f"a second exercise has the label {label}", exercise.at)
        seen.add(label)
        if not exercise.spec.closed:
            yield page.problem("the exercise's closing `:::` is missing", exercise.at)
        if not exercise.spec.title:
            yield page.problem("the exercise needs a title after {exercise}", exercise.at)
        if exercise.effort is None:
            yield page.problem(
                "below its label the exercise needs the line `10 minutes · difficulty 2 of 3`, "
                "then ` · importance !`, `!!` or `!!!`, and ` · optional` where it is",
                exercise.at,
            )


def parts(page: Page) -> Iterator[Problem]:
    """After the spec come stub, check, hints and solution, in this order."""
    for exercise in exercises(page):
        cells = {"stub": exercise.stub, "check": exercise.check, "solution": exercise.solution}
        missing = [role for role, at in cells.items() if at is None]
        for role in missing:
            yield page.problem(f"the exercise has no code cell tagged `{role}`", exercise.at)
        if not missing and list(cells.values()) != sorted(filter(None, cells.values())):
            yield page.problem("stub, check and solution come in another order", exercise.at)
        if exercise.stub is not None and exercise.stub != exercise.at + 1:
            yield page.problem("the stub isn't the next cell after its exercise", exercise.stub)
        if exercise.check is not None and exercise.check - 1 != exercise.stub:
            yield page.problem("the check isn't the next cell after its stub", exercise.check)


def two_hints(page: Page) -> Iterator[Problem]:
    """Help comes in two folded steps before the solution."""
    for exercise in exercises(page):
        titles = [hint.title for hint in exercise.hints]
        if titles != [f"Hint {n}" for n in range(1, HINTS + 1)]:
            yield page.problem(
                f"before its solution the exercise has the hints {titles}; "
                "it needs `:::{hint} Hint 1` and `:::{hint} Hint 2`",
                exercise.at,
            )
        for hint in exercise.hints:
            if "dropdown" not in hint.options.get("class", "") or not hint.closed:
                message = f"{hint.title!r} needs `:class: dropdown` and its closing `:::`"
                yield page.problem(message, exercise.at)


def folded_solutions(page: Page) -> Iterator[Problem]:
    """A solution is folded in Lab and on the web until the reader asks for it; so is an answer."""
    for at, cell in page.code():
        for tag in sorted({"solution", "answer"} & set(tags(cell))):
            folded = cell.metadata.get("jupyter", {}).get("source_hidden") is True
            if not folded or "hide-input" not in tags(cell):
                yield page.problem(
                    f"a cell tagged `{tag}` is folded by `:tags: [{tag}, hide-input]` and "
                    "`:jupyter: {source_hidden: true}`",
                    at,
                )


def answers(page: Page) -> Iterator[Problem]:
    """The solution has its own name, the stub's signatures, and passes the same check."""
    for exercise in exercises(page):
        if exercise.stub is None or exercise.solution is None or exercise.check is None:
            continue
        asked = unfinished(page.cells[exercise.stub].source)
        given = definitions(page.cells[exercise.solution].source)
        if not asked:
            yield page.problem("the stub never raises NotImplementedError", exercise.stub)
        for name, stub in asked.items():
            wanted = solution_name(stub)
            if name in given:
                message = f"overwrites the reader's {name}; call it {wanted}"
                yield page.problem(message, exercise.solution)
            if wanted not in given:
                yield page.problem(f"the solution of {name} must be {wanted}", exercise.solution)
                continue
            for message in mismatches(stub, given[wanted]):
                yield page.problem(message, exercise.solution)
        yield from _same_check(page, exercise.check, exercise.solution)


def _same_check(page: Page, check: int, solution: int) -> Iterator[Problem]:
    asked, given = (check_name(page.cells[at].source) for at in (check, solution))
    if asked is None:
        yield page.problem("a check cell is one line, `check.name(…)`", check)
    elif asked != given:
        message = f"the solution must end with check.{asked}(…), the check that readers run"
        yield page.problem(message, solution)


def check_name(source: str) -> str | None:
    """``"allocator"`` where a cell ends in ``check.allocator(…)``."""
    body = statements(source)
    match body[-1] if body else None:
        case ast.Expr(ast.Call(ast.Attribute(ast.Name("check"), name))):
            return name
    return None

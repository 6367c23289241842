"""An exercise: cases in order, two hints, what is right, and the mistakes that are known."""

import copy
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from numbers import Real
from typing import Any, Literal, TypeVar, overload

from workbook.checks.framework.cases import Body, Case, expect, shown
from workbook.checks.framework.mistake import Mistake, changed, source_of

Takes = Literal["class", "function", "text", "text or function"]
Wrong = TypeVar("Wrong")


@dataclass(eq=False)
class Exercise:
    """One exercise: ``label`` is its label in the chapter, ``stub`` the name the reader defines.

    The last four are filled by the module of mistakes, which is loaded when a check needs a cause.
    ``finished`` is a right solution with the stub's signature, ``also_right`` are others;
    ``probes`` are the arguments of calls that no case makes, on which a function that passed is
    compared with it. ``answers`` is false for one that returns nothing. ``any_form`` says that an
    answer may look otherwise than its answer.
    """

    name: str
    label: str
    title: str
    stub: str
    takes: Takes
    hints: tuple[str, str]
    answers: bool = True
    cases: list[Case] = field(default_factory=list)
    finished: Any = None
    also_right: list[Any] = field(default_factory=list)
    mistakes: list[Mistake] = field(default_factory=list)
    probes: list[tuple[Any, ...]] = field(default_factory=list)
    any_form: bool = False

    def case(self, title: str, *, tried: str, right: str, why: str) -> Callable[[Body], Body]:
        """Decorator: add the function below it as the next case; returns the function unchanged."""

        def add(body: Body) -> Body:
            self.cases.append(Case(title, tried, right, why, body))
            return body

        return add

    def example(
        self,
        title: str,
        *args: Any,
        right: Any,
        why: str,
        when: Sequence[tuple[Any, str]] = (),
    ) -> None:
        """Add the case "this call returns ``right``".

        ``when`` pairs wrong answers that are easily given with a why of their own. A mistake says
        more: it is recognised in every case.
        """

        def body(function: Any) -> None:
            got = function(*copy.deepcopy(args))
            better = next((text for wrong, text in when if _same(got, wrong)), None)
            expect(_same(got, right), got=shown(got), why=better)

        call = f"{self.stub}({', '.join(shown(arg) for arg in args)})"
        self.case(title, tried=call, right=shown(right), why=why)(body)

    @overload
    def mistake(self, says: str) -> Callable[[Wrong], Wrong]: ...
    @overload
    def mistake(self, says: str, *changes: tuple[str, str], of: Any = None) -> None: ...
    def mistake(
        self, says: str, *changes: tuple[str, str], of: Any = None
    ) -> Callable[[Wrong], Wrong] | None:
        """Add a wrong solution and the words for its cause, which no other mistake has.

        As a decorator it takes the function or class below it. With ``(old, new)`` pairs it takes
        the source of ``finished`` (or of ``of``) after these changes, made when first needed.
        """
        if changes:
            base = self.finished if of is None else of
            kept = changes if of is None else ()
            self.mistakes.append(Mistake(says, lambda: changed(base, changes), kept))
            return None

        def add(wrong: Wrong) -> Wrong:
            self.mistakes.append(Mistake(says, lambda: wrong))
            return wrong

        return add

    def inherit(self, other: "Exercise", *without: str) -> None:
        """Add the mistakes made from lines of ``other``'s source that this one's has, too.

        Left out are words that are known here, and those that begin with one of ``without``.
        """
        source, said = source_of(self.finished), {mistake.says for mistake in self.mistakes}
        for mistake in other.mistakes:
            if mistake.says in said or mistake.says.startswith(without):
                continue
            if mistake.changes and all(old in source for old, _ in mistake.changes):
                self.mistake(mistake.says, *mistake.changes)


def _same(got: Any, right: Any) -> bool:
    # True == 1 and 1.0 == 1 in Python; a block id or a count is neither a bool nor a float.
    if isinstance(right, int):
        return type(got) is type(right) and bool(got == right)
    if isinstance(right, (tuple, list)):
        return (
            type(got) is type(right)
            and len(got) == len(right)
            and all(_same(a, b) for a, b in zip(got, right, strict=True))
        )
    if isinstance(right, float) and isinstance(got, Real) and not isinstance(got, bool):
        return math.isclose(got, right, rel_tol=1e-9, abs_tol=1e-12)  # 1 - 108 / 120 is not 0.1
    return bool(got == right)

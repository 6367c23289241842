"""What an exercise is: cases in order, two hints, and the words for what a case found.

A case body takes the reader's object, tries something small on it and calls ``expect``. The same
bodies run on the reader's cells, on the finished engine and on the wrong implementations in
``tests/mutants``.
"""

import copy
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

Body = Callable[[Any], None]
Takes = Literal["class", "function"]


class CheckFailed(AssertionError):
    """A case is not satisfied. A part left ``None`` is filled in from the case itself."""

    def __init__(
        self,
        got: str,
        *,
        tried: str | None = None,
        right: str | None = None,
        why: str | None = None,
    ) -> None:
        super().__init__(got)
        self.got, self.tried, self.right, self.why = got, tried, right, why


class NotHere(Exception):
    """The machine can't run this case; the text, a whole sentence, is all that the check says."""


@dataclass(frozen=True)
class Case:
    """One small experiment; ``tried``, ``right`` and ``why`` are the words for a failure of it."""

    title: str
    tried: str
    right: str
    why: str
    body: Body


@dataclass
class Exercise:
    """One exercise: ``label`` is its label in the chapter, ``stub`` the name the reader defines."""

    name: str
    label: str
    title: str
    stub: str
    takes: Takes
    hints: tuple[str, str]
    cases: list[Case] = field(default_factory=list)

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

        ``when`` pairs wrong answers that are easily given with a why of their own.
        """

        def body(function: Any) -> None:
            got = function(*copy.deepcopy(args))
            better = next((text for wrong, text in when if _same(got, wrong)), None)
            expect(_same(got, right), got=shown(got), why=better)

        call = f"{self.stub}({', '.join(shown(arg) for arg in args)})"
        self.case(title, tried=call, right=shown(right), why=why)(body)


@dataclass(frozen=True)
class Outcome:
    """How one call ended: with a value or with an error. Its text goes into ``got``."""

    value: Any
    error: Exception | None

    def raised(self, *kinds: type[Exception]) -> bool:
        """Whether the call ended in one of these errors."""
        return isinstance(self.error, kinds)

    def __str__(self) -> str:
        if self.error is not None:
            return in_words(self.error)
        return "no error" if self.value is None else f"no error, {shown(self.value)} returned"


def attempt(call: Callable[..., Any], *args: Any) -> Outcome:
    """Call it and keep the error, if any. "Not implemented" is no outcome: it passes through."""
    try:
        return Outcome(call(*args), None)
    except NotImplementedError:
        raise
    except Exception as error:
        return Outcome(None, error)


def expect(
    condition: bool,
    *,
    got: str,
    tried: str | None = None,
    right: str | None = None,
    why: str | None = None,
) -> None:
    """Raise ``CheckFailed`` unless the condition holds."""
    if not condition:
        raise CheckFailed(got, tried=tried, right=right, why=why)


def shown(value: Any) -> str:
    """The value as text that is the same in every run: no addresses, and cut when very long."""
    text = re.sub(r" at 0x[0-9a-fA-F]+", "", repr(value))
    return text if len(text) <= 160 else f"{text[:159]}…"


def in_words(error: BaseException) -> str:
    """``IndexError: pop from empty list``, first line only."""
    message = re.sub(r" at 0x[0-9a-fA-F]+", "", str(error)).strip()
    first = message.splitlines()[0] if message else ""
    return f"{type(error).__name__}: {first}" if first else type(error).__name__


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
    return bool(got == right)

"""A case: one small experiment on the reader's object, and the words for what it found.

A case's body takes the object, tries something small on it and calls ``expect``. The same bodies
run on the reader's cells, on the finished engine and on the known mistakes.
"""

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

Body = Callable[[Any], None]


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


class Skipped(Exception):
    """The machine can't run this one case, which is left out; the text, a sentence, says why."""


@dataclass(frozen=True)
class Case:
    """One small experiment; ``tried``, ``right`` and ``why`` are the words for a failure of it."""

    title: str
    tried: str
    right: str
    why: str
    body: Body


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
    text = re.sub(r" at 0x[0-9a-fA-F]+", "", _ordered(value))
    return text if len(text) <= 160 else f"{text[:159]}…"


def _ordered(value: Any) -> str:
    """Its ``repr``; a set's would begin with another element in each run."""
    if type(value) not in (set, frozenset) or len(value) < 2:
        return repr(value)
    text = f"{{{', '.join(sorted(map(repr, value)))}}}"
    return text if isinstance(value, set) else f"frozenset({text})"


def in_words(error: BaseException) -> str:
    """``IndexError: pop from empty list``, first line only."""
    message = re.sub(r" at 0x[0-9a-fA-F]+", "", str(error)).strip()
    first = message.splitlines()[0] if message else ""
    return f"{type(error).__name__}: {first}" if first else type(error).__name__

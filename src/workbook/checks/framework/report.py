"""What a check says: the passed cases, then the first failure with tried, got, right and why."""

import re
import textwrap
from collections.abc import Mapping
from dataclasses import dataclass, field

WIDTH = 100
# Terminal colours: notebooks and consoles know them, and choose the shade themselves.
GREEN, RED, BLUE, PLAIN = "\x1b[32m", "\x1b[1;31m", "\x1b[34m", "\x1b[0m"
VERDICTS = {"passed": GREEN, "FAILED": RED, "to do": BLUE}
OFFER = "hint(1) and hint(2) are there when you want them."


@dataclass(frozen=True)
class Failure:
    """The four things a failed case tells."""

    tried: str
    got: str
    right: str
    why: str


@dataclass(frozen=True)
class Report:
    """The result of one check. Its ``repr`` is for people; ``ok`` is for code.

    Cases run in order and stop at the first that is not passed: one fault to think about at a time.
    ``todo`` means that the case met a stub; ``remark`` is a line about the call as a whole;
    ``here`` is false where this machine can't run the case.
    """

    call: str
    titles: tuple[str, ...]
    passed: int
    failure: Failure | None = None
    todo: bool = False
    remark: str | None = None
    skipped: Mapping[int, str] = field(default_factory=dict)  # case number from 0: why
    here: bool = True

    @property
    def ok(self) -> bool:
        """Whether every case passed that this machine can run."""
        return self.passed == len(self.titles)

    def __repr__(self) -> str:
        return "\n".join([self.call, *self._lines()])

    def _repr_mimebundle_(self, **_: object) -> dict[str, str]:
        """What a notebook shows: the same words, with the verdicts in colour."""
        return {"text/plain": _coloured(repr(self))}

    def _lines(self) -> list[str]:
        if self.todo and self.passed == 0:
            return [f"  not implemented yet; {OFFER}"]
        if self.remark and self.passed == 0 and not self.failure:
            return wrapped("", self.remark, "  ")
        width = len(str(len(self.titles)))
        numbered = [f"{i:>{width}}  {title}" for i, title in enumerate(self.titles, 1)]
        lines = []
        for at, line in enumerate(numbered[: self.passed]):
            lines.append(f"  {'skipped' if at in self.skipped else 'passed '} {line}")
            if at in self.skipped:
                lines += wrapped("", self.skipped[at], "          ")
        if self.failure:
            lines.append(f"  FAILED  {numbered[self.passed]}")
            for name in ("tried", "got", "right", "why"):
                lines += wrapped(f"{name:<8}", getattr(self.failure, name), "      ")
        elif self.todo:
            lines.append(f"  to do   {numbered[self.passed]}: not implemented yet")
        if self.remark:
            lines += wrapped("", self.remark, "  ")
        return [*lines, self._last_line()]

    def _last_line(self) -> str:
        count = f"  {self.passed} of {len(self.titles)} passed"
        if self.ok:
            return f"{count}, {len(self.skipped)} of them skipped." if self.skipped else f"{count}."
        return f"{count}; {OFFER}"


def wrapped(head: str, text: str, indent: str) -> list[str]:
    """``text`` after ``head``, in lines that fit a narrow cell and hang below the text."""
    return textwrap.wrap(
        text,
        WIDTH,
        initial_indent=indent + head,
        subsequent_indent=indent + " " * len(head),
        break_long_words=False,
        break_on_hyphens=False,
    )


def _coloured(report: str) -> str:
    """The verdict at the beginning of each case's line, in its colour; nothing else changes."""
    return re.sub(
        r"^(  )(passed|FAILED|to do)(?=  )",
        lambda found: f"{found[1]}{VERDICTS[found[2]]}{found[2]}{PLAIN}",
        report,
        flags=re.MULTILINE,
    )

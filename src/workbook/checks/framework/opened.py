"""An open task: a spec without a stub, an exact score, and the book's own result to beat."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Literal

from workbook.checks.framework.cases import in_words
from workbook.checks.framework.limit import NoEnd, no_end, time_limit
from workbook.checks.framework.mistake import Mistake
from workbook.checks.framework.report import wrapped
from workbook.checks.framework.source import line_in

Score = int | float
_LONGEST = 60  # seconds: an answer may search


class Rejected(AssertionError):
    """The answer breaks the spec; the text, a whole sentence, says where."""


@dataclass(frozen=True)
class Verdict:
    """What the judge found: a score, or why there is none. Its ``repr`` is for people."""

    call: str
    task: "OpenTask"
    score: Score | None = None
    rejected: str | None = None

    @property
    def ok(self) -> bool:
        """Whether the answer keeps the spec, however good it is."""
        return self.score is not None

    def __repr__(self) -> str:
        if self.score is None:
            return "\n".join([self.call, *wrapped("rejected  ", self.rejected or "", "  ")])
        rows = [("yours", self.score, _place(self.task, self.score)), *self.task.marks]
        return "\n".join([self.call, *_table(rows, self.task.unit)])


@dataclass
class OpenTask:
    """A task with many right answers. ``judge`` plays one and returns its score.

    ``judge`` is exact: the same answer gets the same score on every machine. It raises
    ``Rejected`` for an answer that breaks the spec. ``today`` is what the chapter has so far,
    ``book`` the book's own result, ``bound`` what no answer reaches: ``(score, words)`` each.
    A ``measured`` one judges by a stopwatch: its score is a ratio of times of one run, and no two
    runs give the same. ``solved`` and ``degenerate`` are filled by the chapter's module of
    mistakes: the answer behind ``book``, and answers that must be rejected.
    """

    name: str
    label: str
    title: str
    asks: str  # what is handed in, with its signature
    unit: str  # what the score counts
    better: Literal["less", "more"]
    today: tuple[Score, str]
    book: tuple[Score, str]
    bound: tuple[Score, str] | None
    judge: Callable[[Any], Score]
    measured: bool = False
    solved: Any = None
    degenerate: list[Mistake] = field(default_factory=list)

    @property
    def marks(self) -> list[tuple[str, Score, str]]:
        """The scores to compare with: name, score, words."""
        marks = [("today", *self.today), ("the book", *self.book)]
        return marks + ([("bound", *self.bound)] if self.bound else [])

    def rejects(self, says: str) -> Callable[[Any], Any]:
        """Decorator: an answer that the judge must reject, and words that its rejection holds."""

        def add(wrong: Any) -> Any:
            self.degenerate.append(Mistake(says, lambda: wrong))
            return wrong

        return add

    def __call__(self, answer: Any) -> Verdict:
        """Judge the reader's answer; their mistakes become a verdict, never a traceback."""
        call = f"judge.{self.name}({getattr(answer, '__name__', '…')})"
        try:
            with time_limit(_LONGEST):
                return Verdict(call, self, self.judge(answer))
        except Rejected as rejected:
            return Verdict(call, self, rejected=str(rejected))
        except NoEnd:
            return Verdict(call, self, rejected=f"It has {no_end(_LONGEST)}.")
        except Exception as error:
            return Verdict(
                call, self, rejected=f"It ends in {in_words(error)}{line_in(error, answer)}."
            )

    def __repr__(self) -> str:
        head = [f"judge.{self.name}: {self.title}", *wrapped("asks   ", self.asks, "  ")]
        score = f"{self.unit}; {self.better} is better"
        return "\n".join([*head, *wrapped("score  ", score, "  "), *_table(self.marks, self.unit)])


def _place(task: OpenTask, score: Score) -> str:
    """Where a score stands among the marks."""
    sign = 1 if task.better == "more" else -1
    if score == task.book[0]:
        return "level with the book's"
    if sign * score > sign * task.book[0]:
        return "better than the book's"
    better = sign * score > sign * task.today[0]
    return "better than today's" if better else "no better than today's"


def _table(rows: list[tuple[str, Score, str]], unit: str) -> list[str]:
    numbers = [f"{score:,}" for _, score, _ in rows]
    width = max(map(len, numbers))
    return [
        f"  {name:<9} {number:>{width}} {unit:<{len(unit)}}  {words}".rstrip()
        for (name, _, words), number in zip(rows, numbers, strict=True)
    ]

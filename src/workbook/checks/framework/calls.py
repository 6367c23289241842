"""``check``, ``hint``, ``mine`` and ``judge``: what a reader calls."""

import difflib
import textwrap
from collections.abc import Callable, Iterable, Sequence
from typing import Any

from workbook.checks.framework.exercise import Exercise
from workbook.checks.framework.opened import OpenTask
from workbook.checks.framework.registry import Registry
from workbook.checks.framework.report import WIDTH, Report
from workbook.checks.framework.running import run_cases

# Hears of each check: its exercises (several for a suite), the report, the reader's object.
Listener = Callable[[Sequence[Exercise], Report, Any], None]


def _nothing(*_: object) -> None:
    """No mistakes to load."""


class Checks:
    """``check.<name>(your_object)`` runs that exercise; ``hint(n)`` speaks of the last one.

    ``load`` registers the exercises; ``load_mistakes(label)`` adds what is known of one of them.
    After each check every one of ``listeners`` hears of it; the list may grow and shrink at any
    time, and what its members do with the news is their affair. Without ``explain`` no failure's
    cause is looked for: a report counts, and nobody reads it.
    """

    def __init__(
        self,
        registry: Registry,
        load: Callable[[], None] = lambda: None,
        load_mistakes: Callable[[str], None] = _nothing,
        listeners: Sequence[Listener] = (),
        *,
        explain: bool = True,
    ) -> None:
        self._registry = registry
        self._load = load
        self._load_mistakes = load_mistakes
        self._listeners = listeners
        self.explain = explain
        self._last: Exercise | None = None
        self._passed: dict[int, Any] = {}  # objects by id; held, so that no id is used twice

    def __getattr__(self, name: str) -> Callable[[Any], Report]:
        if name.startswith("_"):
            raise AttributeError(name)
        self._load()
        suites = self._registry.suites
        if name not in suites:
            raise AttributeError(_no_such("check", name, suites))

        def run(your_object: Any) -> Report:
            """Run the cases of this exercise on your class or function and say what they found."""
            return self._run(name, suites[name], your_object)

        return run

    def __dir__(self) -> list[str]:
        self._load()
        return sorted(self._registry.suites)

    def hint(self, number: int) -> None:
        """Print hint 1 or hint 2 of the exercise that was checked last."""
        if self._last is None:
            print("No exercise has been checked yet: run a check first, then ask again.")
        elif number not in (1, 2):
            print("There are two hints: hint(1) and hint(2).")
        else:
            hint = f"{self._last.title}, hint {number}: {self._last.hints[number - 1]}"
            print(textwrap.fill(hint, WIDTH, break_long_words=False, break_on_hyphens=False))

    def mine(self, yours: Any, ours: Any, name: str | None = None) -> Any:
        """``yours`` if this very object passed its check, else ``ours``; prints which.

        A cell that is run again makes a new object, which has to pass again. What has no name of
        its own, a text, gets ``name``.
        """
        name = name or getattr(yours, "__name__", None) or getattr(ours, "__name__", "this")
        if self._passed.get(id(yours)) is yours and yours is not None:
            print(f"{name}: yours")
            return yours
        print(
            f"{name}: the book's (yours enters when its check has passed; then run this cell again)"
        )
        return ours

    def _run(self, name: str, parts: Sequence[Exercise], your_object: Any) -> Report:
        owners = [(part, case) for part in parts for case in part.cases]
        load = self._load_mistakes
        report = run_cases(name, owners, your_object, load, explain=self.explain)
        self._last = owners[min(report.passed, len(owners) - 1)][0]
        if report.ok:
            self._passed[id(your_object)] = your_object
        else:
            self._passed.pop(id(your_object), None)
        for hear in tuple(self._listeners):
            hear(parts, report, your_object)
        return report


class Judge:
    """``judge.<name>`` says what an open task asks; called with an answer, what it is worth."""

    def __init__(self, registry: Registry, load: Callable[[], None] = lambda: None) -> None:
        self._registry = registry
        self._load = load

    def __getattr__(self, name: str) -> OpenTask:
        if name.startswith("_"):
            raise AttributeError(name)
        self._load()
        tasks = self._registry.tasks
        if name not in tasks:
            raise AttributeError(_no_such("judge", name, tasks))
        return tasks[name]

    def __dir__(self) -> list[str]:
        self._load()
        return sorted(self._registry.tasks)


def _no_such(word: str, name: str, names: Iterable[str]) -> str:
    close = difflib.get_close_matches(name, names, n=1)
    guess = f" Did you mean {word}.{close[0]}?" if close else ""
    return f"there is no {word}.{name}.{guess} There are: {', '.join(sorted(names))}."

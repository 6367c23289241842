"""The exercises by name, and the ``check`` object through which a reader calls them."""

import difflib
import textwrap
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

from workbook.checks.core import Case, Exercise, Takes
from workbook.checks.report import WIDTH, Report
from workbook.checks.running import run_cases


@dataclass
class Registry:
    """Exercises and suites by the name a reader types after ``check.``; topic modules fill it."""

    exercises: dict[str, Exercise] = field(default_factory=dict)
    suites: dict[str, tuple[Exercise, ...]] = field(default_factory=dict)

    def exercise(
        self,
        name: str,
        *,
        label: str,
        title: str,
        stub: str,
        takes: Takes,
        hints: tuple[str, str],
    ) -> Exercise:
        """Register one exercise and return it, still without cases; it may register again."""
        new = Exercise(name, label, title, stub, takes, hints)
        for other in self.exercises.values():
            if (other.name == name) != (other.label == label):
                raise ValueError(
                    f"{name} ({label}) clashes with {other.name} ({other.label}): "
                    "each exercise has a name and a label of its own"
                )
        self.exercises[name] = new
        self.suites[name] = (new,)
        return new

    def suite(self, name: str, *exercises: Exercise) -> None:
        """Register a name that runs several exercises' cases one after the other on one object."""
        if name in self.exercises:
            raise ValueError(f"{name} is the name of an exercise already")
        self.suites[name] = exercises


class Checks:
    """``check.<name>(your_object)`` runs that exercise; ``hint(n)`` speaks of the last one."""

    def __init__(self, registry: Registry, load: Callable[[], None] = lambda: None) -> None:
        self._registry = registry
        self._load = load
        self._last: Exercise | None = None

    def __getattr__(self, name: str) -> Callable[[Any], Report]:
        if name.startswith("_"):
            raise AttributeError(name)
        self._load()
        suites = self._registry.suites
        if name not in suites:
            raise AttributeError(_no_such(name, sorted(suites)))

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

    def _run(self, name: str, parts: Sequence[Exercise], your_object: Any) -> Report:
        owners = [(part, case) for part in parts for case in part.cases]
        cases: list[Case] = [case for _, case in owners]
        report = run_cases(name, parts[-1], cases, your_object)
        self._last = owners[min(report.passed, len(owners) - 1)][0]
        return report


def _no_such(name: str, names: Sequence[str]) -> str:
    close = difflib.get_close_matches(name, names, n=1)
    guess = f" Did you mean check.{close[0]}?" if close else ""
    return f"there is no exercise called {name!r}.{guess} There are: {', '.join(names)}."

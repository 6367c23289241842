"""The exercises and open tasks by name; a chapter's modules register theirs when imported."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Literal

from workbook.checks.framework.exercise import Exercise, Takes
from workbook.checks.framework.opened import OpenTask, Score


@dataclass
class Registry:
    """What a reader types after ``check.``: exercises, and suites; after ``judge.``: open tasks."""

    exercises: dict[str, Exercise] = field(default_factory=dict)
    suites: dict[str, tuple[Exercise, ...]] = field(default_factory=dict)
    tasks: dict[str, OpenTask] = field(default_factory=dict)

    def exercise(
        self,
        name: str,
        *,
        label: str,
        title: str,
        stub: str,
        takes: Takes,
        hints: tuple[str, str],
        answers: bool = True,
    ) -> Exercise:
        """Register one exercise and return it, still without cases; it may register again."""
        new = Exercise(name, label, title, stub, takes, hints, answers)
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

    def open_task(
        self,
        name: str,
        *,
        label: str,
        title: str,
        asks: str,
        unit: str,
        better: Literal["less", "more"],
        today: tuple[Score, str],
        book: tuple[Score, str],
        bound: tuple[Score, str] | None = None,
        measured: bool = False,
    ) -> Callable[[Callable[[Any], Score]], OpenTask]:
        """Decorator: the judge below it becomes the open task ``name``."""

        def add(judge: Callable[[Any], Score]) -> OpenTask:
            task = OpenTask(
                name, label, title, asks, unit, better, today, book, bound, judge, measured
            )
            self.tasks[name] = task
            return task

        return add


# The book's own registry, and what chapters call to fill it.
registry = Registry()
exercise = registry.exercise
suite = registry.suite
open_task = registry.open_task

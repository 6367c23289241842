"""Checks for the book's exercises: ``check.allocator(MyAllocator)``, then ``hint(1)`` if needed.

``chNN/`` holds a chapter's exercises, one topic a file, and in ``chNN/mistakes/`` the known wrong
solutions; a new chapter's folder is found by its name. ``toolboxes/`` holds what several topics
share, each named after its subject; ``framework/`` what checks are made of. Chapters are loaded at
the first check, and mistakes when a check has run, so importing this package costs next to nothing.
"""

import pkgutil
import re
from collections.abc import Iterator
from functools import cache
from importlib import import_module

from workbook.checks.framework import Exercise, OpenTask, registry
from workbook.checks.framework.calls import Checks, Judge, Listener
from workbook.checks.framework.guess import compare
from workbook.notes import note

__all__ = [
    "check",
    "compare",
    "exercises",
    "hint",
    "judge",
    "listeners",
    "load_chapter",
    "load_mistakes",
    "mine",
    "modules_of",
    "open_tasks",
]


def modules_of(number: str, *, mistakes: bool) -> Iterator[str]:
    """The modules of chapter ``"02"``: those of its exercises, and those of their mistakes."""
    package = f"{__name__}.ch{number}"
    yield from _modules_in(package)
    if mistakes:
        yield from _modules_in(f"{package}.mistakes")


def _modules_in(package: str) -> Iterator[str]:
    for module in pkgutil.iter_modules(import_module(package).__path__):
        if not module.ispkg:
            yield f"{package}.{module.name}"


def _import_all(package: str) -> None:
    """Import a package's modules."""
    for name in _modules_in(package):
        import_module(name)


@cache
def load_chapter(number: str) -> None:
    """Register the exercises of chapter ``"02"``, and no others."""
    _import_all(f"{__name__}.ch{number}")


@cache
def _load() -> None:
    for module in pkgutil.iter_modules(__path__):
        if re.fullmatch(r"ch\d\d", module.name):
            load_chapter(module.name.removeprefix("ch"))


@cache
def load_mistakes(label: str) -> None:
    """Add what is known of the chapter of ``ex-NN-K``: right solutions, wrong ones, probes."""
    (number,) = re.findall(r"\d\d", label)[:1]
    _import_all(f"{__name__}.ch{number}.mistakes")


listeners: list[Listener] = [note]  # who hears of each check; the checks know none of them
check = Checks(registry, _load, load_mistakes, listeners)
hint, mine = check.hint, check.mine
judge = Judge(registry, _load)


def exercises() -> tuple[Exercise, ...]:
    """Every exercise of the book, in the order of their labels."""
    _load()
    return tuple(sorted(registry.exercises.values(), key=lambda e: _label_key(e.label)))


def open_tasks() -> tuple[OpenTask, ...]:
    """Every open task of the book, in the order of their labels."""
    _load()
    return tuple(sorted(registry.tasks.values(), key=lambda task: task.label))


def _label_key(label: str) -> tuple[int, ...]:
    return tuple(int(part) for part in label.split("-") if part.isdigit())

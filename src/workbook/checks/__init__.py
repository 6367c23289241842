"""Checks for the book's exercises: ``check.allocator(MyAllocator)``, then ``hint(1)`` if needed.

Each chapter's exercises live in a topic module of this package, which registers them when it is
imported. That happens at the first check, so importing this package costs next to nothing.
"""

import pkgutil
from importlib import import_module

from workbook.checks.core import Exercise
from workbook.checks.guess import compare
from workbook.checks.house import registry
from workbook.checks.registry import Checks

__all__ = ["check", "compare", "exercises", "hint"]

_FRAMEWORK = {"core", "guess", "house", "registry", "report", "running"}


def _load() -> None:
    for module in pkgutil.iter_modules(__path__):
        if module.name not in _FRAMEWORK:
            import_module(f"{__name__}.{module.name}")


check = Checks(registry, _load)
hint = check.hint


def exercises() -> tuple[Exercise, ...]:
    """Every exercise of the book, in the order of their labels."""
    _load()
    return tuple(sorted(registry.exercises.values(), key=lambda e: _label_key(e.label)))


def _label_key(label: str) -> tuple[int, ...]:
    return tuple(int(part) for part in label.split("-") if part.isdigit())

"""What checks are made of; a chapter's folder needs ``from workbook.checks.framework import …``."""

from workbook.checks.framework.cases import (
    Case,
    CheckFailed,
    NotHere,
    Outcome,
    Skipped,
    attempt,
    expect,
    in_words,
    shown,
)
from workbook.checks.framework.exercise import Exercise
from workbook.checks.framework.opened import OpenTask, Rejected
from workbook.checks.framework.registry import Registry, exercise, open_task, registry, suite

__all__ = [
    "Case",
    "CheckFailed",
    "Exercise",
    "NotHere",
    "OpenTask",
    "Outcome",
    "Registry",
    "Rejected",
    "Skipped",
    "attempt",
    "exercise",
    "expect",
    "in_words",
    "open_task",
    "registry",
    "shown",
    "suite",
]

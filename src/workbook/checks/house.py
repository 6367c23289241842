"""The book's own registry: topic modules register with ``exercise`` and ``suite`` from here."""

from workbook.checks.registry import Registry

registry = Registry()
exercise = registry.exercise
suite = registry.suite

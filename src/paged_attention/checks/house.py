"""The book's own registry: topic modules register with ``exercise`` and ``suite`` from here."""

from paged_attention.checks.registry import Registry

registry = Registry()
exercise = registry.exercise
suite = registry.suite

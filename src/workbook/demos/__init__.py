"""What ``python -m paged_attention demo NAME`` shows: the book's numbers, made by the engine
itself.

One module a demo. To add one, write a module with a ``DEMO`` and name it in ``NAMES``.
"""

from importlib import import_module

from workbook.demos.base import Demo

NAMES = ("waste", "forks", "prefix", "generate", "load")


def load_demo(name: str) -> Demo:
    """The demo called ``name``, one of ``NAMES``."""
    demo: Demo = import_module(f"{__name__}.{name}").DEMO
    return demo

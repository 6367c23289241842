"""Packages that a browser can't have: some can be named, and all say where to run what needs them.

``torch`` and ``numpy`` can be imported, so that cells beside them run; who calls something of
theirs is told. Importing one of the others says it at once.
"""

import importlib.abc
import importlib.machinery
import types
from typing import Any

NAMED = {"torch": "PyTorch", "numpy": "NumPy"}
ABSENT = {"matplotlib": "Matplotlib", "triton": "Triton", "transformers": "transformers"}


class NotInAPage(RuntimeError):
    """Something was used that only JupyterLab has."""


def needs(name: str) -> NotInAPage:
    """The error that says where to go."""
    return NotInAPage(f"this cell needs {name}: run the chapter in JupyterLab (`make lab`)")


class _Missing(type):
    """A class of the missing package: it can be named, subclassed and asked for, never called."""

    package: str

    def __getattr__(cls, name: str) -> "_Missing":
        if name.startswith("__"):
            raise AttributeError(name)
        return _missing(name, cls.package)

    def __call__(cls, *_: Any, **__: Any) -> Any:
        raise needs(cls.package)

    def __getitem__(cls, _: Any) -> "_Missing":
        return cls

    def __or__(cls, _: Any) -> "_Missing":
        return cls

    __ror__ = __or__


def _missing(name: str, package: str) -> _Missing:
    return _Missing(name, (), {"package": package})


class _Package(types.ModuleType):
    __path__: list[str] = []  # noqa: RUF012

    def __getattr__(self, name: str) -> _Missing:
        if name.startswith("__"):
            raise AttributeError(name)
        return _missing(name, NAMED[self.__name__.partition(".")[0]])


class Finder(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """Finds the missing packages: some as names, the others with words on where they are."""

    def find_spec(self, name: str, *_: object) -> importlib.machinery.ModuleSpec | None:
        """Raises ``ModuleNotFoundError`` with the way out for what can't even be named."""
        root = name.partition(".")[0]
        if root in ABSENT:
            raise ModuleNotFoundError(str(needs(ABSENT[root])), name=name)
        if root in NAMED:
            return importlib.machinery.ModuleSpec(name, self, is_package=True)
        return None

    def create_module(self, spec: importlib.machinery.ModuleSpec) -> types.ModuleType:
        """A module any name of which is a missing class."""
        return _Package(spec.name)

    def exec_module(self, module: types.ModuleType) -> None:
        """There is nothing in it."""

"""The reader's own classes in place of the finished ones: ``--impl FILE.py`` of any demo."""

import importlib.util
import sys
import traceback
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import Any

from paged_attention.errors import PagedAttentionError

ALLOCATOR_NAMES = ("BlockAllocator", "MyAllocator", "MyBlockAllocator")
CACHE_NAMES = ("PagedKVCache", "MyPagedKVCache")
_MODULE = "readers_implementation"


class BadImplementation(PagedAttentionError, ValueError):
    """A file given with ``--impl`` can't be run, or defines nothing that a demo could use."""


@dataclass(frozen=True)
class Implementation:
    """What a demo builds its memory from: ``allocator(num_blocks)`` and ``cache(…)``."""

    allocator: Callable[[int], Any]
    cache: Callable[..., Any]
    file: Path | None = None

    def make_cache(self, *args: Any, **kwargs: Any) -> Any:
        """A paged cache; the finished one works on this implementation's allocator."""
        from paged_attention.allocator import BlockAllocator

        cache = self.cache(*args, **kwargs)
        if type(getattr(cache, "allocator", None)) is BlockAllocator:
            cache.allocator = self.allocator(cache.allocator.num_blocks)
        return cache

    def blame(self, error: Exception) -> str | None:
        """Where ``error`` came out of the reader's file, in one line; ``None`` when it didn't."""
        if self.file is None:
            return None
        frames = traceback.extract_tb(error.__traceback__)
        theirs = [frame for frame in frames if Path(frame.filename) == self.file]
        if not theirs:
            return None
        where = f"{self.file.name}, line {theirs[-1].lineno}, in {theirs[-1].name}"
        if isinstance(error, NotImplementedError):
            return f"{where}: not implemented yet"
        return f"{where}: {type(error).__name__}: {error}"


def finished() -> Implementation:
    """The classes of this package."""
    from paged_attention.allocator import BlockAllocator
    from paged_attention.cache import PagedKVCache

    return Implementation(BlockAllocator, PagedKVCache)


def from_file(path: Path) -> Implementation:
    """Run ``path`` and take the allocator or cache it defines; finished ones fill in."""
    path = path.resolve()
    module = _import(path)
    allocator = _defined(module, ALLOCATOR_NAMES, path)
    cache = _defined(module, CACHE_NAMES, path)
    if allocator is None and cache is None:
        raise BadImplementation(
            f"--impl: {path.name} defines none of {', '.join(ALLOCATOR_NAMES + CACHE_NAMES)}: give "
            "your class one of these names"
        )
    ours = finished()
    return Implementation(allocator or ours.allocator, cache or ours.cache, path)


def _import(path: Path) -> ModuleType:
    """Run the reader's file as a module."""
    spec = importlib.util.spec_from_file_location(_MODULE, path)
    if not path.is_file() or spec is None or spec.loader is None:
        raise BadImplementation(f"--impl: there is no Python file {path}")
    module = importlib.util.module_from_spec(spec)
    sys.modules[_MODULE] = module  # dataclasses and pickles look their module up
    try:
        spec.loader.exec_module(module)
    except Exception as error:
        blame = Implementation(_nothing, _nothing, path).blame(error)
        raise BadImplementation(f"--impl: {blame or f'{path.name}: {error}'}") from error
    return module


def _nothing(*_: Any) -> None:
    """Stands for the classes of a file that could not be run."""


def _defined(module: ModuleType, names: tuple[str, ...], path: Path) -> Any:
    """The class of ``names`` that the file itself defines; an imported one doesn't count."""
    here = vars(module)
    found = [
        name
        for name in names
        if isinstance(here.get(name), type) and here[name].__module__ == _MODULE
    ]
    if len(found) > 1:
        raise BadImplementation(
            f"--impl: {path.name} defines {found[0]} and {found[1]}; keep the one that is meant"
        )
    return here[found[0]] if found else None

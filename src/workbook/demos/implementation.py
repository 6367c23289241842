"""The reader's own classes in place of the finished ones: ``--impl FILE.py`` of any demo."""

import importlib.util
import sys
import traceback
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import Any

from paged_attention.errors import PagedAttentionError

ALLOCATOR_NAMES = ("BlockAllocator", "MyAllocator", "MyBulkAllocator", "MySharingAllocator")
CACHE_NAMES = ("PagedKVCache", "MyPagedKVCache")
PREFIX_NAMES = ("PrefixCache", "MyPrefixCache")
_MODULE = "readers_implementation"


class BadImplementation(PagedAttentionError, ValueError):
    """A file given with ``--impl`` can't be run, or defines nothing that a demo could use."""


@dataclass(frozen=True)
class Implementation:
    """What a demo builds its memory from: ``allocator(num_blocks)``, ``cache(…)``,
    ``prefix(cache)``.
    """

    allocator: Callable[[int], Any]
    cache: Callable[..., Any]
    prefix: Callable[..., Any]
    file: Path | None = None

    @property
    def has_own_cache(self) -> bool:
        """Whether the cache is the reader's."""
        from paged_attention.cache import PagedKVCache

        return self.cache is not PagedKVCache

    @property
    def has_own_prefix(self) -> bool:
        """Whether the prefix cache is the reader's."""
        from paged_attention.prefix import PrefixCache

        return self.prefix is not PrefixCache

    def make_cache(self, *args: Any, **kwargs: Any) -> Any:
        """A paged cache; the finished one works on this implementation's allocator."""
        from paged_attention.allocator import BlockAllocator

        cache = self.cache(*args, **kwargs)
        if self.allocator is not BlockAllocator and hasattr(cache, "allocator"):
            cache.allocator = Completed(self.allocator(cache.allocator.num_blocks))
        return cache

    def blame(self, error: Exception) -> str | None:
        """What in the reader's file made ``error``, in one line; ``None`` when nothing did."""
        if self.file is None:
            return None
        what = f"{type(error).__name__}: {error}"
        frames = traceback.extract_tb(error.__traceback__)
        theirs = [frame for frame in frames if Path(frame.filename) == self.file]
        if not theirs:
            # No line of theirs ran, but a missing method or argument is theirs too.
            foreign = isinstance(error, PagedAttentionError | ValueError)
            return None if foreign else f"{self.file.name}: {what}"
        where = f"{self.file.name}, line {theirs[-1].lineno}, in {theirs[-1].name}"
        if isinstance(error, NotImplementedError):
            return f"{where}: not implemented yet"
        return f"{where}: {what}"


class Completed:
    """A reader's allocator, and the calls of the finished one that it lacks, made of those it has.

    The finished cache asks for whole lists at once and for the prefix index's share; chapter 2's
    allocator knows neither.
    """

    def __init__(self, own: Any) -> None:
        self._own = own

    def __getattr__(self, name: str) -> Any:
        if hasattr(self._own, name) or name not in _COMPLETIONS:
            return getattr(self._own, name)
        return _COMPLETIONS[name](self._own)


def _each(call: Callable[[int], Any]) -> Callable[[Sequence[int]], None]:
    def for_all(blocks: Sequence[int]) -> None:
        for block in blocks:
            call(block)

    return for_all


_COMPLETIONS: dict[str, Callable[[Any], Any]] = {
    "can_allocate": lambda own: lambda n: 0 <= n <= own.num_free,
    "allocate_many": lambda own: lambda n: [own.allocate() for _ in range(n)],
    "share_many": lambda own: _each(own.share),
    "release_many": lambda own: _each(own.release),
    "num_cached": lambda _own: 0,
    "indexed": lambda own: bytes(own.num_blocks),
    "check_invariants": lambda _own: lambda: None,
}


def finished() -> Implementation:
    """The classes of this package."""
    from paged_attention.allocator import BlockAllocator
    from paged_attention.cache import PagedKVCache
    from paged_attention.prefix import PrefixCache

    return Implementation(BlockAllocator, PagedKVCache, PrefixCache)


def from_file(path: Path) -> Implementation:
    """Run ``path`` and take the classes it defines; finished ones fill in."""
    path = path.resolve()
    module = _import(path)
    kinds = (ALLOCATOR_NAMES, CACHE_NAMES, PREFIX_NAMES)
    allocator, cache, prefix = (_defined(module, names, path) for names in kinds)
    if allocator is None and cache is None and prefix is None:
        raise BadImplementation(
            f"--impl: {path.name} defines none of {', '.join(sum(kinds, ()))}: give your class one "
            "of these names"
        )
    ours = finished()
    return Implementation(
        allocator or ours.allocator, cache or ours.cache, prefix or ours.prefix, path
    )


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
        blame = Implementation(_nothing, _nothing, _nothing, path).blame(error)
        raise BadImplementation(f"--impl: {blame or f'{path.name}: {error}'}") from error
    return module


def _nothing(*_: Any) -> None:
    """Stands for the classes of a file that could not be run."""


def _defined(module: ModuleType, names: tuple[str, ...], path: Path) -> Any:
    """The class of ``names`` that the file itself defines; of a chain of subclasses the last."""
    here = vars(module)
    found = [
        here[name]
        for name in names
        if isinstance(here.get(name), type) and here[name].__module__ == _MODULE
    ]
    for candidate in found:
        if all(issubclass(candidate, other) for other in found):
            return candidate
    if found:
        raise BadImplementation(
            f"--impl: {path.name} defines {' and '.join(c.__name__ for c in found)}; keep the one "
            "that is meant, or let it inherit from the others"
        )
    return None

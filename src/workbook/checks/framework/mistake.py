"""A known mistake: a wrong solution, and the words for what is wrong with it."""

import hashlib
import inspect
import linecache
import sys
import textwrap
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Any


@dataclass(frozen=True, eq=False)
class Mistake:
    """``says`` is a sentence or two about the cause, true whenever the outcome is this one's."""

    says: str
    make: Callable[[], Any]
    changes: tuple[tuple[str, str], ...] = ()  # of the finished one's source, if so made

    @cached_property
    def wrong(self) -> Any:
        """The wrong solution; one that is made from source is made at the first use."""
        return self.make()


def source_of(finished: Any) -> str:
    """The text of a function, a class, or a Triton kernel."""
    return _text_of(_inner(finished))


@lru_cache(maxsize=64)  # each of an exercise's fifty mistakes asks for the same one's
def _text_of(inner: Any) -> str:
    return textwrap.dedent(inspect.getsource(inner))


def _inner(finished: Any) -> Any:
    return getattr(finished, "fn", finished)  # a kernel wraps the function with the source


def changed(finished: Any, changes: Sequence[tuple[str, str]]) -> Any:
    """``finished`` (a function, a class, a Triton kernel) with texts in its source replaced.

    Each text must be there, and is replaced wherever it stands. The new object sees the names that
    ``finished`` sees; its source can be looked up, as Triton does. Raises ``ValueError``.
    """
    inner, source = _inner(finished), source_of(finished)
    for old, new in changes:
        if old not in source:
            raise ValueError(f"{inner.__name__} has no {old!r}, so this mistake can't be made")
        source = source.replace(old, new)
    return built(finished, source)


def built(finished: Any, source: str) -> Any:
    """What ``source`` defines under the name of ``finished``, seeing the names that this sees."""
    inner = _inner(finished)
    file = f"<mistake {hashlib.sha256(source.encode()).hexdigest()[:12]}>"
    linecache.cache[file] = (len(source), None, source.splitlines(keepends=True), file)
    names = dict(vars(sys.modules[inner.__module__]))
    exec(compile(source, file, "exec"), names)
    return names[inner.__name__]

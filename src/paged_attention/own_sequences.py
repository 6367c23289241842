"""The sequences that a loop creates in a cache, given back however the loop ends."""

from collections.abc import Hashable
from types import TracebackType
from typing import Any, Protocol, Self

from paged_attention.errors import UnknownSequence


class Creating(Protocol):
    """A cache in which sequences begin and end."""

    def create(self, *args: Any, **kwargs: Any) -> None:
        """Begin a sequence."""
        ...

    def free(self, seq: Hashable) -> None:
        """Give back the memory of ``seq``."""
        ...


class OwnSequences:
    """What the loop inside ``with mine, mine:`` has in ``cache``; all of it is freed at the end.

    Twice, because Ctrl-C may come while the first of the two is freeing: then the second frees the
    rest. A sequence that can't be freed doesn't keep the others, and doesn't hide the error that
    ended the loop: its own is added as a note, or raised last if there was none.
    """

    def __init__(self, cache: Creating) -> None:
        self._cache = cache
        self.names: list[Hashable] = []

    def create(self, name: Hashable, *args: int) -> None:
        """``cache.create(name, *args)``; one that is there already stays its owner's."""
        self._begin(name, self._cache.create, name, *args)

    def fork(self, parent: Hashable, child: Hashable) -> None:
        """``cache.fork(parent, child)``."""
        cache: Any = self._cache
        self._begin(child, cache.fork, parent, child)

    def free(self, name: Hashable) -> None:
        """Give one back before the end."""
        self._cache.free(name)
        self.names.remove(name)

    def _begin(self, name: Hashable, begin: Any, *args: Any) -> None:
        """Ours from before it is there: an interrupt right after would find it without an owner."""
        if name not in getattr(self._cache, "lengths", ()):
            self.names.append(name)
        try:
            begin(*args)
        except Exception:  # begin has changed nothing
            self.names[:] = [other for other in self.names if other != name]
            raise

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        tb: TracebackType | None,
    ) -> None:
        failures: list[Exception] = []
        while self.names:
            name = self.names[-1]
            try:
                self._cache.free(name)
            except UnknownSequence:
                pass  # begun by nobody after all, or freed by somebody else
            except Exception as failure:
                failure.add_note(f"sequence {name!r} may still hold memory")
                failures.append(failure)
            self.names.pop()
        if not failures:
            return
        ended_well = error is None or isinstance(error, GeneratorExit)
        first = failures.pop(0) if ended_well else error
        assert first is not None
        for other in failures:
            first.add_note(f"while giving back: {type(other).__name__}: {other}")
        if ended_well:
            raise first

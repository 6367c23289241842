"""All or nothing: how a call that fails, or is interrupted, takes back what it has changed.

Ctrl-C can come between any two lines, and a copy of tensors can fail half-way. A method that is
``all_or_nothing`` therefore writes down what it is about to change before it does (``keep_…``), and
if it doesn't reach its end, the old values are put back, the latest first. A call made inside
another belongs to it: cache, allocator, index and recorder share one journal, and what the inner
call did is taken back with the rest if the outer one fails.

It also knows its thread. Two threads in one cache would each run the rows of the other.
"""

from collections.abc import (
    Callable,
    Hashable,
    Iterable,
    MutableMapping,
    MutableSequence,
    Sequence,
)
from functools import wraps
from operator import itemgetter
from threading import get_ident
from typing import Any, TypeVar, cast

from paged_attention.errors import WrongThread

F = TypeVar("F", bound=Callable[..., Any])
T = TypeVar("T")


Note = tuple[Callable[..., object], tuple[Any, ...]]
_CALL: Note = (lambda: None, ())  # a call has begun and changed nothing yet


class Journal:
    """What the call under way would have to put back; empty between calls.

    A note must be right whether or not the change came about, and if it is followed twice.
    Outside an ``all_or_nothing`` call nothing is noted. A copy of a journal is a fresh one.
    """

    def __init__(self) -> None:
        self.notes: list[Note] = []
        self.owner: int | None = None

    def __reduce__(self) -> tuple[type["Journal"], tuple[()]]:
        return Journal, ()

    def note(self, put_back: Callable[..., object], *args: Any) -> None:
        """``put_back(*args)`` brings back what the caller is about to change."""
        if self.notes:
            self.notes.append((put_back, args))

    def keep_key(self, mapping: MutableMapping[Any, Any], key: Hashable) -> None:
        """Keep what ``mapping`` has under ``key``, if anything."""
        if key in mapping:
            self.note(mapping.__setitem__, key, mapping[key])
        else:
            self.note(mapping.pop, key, None)

    def keep_items(self, items: MutableSequence[T], places: Sequence[int]) -> Sequence[T]:
        """Keep what stands at ``places`` in ``items``, and return it."""
        # One call for all of them takes a third of the time of a call for each.
        many = len(places) > 1
        values = itemgetter(*places)(items) if many else [items[place] for place in places]
        self.note(_put_items, items, places, values)
        return values

    def keep_end(self, items: MutableSequence[Any], start: int) -> None:
        """Keep ``items`` from ``start`` on; what comes to stand there later goes again."""
        self.note(items.__setitem__, slice(start, None), items[start:])

    def keep_blocks(self, pools: Iterable[Any], blocks: list[int]) -> None:
        """Keep what is in ``blocks`` of each pool [layers, blocks, …], which will be overwritten.

        A block that was cached a moment ago is known again when the call is taken back.
        """
        for pool in pools:
            self.note(pool.__setitem__, (slice(None), blocks), pool[:, blocks])

    def keep_attributes(self, thing: object, *names: str) -> None:
        """Keep the attributes ``names`` of ``thing`` themselves, not what is inside them."""
        self.note(thing.__dict__.update, {name: getattr(thing, name) for name in names})

    def put_back(self, mark: int) -> None:
        """Follow the notes from the latest to number ``mark``, and forget them."""
        while len(self.notes) > mark:
            put_back, args = self.notes[-1]
            put_back(*args)
            self.notes.pop()

    def check_thread(self) -> None:
        """Raise ``WrongThread`` unless this thread was the first to come."""
        if self.owner is None:
            self.owner = get_ident()
        elif self.owner != get_ident():
            raise WrongThread(
                f"this cache belongs to thread {self.owner}, and thread {get_ident()} would run "
                "its rows: nothing was changed. Let one thread make every call, or call hand_over "
                "when the first is done with it"
            )

    def hand_over(self) -> None:
        """Let the next thread that comes be the owner; the present one must be done."""
        self.owner = None


def all_or_nothing(method: F) -> F:
    """Let ``method`` of an object with a ``journal`` reach its end or leave all as it was."""

    @wraps(method)
    def whole(self: Any, *args: Any, **kwargs: Any) -> Any:
        journal: Journal = self.journal
        if journal.owner != get_ident():
            journal.check_thread()
        notes = journal.notes
        mark = len(notes)
        try:
            try:
                notes.append(_CALL)  # so that a call inside knows that it isn't alone
                result = method(self, *args, **kwargs)
                if not mark:
                    notes.clear()
                return result
            except BaseException:
                journal.put_back(mark)
                raise
        except BaseException:
            journal.put_back(mark)  # whatever an interrupt of the first time left
            raise

    return cast(F, whole)


def _put_items(items: MutableSequence[T], places: Sequence[int], values: Sequence[T]) -> None:
    for place, value in zip(places, values, strict=True):
        items[place] = value

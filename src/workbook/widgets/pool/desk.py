"""What a picture's buttons do: calls of the real engine, one a click."""

from collections.abc import Callable, Mapping
from typing import Any

from paged_attention.errors import BlockPoolExhausted
from workbook.trace import RecordingPrefixCache, RecordingSequences, Trace
from workbook.widgets.common.answer import Answer
from workbook.widgets.common.recording import next_name

ToData = Callable[[Trace, int], dict[str, Any]]


def pool_answer(
    source: RecordingSequences | RecordingPrefixCache, to_data: ToData
) -> tuple[Trace, Answer]:
    """The trace of ``source``, and how its engine answers the buttons of the pool picture."""
    prefix = source if isinstance(source, RecordingPrefixCache) else None
    cache = source.cache if isinstance(source, RecordingPrefixCache) else source
    if not isinstance(cache, RecordingSequences):
        raise TypeError(
            f"a picture needs a trace, a RecordingPagedKVCache or a RecordingPrefixCache, got "
            f"{type(source).__name__}: the engine's own caches don't record"
        )
    desk = PoolDesk(cache, prefix)

    def answer(message: Mapping[str, Any]) -> dict[str, Any]:
        desk.act(message)
        return to_data(cache.trace, cache.trace.last)

    return cache.trace, Answer(desk.calls, answer)


class PoolDesk:
    """Turns a button's message into one call. A full pool's refusal is a step like any other."""

    def __init__(self, cache: RecordingSequences, prefix: RecordingPrefixCache | None) -> None:
        self._cache = cache
        self._prefix = prefix
        self._tokens: dict[str, list[int]] = {}
        self._words: dict[str, int] = {}
        self._fresh = 1_000_000  # no word's id
        self.calls = ["create", "reserve", "write", "fork", "free"]
        if prefix is not None:
            self.calls += ["attach", "remember", "evict"]

    def act(self, message: Mapping[str, Any]) -> None:
        """Make the call that the message names; raises what the engine raises."""
        call = message.get("call")
        if call not in self.calls:
            raise ValueError(f"there is no button {call!r} on this picture")
        try:
            getattr(self, f"_{call}")(message)
        except BlockPoolExhausted:
            return

    def _seq(self, message: Mapping[str, Any]) -> Any:
        return self._cache.recorder.name(int(message["seq"]))

    def _create(self, message: Mapping[str, Any]) -> str:
        del message
        name = self._next_name()
        self._cache.create(name)
        return name

    def _next_name(self) -> str:
        return next_name({*map(str, self._cache.tables), *self._cache.trace.seqs})

    def _reserve(self, message: Mapping[str, Any]) -> None:
        self._cache.reserve(self._seq(message), int(message["n"]))

    def _write(self, message: Mapping[str, Any]) -> None:
        self._cache.write_zeros(self._seq(message), int(message["n"]))

    def _fork(self, message: Mapping[str, Any]) -> None:
        parent, child = self._seq(message), self._next_name()
        self._cache.fork(parent, child)
        self._tokens[child] = list(self._known(parent))

    def _free(self, message: Mapping[str, Any]) -> None:
        name = self._seq(message)
        self._cache.free(name)
        self._tokens.pop(name, None)

    def _attach(self, message: Mapping[str, Any]) -> None:
        assert self._prefix is not None
        words = str(message["prompt"]).split()
        if not words:
            raise ValueError("type a prompt first: its words are its tokens")
        name = self._next_name()
        ids = [self._words.setdefault(word, len(self._words)) for word in words]
        self._prefix.attach(name, ids)
        self._tokens[name] = ids

    def _remember(self, message: Mapping[str, Any]) -> None:
        assert self._prefix is not None
        name = self._seq(message)
        self._prefix.remember(name, self._known(name))

    def _evict(self, message: Mapping[str, Any]) -> None:
        del message
        assert self._prefix is not None
        self._prefix.evict(1)

    def _known(self, name: str) -> list[int]:
        """Its tokens: the prompt that it was attached with, then some that nobody else has."""
        tokens = self._tokens.setdefault(name, [])
        length = self._cache.lengths[name]
        while len(tokens) < length:
            tokens.append(self._fresh)
            self._fresh += 1
        return tokens[:length]

"""A prefix cache that records, on top of recorded sequences."""

from collections.abc import Callable, Hashable, Sequence

from paged_attention.journal import all_or_nothing
from paged_attention.prefix import PrefixCache
from workbook.trace.schema import NONE
from workbook.trace.sequences import RecordingSequences


class RecordingPrefixCache(PrefixCache):
    """The engine's prefix cache; its steps are in ``cache.trace``.

    ``spell`` gives the text of a token, for the keys of the index; ``str`` shows its id.
    """

    cache: RecordingSequences

    def __init__(self, cache: RecordingSequences, spell: Callable[[int], str] = str) -> None:
        super().__init__(cache)
        self._spell = spell
        self._told: dict[int, tuple[str, str]] = {}  # by block: its root and its own tokens

    @all_or_nothing
    def attach(
        self,
        seq: Hashable,
        prompt: Sequence[int],
        *,
        salt: str | None = None,
        adapter: str | None = None,
        blocks: Sequence[int] | None = None,
    ) -> int:
        """As the engine's, recorded."""
        recorder = self.cache.recorder
        with recorder.step("attach", recorder.seq(seq), len(prompt)):
            return super().attach(seq, prompt, salt=salt, adapter=adapter, blocks=blocks)

    @all_or_nothing
    def remember(
        self,
        seq: Hashable,
        tokens: Sequence[int],
        *,
        salt: str | None = None,
        adapter: str | None = None,
    ) -> None:
        """As the engine's, recorded."""
        recorder, size = self.cache.recorder, self.cache.block_size
        named = (("salt", salt), ("adapter", adapter))
        root = ", ".join(f"{name} {value}" for name, value in named if value is not None)
        with recorder.step("remember", recorder.seq(seq), len(tokens)):
            super().remember(seq, tokens, salt=salt, adapter=adapter)
            table = self.cache.tables[seq]
            for _, block in self.cache.allocator.drain():
                start = table.index(block) * size
                text = " ".join(map(self._spell, tokens[start : start + size]))
                self.journal.keep_key(self._told, block)
                self._told[block] = (root, text)
                self._note_published(block)
                recorder.add("share", NONE, block)

    @all_or_nothing
    def evict(self, n: int) -> int:
        """As the engine's, recorded."""
        with self.cache.recorder.step("evict", n):
            evicted = super().evict(n)
            self.cache.note_evictions()
            return evicted

    @all_or_nothing
    def start_trace(self) -> None:
        """Begin a new trace here: the sequences that live now and the index are its step 0."""
        self.cache.begin()
        cached = self.cache.allocator.cached_order()
        known = [block for prefix in self._index for block in prefix.copies]
        for block in known:  # a prefix is published before what follows it
            self._note_published(block)
        for block in sorted(set(known) - set(cached)):
            self.cache.recorder.add("share", NONE, block)
        for block in cached:
            self.cache.recorder.add("allocate", NONE, block)

    def _note_published(self, block: int) -> None:
        root, text = self._told[block]
        recorder, source = self.cache.recorder, self._index.before(block)
        if source is None:
            source = NONE - 1 - recorder.key(root) if root else NONE
        recorder.add("publish", block=block, n=recorder.key(text), src=source)

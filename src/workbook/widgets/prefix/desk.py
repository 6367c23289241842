"""Prompts typed into the prefix picture, served by the real prefix cache."""

from collections.abc import Mapping, Sequence
from typing import Any

from paged_attention.errors import BlockPoolExhausted
from workbook.trace import RecordingPrefixCache, RecordingSequences
from workbook.widgets.common.grouping import Grouped
from workbook.widgets.common.recording import cache_with, next_name
from workbook.words.wording import words_beside

Call = tuple[Any, ...]


class PromptDesk:
    """Serves prompts on the real prefix cache, words as tokens, and keeps the calls in groups.

    A call is ``(verb, name, …)``; ``run`` is reserve, write and remember for what is left of a
    prompt.
    """

    def __init__(self, num_blocks: int, block_size: int, order: Sequence[int]) -> None:
        self._ids: dict[str, int] = {}
        self.cache: RecordingSequences = cache_with(num_blocks, block_size, order)
        self.prefix = RecordingPrefixCache(self.cache, spell=lambda token: list(self._ids)[token])
        self.grouped = Grouped(self.cache.trace)
        self.calls: list[list[Call]] = []
        self._typed: str | None = None

    def make(self, *calls: Call) -> None:
        """Make calls that are one step of the picture."""
        self.calls.append(list(calls))
        with self.grouped.step():
            for call in calls:
                self._make(call)

    def serve(self, prompt: str, salt: str = "") -> str:
        """Look a prompt up, then run and publish the rest: two steps. Returns its name."""
        text, name = " ".join(prompt.split()), next_name(self.cache.trace.seqs)
        root = f"salt {salt}" if salt else ""
        self.make(("attach", name, text, root))
        self.make(("run", name, text, root))
        return name

    def act(self, message: Mapping[str, Any]) -> int:
        """Answer a button of the picture; returns the step to show."""
        if message.get("call") == "evict":
            self.make(("evict", 1))
            return self.grouped.last
        if message.get("call") != "run":
            raise ValueError(f"there is no button {message.get('call')!r} on this picture")
        if not str(message["prompt"]).split():
            raise ValueError(words_beside(__file__)["nothing"])
        if self._typed in self.cache.tables:
            self.make(("free", self._typed))
        self._typed = self.serve(str(message["prompt"]), str(message.get("salt", "")))
        return self.grouped.last - 1

    def _make(self, call: Call) -> None:
        verb, name, *rest = call
        if verb == "free":
            self.cache.free(name)
        elif verb == "evict":
            self.prefix.evict(name)
        elif verb == "attach":
            self.prefix.attach(name, self._tokens(rest[0]), salt=_salt(rest[1]))
        else:
            tokens = self._tokens(rest[0])
            left = len(tokens) - self.cache.lengths[name]
            try:
                self.cache.reserve(name, left)
            except BlockPoolExhausted:
                return
            self.cache.write_zeros(name, left)
            self.prefix.remember(name, tokens, salt=_salt(rest[1]))

    def _tokens(self, text: str) -> list[int]:
        return [self._ids.setdefault(word, len(self._ids)) for word in text.split(" ")]


def _salt(root: str) -> str | None:
    return root.removeprefix("salt ") if root else None

"""One streamed answer, as its events come in: what was said, when, and how it ended."""

import json
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any

from paged_attention.load_client.stream import EventStream

DONE = "[DONE]"


@dataclass
class Outcome:
    """What became of a request. Moments are seconds after the run's start; ``None``: never came.

    ``texts_at``: when text came that isn't empty; one piece may hold several tokens. ``chunks_at``:
    when any piece with a choice came, the role's too, as ``vllm bench serve`` takes it.
    """

    due: float
    sent: float | None = None
    texts_at: list[float] = field(default_factory=list)
    chunks_at: list[float] = field(default_factory=list)
    prompt_tokens: int | None = None
    cached_tokens: int | None = None
    answer_tokens: int | None = None
    finish: str | None = None
    status: int | None = None
    error: str | None = None
    refusals: int = 0  # answers 429, those that were tried again included
    text: str = ""

    @property
    def answered(self) -> bool:
        """It came to its end without an error."""
        return self.error is None and self.finish is not None

    @property
    def rejected(self) -> bool:
        """The server had no room for it, and said so."""
        return self.status == 429

    @property
    def tokens(self) -> int:
        """Tokens said: the server's count, else the number of pieces of text."""
        return len(self.texts_at) if self.answer_tokens is None else self.answer_tokens

    @property
    def ttft(self) -> float | None:
        """From when it was due to the first text."""
        return self.texts_at[0] - self.due if self.texts_at else None

    @property
    def gaps(self) -> list[float]:
        """Between one piece of text and the next."""
        return [after - before for before, after in pairwise(self.texts_at)]

    @property
    def latency(self) -> float | None:
        """From when it was due to the last text."""
        return self.texts_at[-1] - self.due if self.texts_at else None

    @property
    def per_token(self) -> float | None:
        """Mean time of a token after the first, by the server's own count of tokens."""
        if self.answer_tokens is None or self.answer_tokens < 2 or not self.texts_at:
            return None
        return (self.texts_at[-1] - self.texts_at[0]) / (self.answer_tokens - 1)


class Reader:
    """Writes what the bytes of one stream say into an ``Outcome``. Knows no clock."""

    def __init__(self, outcome: Outcome) -> None:
        self._outcome = outcome
        self._events = EventStream()
        self._done = False

    def feed(self, chunk: bytes, moment: float) -> None:
        """Bytes that came at ``moment``."""
        for event in self._events.feed(chunk):
            self._take(event, moment)

    def end(self, moment: float) -> None:
        """The stream is over. One that broke off is an error of its request."""
        for event in self._events.end():
            self._take(event, moment)
        one = self._outcome
        if one.finish is None and self._done:
            one.finish = "unknown"  # it ended in order, and the server didn't say why
        if one.error is None and one.finish is None:
            one.error = "the stream ended before the answer did (no finish_reason came)"

    def _take(self, event: str, moment: float) -> None:
        one = self._outcome
        if self._done or one.error is not None:
            return
        if event.strip() == DONE:
            self._done = True
            return
        try:
            found = json.loads(event)
        except ValueError:
            found = None
        if not isinstance(found, dict):
            one.error = f"an event is no JSON object: {event[:80]!r}"
        elif found.get("error") is not None:
            one.error = f"in the stream: {error_message(found)}"
        else:
            self._usage(found.get("usage"))
            choices = found.get("choices")
            if isinstance(choices, list) and choices and isinstance(choices[0], dict):
                self._choice(choices[0], moment)

    def _choice(self, choice: dict[str, Any], moment: float) -> None:
        one = self._outcome
        one.chunks_at.append(moment)
        if text := _said(choice):
            one.texts_at.append(moment)
            one.text += text
        if choice.get("finish_reason"):
            one.finish = str(choice["finish_reason"])

    def _usage(self, usage: Any) -> None:
        """The last count that comes holds: some servers send one with every piece."""
        if not isinstance(usage, dict):
            return
        one = self._outcome
        details = usage.get("prompt_tokens_details")
        cached = details.get("cached_tokens") if isinstance(details, dict) else None
        one.prompt_tokens = _count(usage.get("prompt_tokens"), one.prompt_tokens)
        one.answer_tokens = _count(usage.get("completion_tokens"), one.answer_tokens)
        one.cached_tokens = _count(cached, one.cached_tokens)


def error_message(body: Any) -> str:
    """What a server says went wrong, from ``{"error": {"message": …}}`` and its relatives."""
    if not isinstance(body, dict):
        return str(body)[:300]
    error = body.get("error") or body.get("detail") or body.get("message") or body
    message = error.get("message") if isinstance(error, dict) else error
    return str(message or error)[:300]


def _said(choice: dict[str, Any]) -> str:
    """The text of a piece: completions' ``text``, or the delta's content, thoughts included."""
    delta = choice.get("delta")
    if not isinstance(delta, dict):
        return str(choice.get("text") or "")
    thought = delta.get("reasoning") or delta.get("reasoning_content")
    return str(thought or "") + str(delta.get("content") or "")


def _count(value: Any, known: int | None) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) else known

"""One answer in the making: tokens in, text out as soon as it is final.

Text is held back while its last bytes make no character yet, and while its end may be the
beginning of a stop string. What was said of a token's likelihood leaves with the text it belongs
to, so both stay in step and none is lost. Streamed or not, an answer is made here, so both say the
same.
"""

from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Protocol

from paged_attention.serving.request import NewToken, TokenLogprobs


class TextStream(Protocol):
    """Ids in, text out; see ``model.text_stream``."""

    def push(self, token: int) -> str:
        """The text that ``token`` completes."""
        ...

    def finish(self) -> str:
        """What was held back."""
        ...


@dataclass(frozen=True)
class Entry:
    """What is known of one token: ``offset`` is where its text begins in the answer's."""

    offset: int
    logprobs: TokenLogprobs


@dataclass
class Delta:
    """What one token brought: text and entries that may leave now, and why the answer ends here.

    ``said``: tokens that it stands for. ``cached``: tokens of the prompt that were not run again.
    """

    text: str = ""
    entries: list[Entry] = field(default_factory=list)
    finish: str | None = None
    error: Exception | None = None
    said: int = 0
    cached: int = 0


class Answer:
    """``stops``: strings at which the text ends, and which never are in it. ``ends``: tokens that
    end it and are no text.
    """

    def __init__(
        self, stream: TextStream, stops: Sequence[str] = (), ends: frozenset[int] = frozenset()
    ) -> None:
        self._stream, self._stops, self._ends = stream, stops, ends
        self._held = ""  # final characters that may be the beginning of a stop string
        self._length = 0  # characters that were let go
        self._entries: deque[tuple[int, Entry]] = deque()  # with where each token's text ends
        self.finish: str | None = None

    def say(self, new: NewToken, logprobs: TokenLogprobs | None = None) -> Delta:
        """Take the next token, and return what may leave; ``finish`` is set if it was the last."""
        if new.token is None:  # it failed
            self.finish = "error"
            return Delta(finish="error")
        begin = self._length + len(self._held)
        ends_here = new.finish == "stop" and new.token in self._ends
        self._held += "" if ends_here else self._stream.push(new.token)
        if logprobs is not None:
            entry = Entry(begin, logprobs)
            self._entries.append((self._length + len(self._held), entry))
        cut = self._stop()
        if cut is None and new.finish is not None:
            self._held += self._stream.finish()
            cut = self._stop()
        if cut is not None:
            self._held, self.finish = self._held[:cut], "stop"
        else:
            self.finish = new.finish
        return self._let_go()

    def _let_go(self) -> Delta:
        ready = len(self._held) if self.finish else len(self._held) - self._may_be_stop()
        text, self._held = self._held[:ready], self._held[ready:]
        self._length += ready
        entries = []
        while self._entries and (self.finish or self._entries[0][0] <= self._length):
            entry = self._entries.popleft()[1]
            entries.append(Entry(min(entry.offset, self._length), entry.logprobs))
        return Delta(text, entries, self.finish, said=1)

    def _stop(self) -> int | None:
        """Where the stop string begins that is the first to be complete; ``None`` without one.

        Not the one that begins first: which tokens the text came in would then make a difference.
        """
        found = ((self._held.find(stop), len(stop)) for stop in self._stops)
        ends = [(begin + length, begin) for begin, length in found if begin >= 0]
        return min(ends)[1] if ends else None

    def _may_be_stop(self) -> int:
        """How many of the last characters are the beginning of a stop string."""
        longest = max(map(len, self._stops), default=1) - 1
        for count in range(min(longest, len(self._held)), 0, -1):
            if any(stop.startswith(self._held[-count:]) for stop in self._stops):
                return count
        return 0

"""A conversation with a server: one answer at a time, read in a thread, stopped by hanging up."""

import threading
import time
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from paged_attention.load_client.answer import Outcome
from workbook.live.line import Line, NoAnswer
from workbook.live.reading import sentence
from workbook.words.wording import words_beside

WORDS = words_beside(__file__)["chat"]
PACE = 0.05  # seconds between two updates of an answer: nobody reads faster
Told = Callable[[Mapping[str, Any]], None]


class Talk:
    """What was said so far, and the answer under way, if there is one.

    ``told`` hears what changed: ``data``, ``said``, ``note``, ``draft``. It is called from the
    thread that reads the answer.
    """

    def __init__(self, line: Line) -> None:
        self.told: Told | None = None
        self.note = ""  # how the last answer went
        self.draft = ""  # a message that nothing came of
        self._line = line
        self._messages: list[tuple[str, str]] = []
        self._answering = self._stopped = self._forget = False
        self._lock = threading.Lock()

    @property
    def data(self) -> dict[str, Any]:
        """What a page shows."""
        state = "answering" if self._answering else "ready"
        messages = [list(message) for message in self._messages]
        return {"v": 1, "panel": "chat", "messages": messages, "state": state}

    @property
    def messages(self) -> Sequence[tuple[str, str]]:
        """Who said what: ``user`` or ``assistant``, and the text."""
        return tuple(self._messages)

    def send(self, text: str) -> threading.Thread | None:
        """Say ``text``; the answer comes by ``told``. Nothing happens while one is under way."""
        with self._lock:
            if self._answering or not text.strip():
                return None
            self._answering, self._stopped, self._forget = True, False, False
            self._messages.append(("user", text))
            self.note, self.draft = WORDS["answering"], ""
        self._tell_all()
        thread = threading.Thread(target=self._answer, name="chat", daemon=True)
        thread.start()
        return thread

    def stop(self) -> None:
        """End the answer under way; what was said of it stays."""
        with self._lock:
            if self._answering:
                self._stopped = True
                self._line.hang_up()

    def fresh(self) -> None:
        """Forget all that was said; an answer under way is stopped, and forgotten when it ends."""
        self.stop()
        with self._lock:
            self._forget = self._answering
            if not self._answering:
                self._messages.clear()
                self.note = self.draft = ""
        self._tell_all()

    def _answer(self) -> None:
        last = 0.0

        def heard(text: str) -> None:
            nonlocal last
            now = time.monotonic()
            if now - last >= PACE:
                last = now
                self._tell({"said": text})

        outcome, why = Outcome(0.0), ""
        try:
            self._line.ask(self._messages, outcome, heard)
        except NoAnswer as error:
            why = str(error)
        except Exception as error:  # the page must not wait for ever
            why = f"{type(error).__name__}: {error}"
        self._end(outcome, why)

    def _end(self, outcome: Outcome, why: str) -> None:
        with self._lock:
            self._answering = False
            self.note = self._how(outcome, why)
            if self._forget:
                self._messages.clear()
                self.note = ""
            elif outcome.text:
                self._messages.append(("assistant", outcome.text))
            elif why:
                self.draft = self._messages.pop()[1]
        self._tell_all()

    def _how(self, outcome: Outcome, why: str) -> str:
        if self._stopped:
            return str(WORDS["stopped"])
        if why:
            return str(WORDS["broken" if outcome.text else "failed"]).format(why=sentence(why))
        first = outcome.ttft if outcome.ttft is not None else 0.0
        return str(WORDS["answered"]).format(tokens=outcome.tokens, first=f"{first:.2f}")

    def _tell_all(self) -> None:
        self._tell({"data": self.data, "said": "", "note": self.note, "draft": self.draft})

    def _tell(self, changed: Mapping[str, Any]) -> None:
        if self.told is not None:
            self.told(changed)

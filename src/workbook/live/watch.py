"""Look at a server again and again, in a thread, while somebody watches."""

import threading
import time
from collections import deque
from collections.abc import Callable
from typing import Any

from workbook.live.reading import NoReading, Reading, sentence

KEPT = 120  # readings behind a board's curve
Look = Callable[[], Reading]
Told = Callable[[dict[str, Any]], None]


class Watch:
    """Calls ``told`` with a board's state every ``every`` seconds, from ``start`` to ``stop``.

    A server that goes away is told and looked for again; a thread of its own, so that a busy kernel
    doesn't stop it.
    """

    def __init__(
        self, look: Look, told: Told, every: float, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._look, self._told, self._every, self._clock = look, told, every, clock
        self._rows: deque[tuple[float, float | None, float | None]] = deque(maxlen=KEPT)
        self._last: tuple[float, Reading] | None = None
        self._lock = threading.Lock()
        self._stop: threading.Event | None = None

    @property
    def running(self) -> bool:
        """Whether its thread looks."""
        return self._stop is not None

    def start(self) -> None:
        """Begin to look; does nothing if it looks already."""
        with self._lock:
            if self._stop is None:
                self._stop = threading.Event()
                args = (self._stop,)
                threading.Thread(target=self._run, args=args, name="board", daemon=True).start()

    def stop(self) -> None:
        """Look no more; a look under way ends by itself and tells nothing."""
        with self._lock:
            if self._stop is not None:
                self._stop.set()
                self._stop = None

    def _run(self, stop: threading.Event) -> None:
        while not stop.is_set():
            state = self.look()
            if not stop.is_set():
                self._told(state)
            stop.wait(self._every)

    def look(self) -> dict[str, Any]:
        """One look, and what the board shows after it."""
        try:
            reading = self._look()
        except NoReading as error:
            shown = shown_reading(self._last[1]) if self._last else {}
            return shown | {"away": sentence(str(error)), "rate": None, "rows": list(self._rows)}
        now = self._clock()
        rate = self._rate(now, reading)
        self._last = now, reading
        self._rows.append((round(now, 2), rate, reading.usage))
        return shown_reading(reading) | {"away": "", "rate": rate, "rows": list(self._rows)}

    def _rate(self, now: float, reading: Reading) -> float | None:
        """Tokens a second since the last look; ``None`` after a restart: counts begin anew."""
        if self._last is None or reading.said is None or self._last[1].said is None:
            return None
        seconds, tokens = now - self._last[0], reading.said - self._last[1].said
        return round(tokens / seconds, 1) if seconds > 0 and tokens >= 0 else None


def shown_reading(reading: Reading) -> dict[str, Any]:
    """A reading as the board's data."""
    return {
        "running": reading.running,
        "waiting": reading.waiting,
        "held": reading.held,
        "blocks": reading.blocks,
        "size": reading.block_size,
        "usage": reading.usage,
        "hits": reading.hit_rate,
        "prompt": reading.prompt,
        "cached": reading.cached,
        "said": reading.said,
        "preempted": reading.preempted,
    }

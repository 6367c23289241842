"""How the kernel answers a live picture."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Answer:
    """``calls`` that it knows, and what shows after one: ``act(message)`` gives the new data."""

    calls: Sequence[str]
    act: Callable[[Mapping[str, Any]], dict[str, Any]]

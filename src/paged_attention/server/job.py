"""What crosses from the network's thread to the engine's: one prompt, and whom to tell."""

from collections.abc import Callable, Hashable
from dataclasses import dataclass

from paged_attention.sampling import Sampling
from paged_attention.server.answer import Delta


@dataclass(eq=False)
class Job:
    """One prompt of a call, with ``n`` answers to it; answer ``k`` draws with the seed plus ``k``.

    ``tell(k, delta)`` is called on the network's thread with each answer's news, in order. The
    last of an answer has ``finish``. ``name`` is the engine's own, once it has the request.
    """

    tokens: tuple[int, ...]
    max_new_tokens: int
    n: int
    sampling: Sampling
    stop: tuple[str, ...]
    logprobs: int | None
    ignore_eos: bool
    salt: str | None
    arrived: float
    tell: Callable[[int, Delta], None]
    name: Hashable = None
    submitted: bool = False


News = tuple[Job, int, Delta]

"""What crosses from the network's thread to the engine's: one prompt, and whom to tell."""

from collections.abc import Callable, Hashable
from dataclasses import dataclass, field

from paged_attention.server.answer import Delta
from paged_attention.server.requests import Asked
from paged_attention.serving.request import TokenLogprobs


@dataclass(eq=False)
class Job:
    """One prompt of a call, with ``asked.n`` answers; answer ``k`` draws with the seed plus ``k``.

    ``tell(k, delta)`` is called on the network's thread with each answer's news, in order. The
    last of an answer has ``finish``. ``name`` is the engine's own, once it has the request;
    ``prompt_logprobs`` are there with the first news, if they were asked for.
    """

    asked: Asked
    tokens: tuple[int, ...]
    max_new_tokens: int
    arrived: float
    tell: Callable[[int, Delta], None]
    name: Hashable = None
    submitted: bool = False
    prompt_logprobs: list[TokenLogprobs] = field(default_factory=list)


News = tuple[Job, int, Delta]

"""One request: what was asked and what has been said so far. No torch, no blocks, no clock.

``tokens`` holds prompt and answer and only grows: preemption takes keys and values, never a token.
What is left to run is what the cache does not hold, whatever the reason: a new prompt, the rest of
a chunk, the last token said, or a whole history after a preemption.
"""

from collections.abc import Callable, Hashable, Iterable, Sequence
from dataclasses import dataclass, field
from operator import index
from typing import TYPE_CHECKING, NamedTuple, TypedDict

from paged_attention.serving.stats import RequestStats

if TYPE_CHECKING:
    import torch

    from paged_attention.sampling import Sampling

StopRule = Callable[[Sequence[int]], bool]


class Asked(TypedDict, total=False):
    """What a request may ask for beside its prompt and a number of tokens; see ``Request``."""

    sampling: "Sampling | None"
    samples: int
    stop: StopRule | None
    top_logprobs: int | None
    score_prompt: bool
    salt: str | None
    adapter: str | None


class NewToken(NamedTuple):
    """One request's news; ``nth`` counts its answer from 0, so a gap or a repetition shows."""

    request: Hashable
    nth: int
    token: int | None  # None: it failed, and no token came
    finish: str | None  # "stop", "length", "error"; None while it goes on


class TokenLogprobs(NamedTuple):
    """How likely one token was, in natural logarithms of the model's own probabilities, before
    temperature, top-k and top-p. ``top``: the likeliest tokens and theirs, as many as asked for.
    """

    token: int
    logprob: float
    top: list[tuple[int, float]]


@dataclass(eq=False)
class Request:
    """``order``: its place among all requests ever submitted, which nothing changes.

    ``others``: the samples that will fork off once the prompt has been run. ``stop`` is asked after
    each token whether the answer so far ends there; an end-of-text token is one such rule.
    ``top_logprobs``: how many of the likeliest tokens to note beside each one said; ``None`` notes
    nothing, and ``logprobs`` stays empty. ``score_prompt``: note as much of the prompt's own
    tokens, all but the first, which nothing comes before.
    """

    name: Hashable
    prompt: tuple[int, ...]
    max_new_tokens: int
    order: tuple[int, int]
    samples: int = 1
    parent: Hashable | None = None  # the request it is another sample of
    stop: StopRule | None = None
    salt: str | None = None
    adapter: str | None = None
    sampling: "Sampling | None" = None
    top_logprobs: int | None = None
    score_prompt: bool = False
    tokens: list[int] = field(default_factory=list)
    finish: str | None = None  # as in NewToken, or "abort"
    stats: RequestStats = field(default_factory=RequestStats)
    others: list["Request"] = field(default_factory=list)
    logprobs: list[TokenLogprobs] = field(default_factory=list)  # of each token of the answer
    prompt_logprobs: list[TokenLogprobs] = field(default_factory=list)
    generator: "torch.Generator | None" = None  # of a sampled request; it survives preemption
    error: Exception | None = None  # why it finished with "error"

    def __post_init__(self) -> None:
        for what, count in (("max_new_tokens", self.max_new_tokens), ("samples", self.samples)):
            if not isinstance(count, int) or count < 1:
                raise ValueError(f"request {self.name!r}: {what} must be at least 1, got {count!r}")
        check_stop(self.name, self.stop)
        if self.sampling is not None and not hasattr(self.sampling, "generator"):
            raise TypeError(
                f"request {self.name!r}: sampling must be a Sampling or None, which is greedy, got "
                f"{self.sampling!r}"
            )
        top = self.top_logprobs
        if (top is not None and top < 0) or (top is None and self.score_prompt):
            raise ValueError(
                f"request {self.name!r}: top_logprobs counts tokens, and score_prompt needs it, "
                f"got {top}"
            )
        for what, value in (("salt", self.salt), ("adapter", self.adapter)):
            if value is not None and not isinstance(value, str):
                raise TypeError(
                    f"request {self.name!r}: {what} must be a string or None, got {value!r}"
                )
        self.tokens = self.tokens or list(self.prompt)

    @property
    def answer(self) -> list[int]:
        """The tokens said so far."""
        return self.tokens[len(self.prompt) :]

    @property
    def most(self) -> int:
        """Tokens whose keys and values it may ever need: its last token is never run."""
        return len(self.prompt) + self.max_new_tokens - 1

    @property
    def seats(self) -> int:
        """Requests that run when this one does, the samples still to fork off included."""
        return 1 + len(self.others)

    def is_sample_of(self, name: Hashable) -> bool:
        """Whether this is another sample of the request ``name``."""
        return self.parent is not None and self.parent == name

    def sample(self, nth: int) -> "Request":
        """Another sample of this request, the ``nth``: with the next seeds, its text differs."""
        return Request(
            (self.name, nth),
            self.prompt,
            self.max_new_tokens,
            (self.order[0], nth),
            parent=self.name,
            stop=self.stop,
            salt=self.salt,
            adapter=self.adapter,
            sampling=self.sampling and self.sampling.next_seed(nth),
            top_logprobs=self.top_logprobs,
        )

    def add(self, token: int) -> str | None:
        """Append one token of the answer; returns why it ends here, or ``None``."""
        if self.stop is not None and self.stop([*self.answer, token]):
            self.finish = "stop"
        elif len(self.tokens) + 1 == len(self.prompt) + self.max_new_tokens:
            self.finish = "length"
        self.tokens.append(token)
        return self.finish


def checked_prompt(name: Hashable, prompt: Iterable[int]) -> tuple[int, ...]:
    """``prompt`` as plain integers (NumPy's and torch's are taken too), at least one of them."""
    if isinstance(prompt, str | bytes):
        raise TypeError(f"request {name!r}: the prompt is text; encode it into token ids first")
    try:
        tokens = tuple(map(index, prompt))
    except TypeError as error:
        raise TypeError(f"request {name!r}: a prompt is made of token ids: {error}") from error
    if not tokens:
        raise ValueError(f"request {name!r} has an empty prompt: there is no token to run")
    if not 0 <= min(tokens) <= max(tokens) < 2**31:
        wrong = next(t for t in tokens if not 0 <= t < 2**31)
        raise ValueError(f"request {name!r} holds token {wrong}: ids go from 0 to 2**31 - 1")
    return tokens


def check_stop(name: Hashable, rule: object) -> None:
    """Raise unless ``rule`` is a ``StopRule`` or ``None``."""
    if rule is not None and not callable(rule):
        raise TypeError(
            f"request {name!r}: stop is a function of the answer so far that says whether it is "
            f"whole, got {rule!r}; tokens that end every answer are the engine's eos_ids"
        )

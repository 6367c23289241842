"""From logits to the next token: greedy, or drawn at random after temperature, top-k and top-p.

All functions take logits [B, vocab] and return something new. A draw uses one generator a row, so
what a sequence gets depends on its own seed and on how many tokens it drew before, not on its
neighbours.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import torch
from torch import Tensor


@dataclass(frozen=True)
class Sampling:
    """How one request picks its tokens; temperature 0 is greedy, whatever else is set."""

    temperature: float = 0.0
    top_k: int | None = None
    top_p: float | None = None
    seed: int = 0

    def __post_init__(self) -> None:
        if self.temperature != 0:
            check_temperature(self.temperature)
        if self.top_k is not None:
            check_top_k(self.top_k)
        if self.top_p is not None:
            check_top_p(self.top_p)
        if not isinstance(self.seed, int) or not 0 <= self.seed < 2**63:
            raise ValueError(f"seed must be an integer from 0 to 2**63 - 1, got {self.seed!r}")

    def next_seed(self, steps: int) -> "Sampling":
        """The same settings with the seed ``steps`` on; after the highest comes 0."""
        return replace(self, seed=(self.seed + steps) % 2**63)

    def generator(self) -> torch.Generator:
        """A fresh generator for one sequence, the same one each time."""
        return torch.Generator().manual_seed(self.seed)


GREEDY = Sampling()
COLDEST = 1e-30  # logits divided by less leave float32's range


def greedy(logits: Tensor) -> Tensor:
    """The likeliest token of each row: [B]; of equal ones the lowest id."""
    check_finite(logits)
    return logits.argmax(dim=-1)


def with_temperature(logits: Tensor, temperature: float) -> Tensor:
    """Logits divided by ``temperature``: below 1 sharper, above 1 flatter."""
    check_temperature(temperature)
    return logits / temperature


def keep_top_k(logits: Tensor, k: int) -> Tensor:
    """The ``k`` largest logits of each row, the others -inf; exactly ``k`` even among equals."""
    check_top_k(k)
    best = logits.topk(min(k, logits.shape[-1]), dim=-1)  # [B, k]
    return torch.full_like(logits, -torch.inf).scatter(-1, best.indices, best.values)


def keep_top_p(logits: Tensor, p: float) -> Tensor:
    """The fewest tokens of each row that hold a probability of ``p`` together, the others -inf.

    The likeliest token always stays; the one that carries the sum over ``p`` stays too.
    """
    check_top_p(p)
    if p == 1:  # a sum of rounded numbers may reach 1 before the last token
        return logits.clone()
    ordered, order = logits.sort(dim=-1, descending=True, stable=True)  # [B, vocab]
    probabilities = ordered.softmax(dim=-1, dtype=torch.float64)
    before = probabilities.cumsum(dim=-1) - probabilities  # held by likelier tokens
    kept = ordered.masked_fill(before >= p, -torch.inf)
    kept[..., 0] = ordered[..., 0]
    return torch.empty_like(logits).scatter(-1, order, kept)


def draw(logits: Tensor, generators: Sequence[torch.Generator]) -> Tensor:
    """One token a row, by its probability: [B]; row ``i`` advances only ``generators[i]``."""
    check_finite(logits)
    probabilities = logits.float().softmax(dim=-1).cpu()  # one seed, one stream, on any device
    picks = [
        torch.multinomial(row, 1, generator=generator)
        for row, generator in zip(probabilities, generators, strict=True)
    ]
    return torch.cat(picks).to(logits.device)


def sample(
    logits: Tensor, settings: Sequence[Sampling], generators: Sequence[torch.Generator]
) -> Tensor:
    """The next token of each row under its own settings: [B].

    Greedy rows leave their generator alone. For others temperature comes first, then top-k, then
    top-p among what is left.
    """
    if not len(settings) == len(generators) == len(logits):
        raise ValueError(
            f"{len(logits)} rows of logits need as many settings and generators, got "
            f"{len(settings)} and {len(generators)}"
        )
    picks = []
    for i, (chosen, generator) in enumerate(zip(settings, generators, strict=True)):
        row = logits[i : i + 1]  # [1, vocab]
        if chosen.temperature == 0:
            picks.append(greedy(row))
        else:
            picks.append(draw(shape(row, chosen), [generator]))
    return torch.cat(picks)


def shape(logits: Tensor, settings: Sampling) -> Tensor:
    """Logits after temperature, top-k and top-p, in that order: what ``draw`` draws from."""
    logits = with_temperature(logits.float(), settings.temperature)
    if settings.top_k is not None:
        logits = keep_top_k(logits, settings.top_k)
    if settings.top_p is not None:
        logits = keep_top_p(logits, settings.top_p)
    return logits


def is_finite(value: float) -> bool:
    """Whether ``value`` is a number, and one that a float can hold."""
    try:
        return math.isfinite(value)
    except (TypeError, OverflowError):  # a text; an integer of 400 digits
        return False


def check_temperature(temperature: float) -> None:
    """Raise unless logits can be divided by ``temperature``."""
    if not (is_finite(temperature) and temperature > 0):
        raise ValueError(
            f"temperature must be a positive number, got {temperature!r}; for the likeliest token "
            "every time use greedy, or Sampling(temperature=0)"
        )
    if temperature < COLDEST:
        raise ValueError(
            f"temperature {temperature!r} is so low that divided logits overflow, the lowest is "
            f"{COLDEST}; for the likeliest token every time use Sampling(temperature=0)"
        )


def check_top_k(k: int) -> None:
    """Raise unless ``k`` tokens can be kept."""
    if not isinstance(k, int) or isinstance(k, bool) or k < 1:
        raise ValueError(
            f"top_k must be an integer of at least 1, got {k!r}; None keeps every token"
        )


def check_top_p(p: float) -> None:
    """Raise unless ``p`` is a share of the probability that keeps a token at least."""
    if not (is_finite(p) and 0 < p <= 1):
        raise ValueError(f"top_p must be above 0 and at most 1, got {p!r}; None keeps every token")


def check_finite(logits: Tensor) -> None:
    """Raise on a row with NaN or +inf, or with no token left: it would yield one all the same."""
    bad = ~logits.amax(dim=-1).isfinite()
    if bad.any():
        row = int(bad.nonzero()[0])
        raise ValueError(
            f"row {row} of the logits has no finite maximum (NaN, +inf, or every token ruled out): "
            "nothing sensible can be picked; look for a slot that was read before it was written"
        )

"""What is measured of a request, of a step and of a whole run. No clock in here: times are given.

A latency that was never measured is ``None`` and left out, not 0 and averaged.
"""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import NamedTuple


@dataclass
class RequestStats:
    """Times by whatever clock the engine was given; ``None`` until it happened."""

    arrived: float = 0.0
    admitted: float | None = None  # the first time
    tokens_at: list[float] = field(default_factory=list)
    finished: float | None = None
    cached_tokens: int = 0  # of the prompt, found at the first admission
    preemptions: int = 0
    swaps: int = 0  # preemptions that kept a copy in host memory
    run_tokens: int = 0  # tokens run by the model, those run again included

    @property
    def queued(self) -> float | None:
        """Time from arrival to the first admission."""
        return None if self.admitted is None else self.admitted - self.arrived

    @property
    def ttft(self) -> float | None:
        """Time from arrival to the first token."""
        return self.tokens_at[0] - self.arrived if self.tokens_at else None

    @property
    def gaps(self) -> list[float]:
        """Times between tokens (inter-token latency); the first token's wait is not among them."""
        return [after - before for before, after in pairwise(self.tokens_at)]


class StepStats(NamedTuple):
    """What one step did, and how the pool stood when it was planned."""

    time: float
    running: int
    waiting: int
    tokens: int
    decoding: int
    admitted: int
    preempted: int
    free: int
    held: int
    cached: int


class Summary(NamedTuple):
    """A run in figures: seconds, and tokens a second. ``None`` where nothing was measured."""

    requests: int
    unanswered: int  # no token came; they are in no latency below
    tokens: int  # of answers, each counted once
    run_tokens: int  # run by the model, those run again included
    seconds: float
    tokens_per_second: float
    queue_p50: float | None
    ttft_p50: float | None
    ttft_p99: float | None
    gap_p50: float | None
    gap_p99: float | None
    longest_gap: float | None
    preemptions: int
    swaps: int


def percentile(values: Iterable[float], share: float) -> float | None:
    """The smallest value that at least ``share`` (0 to 1) of all values do not exceed.

    Nearest rank: of 10 values the 99th percentile is the largest.
    """
    if not 0 <= share <= 1:
        raise ValueError(f"a share of all values is between 0 and 1, got {share}")
    ordered = sorted(values)
    # Rounded, since 0.07 * 100 is a little more than 7.
    rank = max(1, math.ceil(round(share * len(ordered), 9)))
    return ordered[rank - 1] if ordered else None


def summary(stats: Sequence[RequestStats], seconds: float) -> Summary:
    """All requests of a run that took ``seconds``, whether they finished or not."""
    queued = [one.queued for one in stats if one.queued is not None]
    first = [one.ttft for one in stats if one.ttft is not None]
    gaps = [gap for one in stats for gap in one.gaps]
    tokens = sum(len(one.tokens_at) for one in stats)
    return Summary(
        requests=len(stats),
        unanswered=len(stats) - len(first),
        tokens=tokens,
        run_tokens=sum(one.run_tokens for one in stats),
        seconds=seconds,
        tokens_per_second=tokens / seconds if seconds > 0 else 0.0,
        queue_p50=percentile(queued, 0.5),
        ttft_p50=percentile(first, 0.5),
        ttft_p99=percentile(first, 0.99),
        gap_p50=percentile(gaps, 0.5),
        gap_p99=percentile(gaps, 0.99),
        longest_gap=max(gaps, default=None),
        preemptions=sum(one.preemptions for one in stats),
        swaps=sum(one.swaps for one in stats),
    )

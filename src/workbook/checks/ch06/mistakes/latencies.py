"""Mistakes with latencies, as readers make them."""

import math
from collections.abc import Sequence
from itertools import pairwise

from workbook.checks.ch06.latencies import latencies

Requests = Sequence[tuple[float, list[float]]]
Found = tuple[list[float], list[float], float | None, float]


def right(requests: Requests) -> Found:
    """The latencies of chapter 06; the engine keeps them with each request."""
    ttfts = [times[0] - arrived for arrived, times in requests if times]
    gaps = [b - a for _, times in requests for a, b in pairwise(times)]
    rank = math.ceil(0.99 * len(gaps))
    p99 = sorted(gaps)[rank - 1] if gaps else None
    tokens = sum(len(times) for _, times in requests)
    if not tokens:
        return ttfts, gaps, p99, 0.0
    begin = min(arrived for arrived, _ in requests)
    return ttfts, gaps, p99, tokens / (max(t for _, times in requests for t in times) - begin)


latencies.finished = right
latencies.probes += [([(0.0, [1.0]), (0.5, [1.0, 9.0])],), ([(4.0, [5.0, 6.0])],)]
_P99 = "sorted(gaps)[rank - 1] if gaps else None"

latencies.mistake(
    "The time of the first token came back, not the wait for it: the arrival is to be taken off.",
    ("times[0] - arrived for", "times[0] for"),
)
latencies.mistake(
    "The wait for the first token is among the gaps. (vllm-project/vllm#7242)",
    (
        "for _, times in requests for a, b in pairwise(times)",
        "for arrived, times in requests for a, b in pairwise([arrived, *times])",
    ),
)
latencies.mistake(
    "A request without a token counts as a wait of 0. (sgl-project/sglang#36047)",
    (
        "for arrived, times in requests if times]",
        "if times else 0.0 for arrived, times in requests]",
    ),
)
latencies.mistake(
    "That is the last but one of ten: one of them, a tenth, is longer.",
    (_P99, "sorted(gaps)[int(0.99 * (len(gaps) - 1))] if gaps else None"),
)
latencies.mistake(
    "That is the mean. It hides the few that are long, for which one asks.",
    (_P99, "sum(gaps) / len(gaps) if gaps else None"),
)
latencies.mistake(
    "The gaps were not sorted before one was picked.",
    (_P99, "gaps[rank - 1] if gaps else None"),
)
latencies.mistake(
    "The durations of all requests were added up: two that run at once were counted twice.",
    (
        "tokens / (max(t for _, times in requests for t in times) - begin)",
        "tokens / sum(times[-1] - arrived for arrived, times in requests if times)",
    ),
)
latencies.mistake(
    "The rate was taken from the first token on: the wait before it is time, too.",
    ("min(arrived for arrived, _ in requests)", "min(times[0] for _, times in requests if times)"),
)
latencies.mistake(
    "The rate counts requests; tokens were asked for.",
    ("tokens / (max", "len(requests) / (max"),
)
latencies.mistake(
    "Seconds a token came back; tokens a second were asked for.",
    (
        "tokens / (max(t for _, times in requests for t in times) - begin)",
        "(max(t for _, times in requests for t in times) - begin) / tokens",
    ),
)
latencies.mistake(
    "Time is counted from 0 here, not from the first arrival.",
    ("min(arrived for arrived, _ in requests)", "0.0"),
)
latencies.mistake(
    "That is the median of the gaps.",
    ("0.99 * len(gaps)", "0.5 * len(gaps)"),
)
latencies.mistake(
    "Gaps were taken between tokens of different requests: each caller sees its own.",
    (
        "for _, times in requests for a, b in pairwise(times)",
        "for a, b in pairwise(sorted(t for _, times in requests for t in times))",
    ),
)
latencies.mistake(
    "Without tokens the rate is 0, and there is no last token to look for.",
    ("    if not tokens:\n        return ttfts, gaps, p99, 0.0\n", ""),
)
latencies.mistake(
    "Without gaps there is none to pick: that is None, not 0.",
    ("if gaps else None", "if gaps else 0.0"),
)
latencies.mistake(
    "The percentile was interpolated between two gaps, as NumPy's `percentile` does. Asked for is "
    "a gap that occurred.",
    (
        _P99,
        "(lambda s, x: s[int(x)] + (x % 1) * (s[min(int(x) + 1, len(s) - 1)] - s[int(x)]))"
        "(sorted(gaps), 0.99 * (len(gaps) - 1)) if gaps else None",
    ),
)
latencies.mistake(
    "Number `0.99 * n` was counted from 0: of 200 gaps that is the 199th, one too far.",
    (_P99, "sorted(gaps)[min(int(0.99 * len(gaps)), len(gaps) - 1)] if gaps else None"),
)
latencies.mistake(
    "The longest gap came back; a hundredth of them may be longer than the 99th percentile.",
    (_P99, "max(gaps) if gaps else None"),
)
latencies.mistake(
    "A request without a token has no first one to look at: leave it out of the TTFTs.",
    ("for arrived, times in requests if times]", "for arrived, times in requests]"),
)
latencies.mistake(
    "A request without a token is among the TTFTs, as None: leave it out.",
    (
        "times[0] - arrived for arrived, times in requests if times]",
        "times[0] - arrived if times else None for arrived, times in requests]",
    ),
)
latencies.mistake(
    "The last request's last token was taken for the last of all. An earlier one may end later.",
    (
        "max(t for _, times in requests for t in times)",
        "[times for _, times in requests if times][-1][-1]",
    ),
)
latencies.mistake(
    "The first request of the list was taken for the first to arrive. Look for the smallest time.",
    ("min(arrived for arrived, _ in requests)", "requests[0][0]"),
)
latencies.mistake(
    "The first request was taken for the first to arrive, and the last one's last token for the "
    "last of all: look for the smallest and the largest time.",
    (
        "max(t for _, times in requests for t in times)",
        "[times for _, times in requests if times][-1][-1]",
    ),
    ("min(arrived for arrived, _ in requests)", "requests[0][0]"),
)
latencies.mistake(
    "Means came back. All TTFTs and all gaps are wanted, in lists.",
    (
        "    tokens = sum",
        "    ttfts = sum(ttfts) / len(ttfts) if ttfts else 0.0\n"
        "    gaps = sum(gaps) / len(gaps) if gaps else 0.0\n"
        "    tokens = sum",
    ),
)
latencies.mistake(
    "Requests without a token weren't counted as arrived: the clock starts at the first arrival.",
    ("min(arrived for arrived, _ in requests)", "min(a for a, times in requests if times)"),
)
latencies.mistake(
    "The gaps were taken from the arrival on, each: a gap lies between two neighbouring tokens.",
    (
        "[b - a for _, times in requests for a, b in pairwise(times)]",
        "[t - a for a, times in requests for t in times[1:]]",
    ),
)
latencies.mistake(
    "Gaps were counted for the rate; a request of n tokens has n - 1 of them.",
    ("sum(len(times) for _, times in requests)", "len(gaps)"),
)
latencies.mistake(
    "Every gap was measured from the request's first token: a gap lies between neighbours.",
    (
        "[b - a for _, times in requests for a, b in pairwise(times)]",
        "[t - times[0] for _, times in requests for t in times[1:]]",
    ),
)
latencies.mistake(
    "The gaps came back sorted. Sort a copy for the percentile; the gaps stay in their order.",
    ("    rank =", "    gaps.sort()\n    rank ="),
)
latencies.mistake(
    "The rank was rounded down: of four gaps the third would be the 99th percentile. `ceil` it.",
    (_P99, "sorted(gaps)[len(gaps) * 99 // 100 - 1] if gaps else None"),
)
latencies.mistake(
    "Every wait was counted from the first arrival of all: each request waits from its own.",
    ("times[0] - arrived for", "times[0] - min(a for a, _ in requests) for"),
)
latencies.mistake(
    "A mean of the requests' own rates came back. The server's is all tokens over all the time.",
    (
        "tokens / (max(t for _, times in requests for t in times) - begin)",
        "sum(len(ts) / (ts[-1] - a) for a, ts in requests if ts) / sum(bool(ts) for _, ts in "
        "requests)",
    ),
)
latencies.mistake(
    "The gaps are a list for each request. One list for all is wanted: loop twice in one "
    "comprehension, or `extend`.",
    (
        "    tokens = sum",
        "    nested = [[b - a for a, b in pairwise(times)] for _, times in requests]\n"
        "    gaps = nested\n    tokens = sum",
    ),
)
latencies.mistake(
    "The gaps are below 0: the later time less the earlier.",
    ("[b - a for _, times", "[a - b for _, times"),
)
latencies.mistake(
    "The percentile was taken of the TTFTs; of the gaps it is wanted.",
    (_P99, "sorted(ttfts)[math.ceil(0.99 * len(ttfts)) - 1] if ttfts else None"),
)

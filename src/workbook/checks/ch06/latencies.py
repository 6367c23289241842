"""Chapter 06: what callers feel, from arrival and token times."""

from typing import Any

from workbook.checks.framework import exercise, expect, shown

latencies = exercise(
    "latencies",
    label="ex-06-5",
    title="What callers feel",
    stub="latencies",
    takes="function",
    hints=(
        "A caller's clock starts when the request arrives. And is the wait for the first token a "
        "gap between two tokens?",
        "`times[0] - arrived` for each that has a token; `b - a` for neighbours. Of n sorted gaps, "
        "the 99th percentile is number `ceil(0.99 * n)`, counted from 1.",
    ),
)


_LAWS = (
    "The TTFTs are wrong: of each request that has a token, its first one's time less the arrival.",
    "The gaps are wrong: of each request, the times between neighbouring tokens, the later less "
    "the earlier, in their order.",
    "The percentile is wrong: the smallest gap that at least 99 % of the gaps don't exceed.",
    "The rate is wrong: all tokens, over the time from the first arrival to the last token.",
)


def _case(title: str, requests: list[Any], right: tuple[Any, ...], why: str) -> None:
    @latencies.case(title, tried=f"latencies({shown(requests)})", right=shown(right), why=why)
    def body(function: Any) -> None:
        got = function([(arrived, list(times)) for arrived, times in requests])
        expect(
            isinstance(got, tuple) and len(got) == 4,
            got=shown(got),
            why="Four things are wanted, in a tuple: TTFTs, gaps, their 99th percentile, the rate.",
        )
        rounded = tuple(_rounded(part) for part in got)
        wrong = [
            law for law, mine, wanted in zip(_LAWS, rounded, right, strict=True) if mine != wanted
        ]
        expect(not wrong, got=shown(rounded), why=wrong[0] if len(wrong) == 1 else None)


def _rounded(part: Any) -> Any:
    if isinstance(part, (list, tuple)):
        return [round(float(x), 6) for x in part]
    return part if part is None else round(float(part), 6)


_case(
    "one request: it waits 5 seconds, then its tokens come slower and slower",
    [(2.0, [7.0, 7.5, 8.5, 10.5, 14.5])],
    ([5.0], [0.5, 1.0, 2.0, 4.0], 4.0, 0.4),
    "The clock starts at the arrival. 5 tokens in the 12.5 seconds from there to the last one.",
)
_case(
    "two at once",
    [(1.0, [3.0, 5.0]), (0.0, [1.0, 2.0, 4.0])],
    ([2.0, 1.0], [2.0, 1.0, 2.0], 2.0, 1.0),
    "Five tokens came in the five seconds that the server was at work, whoever they were for.",
)
_case(
    "one that never got a token",
    [(1.0, [3.0, 5.0]), (0.0, [])],
    ([2.0], [2.0], 2.0, 0.4),
    "What was not measured is left out; a 0 in its place would make the mean look better.",
)
_case(
    "ten gaps",
    [(0.0, [1.0, *(20.0 + n for n in range(1, 11))])],
    ([1.0], [20.0] + [1.0] * 9, 20.0, 0.366667),
    "At least 99 of 100 must be no longer: of ten gaps that is the longest.",
)


@latencies.case(
    "two hundred gaps",
    tried="a request whose gaps are 1 second, 198 times, then 20 and 30 seconds",
    right="the 99th percentile is 1.0",
    why="198 of 200 gaps are no longer than 1: that is 99 %, and enough.",
)
def _many(function: Any) -> None:
    times = [float(n) for n in range(1, 200)]
    found = function([(0.0, [*times, times[-1] + 20, times[-1] + 50])])
    p99 = _rounded(found[2])
    expect(p99 == 1.0, got=f"the 99th percentile is {shown(p99)}")


_case(
    "nothing yet",
    [(0.0, []), (3.0, [])],
    ([], [], None, 0.0),
    "Without gaps there is no percentile, and without tokens the rate is 0.",
)

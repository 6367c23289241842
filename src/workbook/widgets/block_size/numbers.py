"""What each block size costs on the request lengths of a public trace.

Waste and use are measured on the whole trace where its publisher's requests were counted, and else
resampled from its percentiles, prompts and answers drawn on their own: a guess, and marked as one.
"""

from bisect import bisect_right
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache

from paged_attention.tables import blocks_needed
from workbook.workloads import CODE, CONVERSATION, PERCENTS, Workload, length_at

SIZES = (1, 2, 4, 8, 16, 32, 64, 128, 256, 512)
MAXIMA = (8_192, 16_384, 32_768, 65_536, 131_072)
GRID = 200  # resampled lengths of either kind
PROMPTS, SHARED, OWN = 8, 96, 8  # the book's prompts that begin alike


@dataclass(frozen=True)
class Measured:
    """Counted on all requests of a trace: last-block waste in % by block size, and the share of
    reserved slots that are used, in %, when each request reserves as many as the longest has.
    """

    waste: Mapping[int, float]
    used: float


MEASURED: Mapping[str, Measured] = {
    "conversation": Measured({16: 0.54, 32: 1.12, 64: 2.21, 128: 4.38, 256: 8.02, 512: 13.4}, 9.7),
    "code": Measured({16: 0.37, 32: 0.73, 64: 1.51, 128: 3.04, 256: 6.09, 512: 11.5}, 26.5),
}
WORKLOADS = (CONVERSATION, CODE)


@cache
def lengths(workload: Workload) -> tuple[int, ...]:
    """``GRID`` × ``GRID`` totals of prompt and answer, in order."""
    shares = [(k + 0.5) / GRID for k in range(GRID)]
    answers = [length_at(workload.answer, share) for share in shares]
    return tuple(sorted(length_at(workload.prompt, s) + a for s in shares for a in answers))


def waste(workload: Workload, block_size: int) -> tuple[float, bool]:
    """Empty slots in the last blocks, in % of all slots taken; and whether that was measured."""
    measured = MEASURED.get(workload.name)
    if measured and block_size in measured.waste:
        return measured.waste[block_size], True
    totals = lengths(workload)
    taken = sum(blocks_needed(n, block_size) for n in totals) * block_size
    return round(100 * (1 - sum(totals) / taken), 2), False


def mean_length(workload: Workload) -> int:
    """Tokens of the mean request, prompt and answer."""
    return round(workload.mean_prompt + workload.mean_answer)


def reserving(workload: Workload, most: int | None) -> tuple[float, float, bool]:
    """Used slots in % when each request reserves ``most`` (``None``: as many as the longest has),
    requests in % that are longer and refused, and whether that was measured.
    """
    measured = MEASURED.get(workload.name)
    totals = lengths(workload)
    if most is None:
        if measured:
            return measured.used, 0.0, True
        most = totals[-1]
    served = totals[: bisect_right(totals, most)]
    used = 100 * sum(served) / (len(served) * most) if served else 0.0
    answers = [length_at(workload.answer, (k + 0.5) / GRID) for k in range(GRID)]
    longer = sum(_share_above(workload.prompt, most - answer) for answer in answers) / GRID
    return round(used, 1), round(100 * longer, 2), False


def _share_above(percentiles: Sequence[int], length: int) -> float:
    """The share of all requests longer than ``length``, on a line between percentiles."""
    if length >= percentiles[-1]:
        return 0.0
    right = bisect_right(percentiles, length)
    if not right:
        return 1.0
    low, high = percentiles[right - 1], percentiles[right]
    weight = (length - low) / (high - low)
    return 1 - (PERCENTS[right - 1] * (1 - weight) + PERCENTS[right] * weight) / 100


def tokens_run(block_size: int) -> int:
    """Prompt tokens that are run when prompts of 96 equal and 8 own tokens come in turn.

    Whole blocks of the equal beginning are run once and found by every later prompt.
    """
    found = SHARED // block_size * block_size
    return PROMPTS * (SHARED + OWN) - (PROMPTS - 1) * found


def rows(
    workload: Workload, sizes: Sequence[int] = SIZES
) -> list[tuple[int, float, bool, int, int]]:
    """For each size: block size, waste in %, measured or not, entries at the mean, tokens run."""
    mean = mean_length(workload)
    return [(b, *waste(workload, b), blocks_needed(mean, b), tokens_run(b)) for b in sizes]

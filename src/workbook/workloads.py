"""Request lengths as production sees them: percentiles of a public trace, and draws from them.

Azure LLM inference trace 2023, CC BY 4.0, Microsoft Azure. Bookkeeping only: nothing here needs
torch.
"""

import random
from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass

PERCENTS = (0, 1, 5, 10, 20, 30, 40, 50, 60, 70, 80, 90, 95, 99, 99.9, 100)


@dataclass(frozen=True)
class Workload:
    """Tokens of prompts and answers at each of ``PERCENTS``, and what the whole trace averages."""

    name: str
    requests: int
    requests_per_second: float
    prompt: tuple[int, ...]
    answer: tuple[int, ...]
    mean_prompt: float
    mean_answer: float

    def draw(self, count: int, seed: int = 0) -> list[tuple[int, int]]:
        """``count`` pairs (prompt tokens, answer tokens), both drawn on their own.

        The trace correlates them weakly (-0.11 conversation, 0.00 code), and the percentiles don't
        say how. One seed, one list.
        """
        source = random.Random(seed)
        return [
            (length_at(self.prompt, source.random()), length_at(self.answer, source.random()))
            for _ in range(count)
        ]


def length_at(percentiles: Sequence[int], share: float) -> int:
    """The length that ``share`` (0 to 1) of all requests stay below, on a line between percentiles.

    Above the 99th percentile, where few requests lie far apart, the line is a guess.
    """
    if not 0 <= share <= 1:
        raise ValueError(f"a share of all requests is between 0 and 1, got {share}")
    if len(percentiles) != len(PERCENTS):
        raise ValueError(f"{len(PERCENTS)} percentiles are wanted, got {len(percentiles)}")
    percent = 100 * share
    right = min(bisect_right(PERCENTS, percent), len(PERCENTS) - 1)
    below, above = PERCENTS[right - 1], PERCENTS[right]
    weight = (percent - below) / (above - below)
    return round(percentiles[right - 1] * (1 - weight) + percentiles[right] * weight)


CONVERSATION = Workload(
    name="conversation",
    requests=19_366,
    requests_per_second=5.53,
    prompt=(
        *(2, 29, 181, 207, 387, 403, 703, 1020),
        *(1071, 1130, 1315, 2734, 4083, 4142, 6212, 14050),
    ),
    answer=(7, 16, 41, 54, 77, 91, 103, 129, 177, 384, 400, 424, 451, 601, 954, 1000),
    mean_prompt=1154.7,
    mean_answer=211.1,
)
CODE = Workload(
    name="code",
    requests=8_819,
    requests_per_second=2.57,
    prompt=(
        *(3, 17, 75, 147, 386, 770, 1075, 1469),
        *(1909, 2433, 3192, 5186, 7302, 7436, 7437, 7437),
    ),
    answer=(6, 6, 6, 7, 8, 9, 11, 13, 16, 20, 29, 55, 90, 252, 824, 1899),
    mean_prompt=2047.8,
    mean_answer=27.9,
)

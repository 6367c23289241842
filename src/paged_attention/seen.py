"""What an attention kernel is told of a step: how far each query sees.

A kernel takes tokens that stand in a row's history one behind another. A row that is shorter than
the step is filled up with its last token, which is asked once and answered for all of its places.
"""

from typing import NamedTuple

import torch
from torch import Tensor


class Seen(NamedTuple):
    """``numbers``: for one token a row how many each sees, [B]; for several each row's length [B]
    and where it begins among the N that are asked, [B + 1].
    """

    numbers: tuple[Tensor, ...]
    asked: Tensor | None = None  # int [N], which of the B * T queries; None: all
    answers: Tensor | None = None  # int [B * T], whose answer each of them gets

    def queries(self, rows: Tensor) -> Tensor:
        """Of ``rows`` [B * T, …] those that are asked: [N, …]."""
        return rows if self.asked is None else rows[self.asked]

    def spread(self, out: Tensor) -> Tensor:
        """The answers [N, …] at all places: [B * T, …]."""
        return out if self.answers is None else out[self.answers]


def seen_by(positions: Tensor) -> Seen | None:
    """For queries at ``positions`` [B, T]; ``None`` if a row's don't follow one another."""
    rows, new = positions.shape
    first, last = positions[:, 0], positions[:, -1]
    if new == 1:
        return Seen((last + 1,))  # its own position is the last that a token sees
    nth = torch.arange(new, device=positions.device)
    if not torch.equal(positions, (first[:, None] + nth).minimum(last[:, None])):
        return None
    counts = last - first + 1  # [B], tokens that aren't repeated
    starts = torch.zeros(rows + 1, dtype=torch.int64, device=positions.device)
    starts[1:] = counts.cumsum(0)
    numbers = last + 1, starts
    if int(starts[-1]) == rows * new:
        return Seen(numbers)
    asked = (nth < counts[:, None]).flatten().nonzero()[:, 0]
    answers = starts[:-1, None] + nth.minimum(counts[:, None] - 1)
    return Seen(numbers, asked, answers.flatten())

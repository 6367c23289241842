"""What one exercise of one learner may take."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Limits:
    """What one process may take: seconds of computing for a cell, and bytes of memory.

    ``wall`` is when it is ended from outside, in seconds.
    """

    cell: float = 10
    wall: float = 60
    memory: int = 2_000_000_000

"""The open task's own answer, and answers that are none."""

from functools import cache

from workbook.checks.ch06.open import leave_room
from workbook.workloads import CONVERSATION, length_at

Running = list[tuple[int, int]]


@cache
def expected(said: int) -> float:
    """Tokens that an answer will still have, on average, once it has ``said`` so many."""
    lengths = [length_at(CONVERSATION.answer, share / 400) // 2 for share in range(401)]
    more = [length - said for length in lengths if length > said]
    return sum(more) / len(more) if more else 8.0


def expected_growth(running: Running, room: int) -> int:
    return int(0.6 * sum(expected(said) for _, said in running) / 16)


leave_room.solved = expected_growth


@leave_room.rejects("230 are allowed")
def one_at_a_time(running: Running, room: int) -> object:
    return 10_000


@leave_room.rejects("230 are allowed")
def half_the_pool(running: Running, room: int) -> object:
    return 64


@leave_room.rejects("A number of blocks is wanted")
def a_share(running: Running, room: int) -> object:
    return 0.15 * 128


@leave_room.rejects("A number of blocks is wanted")
def owes(running: Running, room: int) -> object:
    return -1


@leave_room.rejects("It ends in")
def crashes(running: Running, room: int) -> object:
    return running[99]

"""Mistakes with first_fit, paged_slots, doubling, as readers make them."""

from collections.abc import Iterable

from paged_attention.errors import SlotsExhausted
from paged_attention.slots import SlotPool
from paged_attention.tables import blocks_needed, ceil_div
from workbook.checks.ch01.room import doubling, first_fit, paged_slots

Runs = list[tuple[int, int]]


def finished_first_fit(runs: Runs, n: int) -> int | None:
    pool = SlotPool(1)
    pool.runs = list(runs)
    try:
        return pool.reserve(n)
    except SlotsExhausted:
        return None


@first_fit.mistake(
    "The run at 0 has 20 slots: the last 4 tokens would overwrite whoever lies behind it."
)
def sum_of_runs(runs: Runs, n: int) -> int | None:
    return runs[0][0] if sum(length for _, length in runs) >= n else None


@first_fit.mistake(
    "44 are free, in runs of 20 and 24. 28 tokens from slot 0 on would overwrite B, who lies "
    "between them."
)
def total_will_do(runs: Runs, n: int) -> int | None:
    found = first(runs, n)
    return sum_of_runs(runs, n) if found is None else found


def first(runs: Runs, n: int) -> int | None:
    return next((start for start, length in runs if length >= n), None)


@first_fit.mistake("20 slots fit into 20: the comparison must let an exact fit pass.")
def strictly_longer(runs: Runs, n: int) -> int | None:
    return next((start for start, length in runs if length > n), None)


@first_fit.mistake(
    "Slot 0 is a place, and it was lost: 0 counts as false. Compare with `is None`, or return "
    "inside the loop."
)
def zero_is_false(runs: Runs, n: int) -> int | None:
    return first(runs, n) or None


@first_fit.mistake("1 is the run's number in the list; slot 40 is where it begins.")
def index(runs: Runs, n: int) -> int | None:
    return next((i for i, (_, length) in enumerate(runs) if length >= n), None)


@first_fit.mistake("Only the start is wanted, not the run.")
def the_run(runs: Runs, n: int) -> tuple[int, int] | None:
    return next((run for run in runs if run[1] >= n), None)


@first_fit.mistake("-1 is an index in Python: someone will write there. None can't be one.")
def minus_one(runs: Runs, n: int) -> int:
    found = first(runs, n)
    return -1 if found is None else found


@first_fit.mistake("A refusal is an everyday answer here: return None, don't raise.")
def raises(runs: Runs, n: int) -> int:
    found = first(runs, n)
    if found is None:
        raise MemoryError("no room")
    return found


@first_fit.mistake("That is best fit. First fit stops at the first run that is long enough.")
def best_fit(runs: Runs, n: int) -> int | None:
    fits = [(length, start) for start, length in runs if length >= n]
    return min(fits)[1] if fits else None


@first_fit.mistake("24 slots fit into a run of 24.")
def first_run_only(runs: Runs, n: int) -> int | None:
    return runs[0][0] if runs and runs[0][1] >= n else None


@first_fit.mistake("A full pool has no runs: `runs[0]` isn't there then.")
def no_runs_crash(runs: Runs, n: int) -> int | None:
    return first(runs, n) if runs[0] else None


@first_fit.mistake(
    "The run was shortened in the list. To find is not to take: the pool cuts the run itself, and"
    " would lose these slots twice."
)
def takes_the_run(runs: Runs, n: int) -> int | None:
    for i, (start, length) in enumerate(runs):
        if length >= n:
            runs[i] = (start + n, length - n)
            return start
    return None


def finished_paged(lengths: Iterable[int], block_size: int) -> int:
    return sum(blocks_needed(n, block_size) for n in lengths) * block_size


@paged_slots.mistake("4 tokens fill one block exactly; a second one would stay empty.")
def always_one_more(lengths: Iterable[int], block_size: int) -> int:
    return sum((n // block_size + 1) * block_size for n in lengths)


@paged_slots.mistake(
    "The last, part-filled block of each request is missing: 20 tokens don't fit into 12."
)
def rounded_down(lengths: Iterable[int], block_size: int) -> int:
    return sum(n // block_size * block_size for n in lengths)


@paged_slots.mistake("The sum was rounded up, so two requests would share a block. Round each one.")
def ceil_of_sum(lengths: Iterable[int], block_size: int) -> int:
    return ceil_div(sum(lengths), block_size) * block_size


@paged_slots.mistake("7 is the number of blocks; each has 4 slots.")
def blocks(lengths: Iterable[int], block_size: int) -> int:
    return finished_paged(lengths, block_size) // block_size


@paged_slots.mistake("block_size is 16 here; these are blocks of 4.")
def blocks_of_4(lengths: Iterable[int], block_size: int) -> int:
    return finished_paged(lengths, 4)


@paged_slots.mistake("The number is right, but a number of slots is an int: divide with `//`.")
def a_float(lengths: Iterable[int], block_size: int) -> float:
    return sum(-(-n / block_size // 1) for n in lengths) * block_size


def right_doubling(n: int) -> tuple[int, int]:
    """The list of chapter 01; the finished engine doesn't grow ranges."""
    slots, copied = 16, 0
    while slots < n:
        slots, copied = slots * 2, copied + slots
    return slots, copied


@doubling.mistake("16 tokens fit into 16 slots: grow when the 17th comes, not before.")
def grows_when_full(n: int) -> tuple[int, int]:
    return right_doubling(n + 1)


@doubling.mistake("Only the last move was counted; the 16 before it moved, too.")
def last_move_only(n: int) -> tuple[int, int]:
    slots, _ = right_doubling(n)
    return slots, slots // 2 if slots > 16 else 0


@doubling.mistake("The old tokens move; the new range has 32 slots, but only 16 are written.")
def new_size_copied(n: int) -> tuple[int, int]:
    slots, copied = right_doubling(n)
    return slots, copied * 2


@doubling.mistake("Ranges of 16, 32, 48 grow by 16 each time. Doubling goes 16, 32, 64.")
def by_sixteen(n: int) -> tuple[int, int]:
    slots, copied = 16, 0
    while slots < n:
        slots, copied = slots + 16, copied + slots
    return slots, copied


@doubling.mistake("The slots at the end come first, then the tokens copied.")
def swapped(n: int) -> tuple[int, int]:
    return right_doubling(n)[::-1] if n > 16 else right_doubling(n)


@doubling.mistake("2 is how often it grew; tokens copied are wanted.")
def times_grown(n: int) -> tuple[int, int]:
    slots, _ = right_doubling(n)
    return slots, 16 if slots == 32 else (slots // 16).bit_length() - 1


@doubling.mistake("The first range has 16 slots, not 32: 10 tokens fit into it, so nothing moves.")
def never_starts_small(n: int) -> tuple[int, int]:
    return max(right_doubling(n)[0], 32), right_doubling(n)[1]


@doubling.mistake("The doubling ended at 128. It goes on until the tokens fit.")
def one_growth_at_most(n: int) -> tuple[int, int]:
    return right_doubling(min(n, 128))


first_fit.finished = finished_first_fit
paged_slots.finished = finished_paged
doubling.finished = right_doubling

"""Wrong ways to find room, as readers write them. (exercise, name, object, message fragment.)"""

from collections.abc import Iterable

from paged_attention.errors import SlotsExhausted
from paged_attention.slots import SlotPool
from paged_attention.tables import blocks_needed, ceil_div

Runs = list[tuple[int, int]]


def finished_first_fit(runs: Runs, n: int) -> int | None:
    pool = SlotPool(1)
    pool.runs = list(runs)
    try:
        return pool.reserve(n)
    except SlotsExhausted:
        return None


def sum_of_runs(runs: Runs, n: int) -> int | None:
    return runs[0][0] if sum(length for _, length in runs) >= n else None


def total_will_do(runs: Runs, n: int) -> int | None:
    found = first(runs, n)
    return sum_of_runs(runs, n) if found is None else found


def first(runs: Runs, n: int) -> int | None:
    return next((start for start, length in runs if length >= n), None)


def strictly_longer(runs: Runs, n: int) -> int | None:
    return next((start for start, length in runs if length > n), None)


def zero_is_false(runs: Runs, n: int) -> int | None:
    return first(runs, n) or None


def index(runs: Runs, n: int) -> int | None:
    return next((i for i, (_, length) in enumerate(runs) if length >= n), None)


def the_run(runs: Runs, n: int) -> tuple[int, int] | None:
    return next((run for run in runs if run[1] >= n), None)


def minus_one(runs: Runs, n: int) -> int:
    found = first(runs, n)
    return -1 if found is None else found


def raises(runs: Runs, n: int) -> int:
    found = first(runs, n)
    if found is None:
        raise MemoryError("no room")
    return found


def best_fit(runs: Runs, n: int) -> int | None:
    fits = [(length, start) for start, length in runs if length >= n]
    return min(fits)[1] if fits else None


def first_run_only(runs: Runs, n: int) -> int | None:
    return runs[0][0] if runs and runs[0][1] >= n else None


def no_runs_crash(runs: Runs, n: int) -> int | None:
    return first(runs, n) if runs[0] else None


def takes_the_run(runs: Runs, n: int) -> int | None:
    for i, (start, length) in enumerate(runs):
        if length >= n:
            runs[i] = (start + n, length - n)
            return start
    return None


def finished_paged(lengths: Iterable[int], block_size: int) -> int:
    return sum(blocks_needed(n, block_size) for n in lengths) * block_size


def always_one_more(lengths: Iterable[int], block_size: int) -> int:
    return sum((n // block_size + 1) * block_size for n in lengths)


def rounded_down(lengths: Iterable[int], block_size: int) -> int:
    return sum(n // block_size * block_size for n in lengths)


def ceil_of_sum(lengths: Iterable[int], block_size: int) -> int:
    return ceil_div(sum(lengths), block_size) * block_size


def blocks(lengths: Iterable[int], block_size: int) -> int:
    return finished_paged(lengths, block_size) // block_size


def blocks_of_4(lengths: Iterable[int], block_size: int) -> int:
    return finished_paged(lengths, 4)


def a_float(lengths: Iterable[int], block_size: int) -> float:
    return sum(-(-n / block_size // 1) for n in lengths) * block_size


def right_doubling(n: int) -> tuple[int, int]:
    """The list of chapter 01; the finished engine doesn't grow ranges."""
    slots, copied = 16, 0
    while slots < n:
        slots, copied = slots * 2, copied + slots
    return slots, copied


def grows_when_full(n: int) -> tuple[int, int]:
    return right_doubling(n + 1)


def last_move_only(n: int) -> tuple[int, int]:
    slots, _ = right_doubling(n)
    return slots, slots // 2 if slots > 16 else 0


def new_size_copied(n: int) -> tuple[int, int]:
    slots, copied = right_doubling(n)
    return slots, copied * 2


def by_sixteen(n: int) -> tuple[int, int]:
    slots, copied = 16, 0
    while slots < n:
        slots, copied = slots + 16, copied + slots
    return slots, copied


def swapped(n: int) -> tuple[int, int]:
    return right_doubling(n)[::-1] if n > 16 else right_doubling(n)


def times_grown(n: int) -> tuple[int, int]:
    slots, _ = right_doubling(n)
    return slots, 16 if slots == 32 else (slots // 16).bit_length() - 1


def never_starts_small(n: int) -> tuple[int, int]:
    return max(right_doubling(n)[0], 32), right_doubling(n)[1]


def one_growth_at_most(n: int) -> tuple[int, int]:
    return right_doubling(min(n, 128))


MUTANTS = [
    ("first_fit", "sum of runs", sum_of_runs, "would overwrite whoever lies behind it"),
    ("first_fit", "total will do", total_will_do, "28 tokens from slot 0 on would overwrite B"),
    ("first_fit", "strictly longer", strictly_longer, "must let an exact fit pass"),
    ("first_fit", "or None", zero_is_false, "Slot 0 is a place, and it was lost"),
    ("first_fit", "the run's index", index, "1 is the run's number in the list"),
    ("first_fit", "the run itself", the_run, "Only the start is wanted"),
    ("first_fit", "-1 for no", minus_one, "-1 is an index in Python"),
    ("first_fit", "raises", raises, "A refusal is an everyday answer"),
    ("first_fit", "best fit", best_fit, "That is best fit"),
    ("first_fit", "first run only", first_run_only, "24 slots fit into a run of 24"),
    ("first_fit", "takes the run", takes_the_run, "To find is not to take"),
    ("first_fit", "crashes without runs", no_runs_crash, "A full pool has no runs"),
    ("paged_slots", "always one more", always_one_more, "4 tokens fill one block exactly"),
    ("paged_slots", "rounded down", rounded_down, "20 tokens don't fit into 12"),
    ("paged_slots", "ceil of the sum", ceil_of_sum, "two requests would share a block"),
    ("paged_slots", "blocks, not slots", blocks, "7 is the number of blocks"),
    ("paged_slots", "always blocks of 4", blocks_of_4, "block_size is 16 here"),
    ("paged_slots", "a float", a_float, "a number of slots is an int"),
    ("doubling", "grows when full", grows_when_full, "grow when the 17th comes"),
    ("doubling", "last move only", last_move_only, "the 16 before it moved, too"),
    ("doubling", "new size copied", new_size_copied, "only 16 are written"),
    ("doubling", "by 16", by_sixteen, "grow by 16 each time"),
    ("doubling", "swapped", swapped, "The slots at the end come first"),
    ("doubling", "times grown", times_grown, "2 is how often it grew"),
    ("doubling", "starts at 32", never_starts_small, "They fit into the first 16 slots"),
    ("doubling", "stops at 128", one_growth_at_most, "12,352 slots at the end"),
]
FINISHED = {
    "first_fit": finished_first_fit,
    "paged_slots": finished_paged,
    "doubling": right_doubling,
}

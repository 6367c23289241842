"""Mistakes with first_fit, as readers make them."""

from paged_attention.errors import SlotsExhausted
from paged_attention.slots import SlotPool
from workbook.checks.ch01.searching import first_fit

Runs = list[tuple[int, int]]


def finished(runs: Runs, n: int) -> int | None:
    """The engine's own search, with the stub's signature."""
    pool = SlotPool(1)
    pool.runs = list(runs)
    try:
        return pool.reserve(n)
    except SlotsExhausted:
        return None


def first(runs: Runs, n: int) -> int | None:
    return next((start for start, length in runs if length >= n), None)


first_fit.finished = finished
first_fit.also_right += [first]


@first_fit.mistake("That is the last run that fits. Return as soon as one does, inside the loop.")
def last_fit(runs: Runs, n: int) -> int | None:
    return next((start for start, length in reversed(runs) if length >= n), None)


@first_fit.mistake("That is best fit, the tightest run. First fit stops at the first long enough.")
def best_fit(runs: Runs, n: int) -> int | None:
    fits = [(length, start) for start, length in runs if length >= n]
    return min(fits)[1] if fits else None


@first_fit.mistake("That is the longest run. First fit stops at the first that is long enough.")
def worst_fit(runs: Runs, n: int) -> int | None:
    start, length = max(runs, key=lambda run: run[1], default=(0, 0))
    return start if length >= n else None


@first_fit.mistake(
    "The first run came back, and it is too short. Only its own length counts: what lies behind it "
    "is somebody's, and runs don't add up."
)
def sum_of_runs(runs: Runs, n: int) -> int | None:
    return runs[0][0] if sum(length for _, length in runs) >= n else None


@first_fit.mistake(
    "Where no run is long enough, the first came back. None is the answer: together runs are of no "
    "use, since somebody lies between them."
)
def total_will_do(runs: Runs, n: int) -> int | None:
    found = first(runs, n)
    return sum_of_runs(runs, n) if found is None else found


@first_fit.mistake("An exact fit was turned away: n slots fit into a run of n (`>=`).")
def strictly_longer(runs: Runs, n: int) -> int | None:
    return next((start for start, length in runs if length > n), None)


@first_fit.mistake("The comparison is the wrong way round: that run is too short.")
def shorter(runs: Runs, n: int) -> int | None:
    return next((start for start, length in runs if length <= n), None)


@first_fit.mistake("The comparison is the wrong way round: that run is shorter than n.")
def strictly_shorter(runs: Runs, n: int) -> int | None:
    return next((start for start, length in runs if length < n), None)


@first_fit.mistake("Only a run of exactly n was taken. A longer one does as well.")
def exactly(runs: Runs, n: int) -> int | None:
    return next((start for start, length in runs if length == n), None)


@first_fit.mistake(
    "Slot 0 is a place, and it was lost: 0 counts as false. Compare with `is None`, or return "
    "inside the loop."
)
def zero_is_false(runs: Runs, n: int) -> int | None:
    return first(runs, n) or None


@first_fit.mistake(
    "0 counts as false, so the search went on past slot 0. Compare with `is None`, or return "
    "inside the loop."
)
def past_zero(runs: Runs, n: int) -> int | None:
    found = None
    for start, length in runs:
        if not found and length >= n:
            found = start
    return found


@first_fit.mistake("That is the run's number in the list. Its start is the slot where it begins.")
def index(runs: Runs, n: int) -> int | None:
    return next((i for i, (_, length) in enumerate(runs) if length >= n), None)


@first_fit.mistake("Only the start is wanted, not the whole run.")
def the_run(runs: Runs, n: int) -> tuple[int, int] | None:
    return next((run for run in runs if run[1] >= n), None)


@first_fit.mistake("That is the run's length. Its start is the first number of the pair.")
def the_length(runs: Runs, n: int) -> int | None:
    return next((length for _, length in runs if length >= n), None)


@first_fit.mistake("A run is (start, length); the start was compared, not the length.")
def start_compared(runs: Runs, n: int) -> int | None:
    return next((start for start, _ in runs if start >= n), None)


@first_fit.mistake("A run is (start, length); the two were swapped.")
def pair_swapped(runs: Runs, n: int) -> int | None:
    return next((length for start, length in runs if start >= n), None)


@first_fit.mistake("A run is (start, length), not (start, end): 9 slots from slot 25 on end at 33.")
def as_ends(runs: Runs, n: int) -> int | None:
    return next((start for start, end in runs if end - start >= n), None)


@first_fit.mistake("A start was tested with the length added: only the length says what fits.")
def end_compared(runs: Runs, n: int) -> int | None:
    return next((start for start, length in runs if start + length >= n), None)


@first_fit.mistake("That is where the run ends. The request begins at its start.")
def the_end(runs: Runs, n: int) -> int | None:
    return next((start + length for start, length in runs if length >= n), None)


@first_fit.mistake("That takes the end of the run. First fit begins at its start.")
def from_the_back(runs: Runs, n: int) -> int | None:
    return next((start + length - n for start, length in runs if length >= n), None)


@first_fit.mistake("Every start that fits came back. One is wanted, the first.")
def all_of_them(runs: Runs, n: int) -> list[int] | None:
    return [start for start, length in runs if length >= n] or None


@first_fit.mistake("-1 is an index in Python, so someone will write there. None can't be one.")
def minus_one(runs: Runs, n: int) -> int:
    found = first(runs, n)
    return -1 if found is None else found


@first_fit.mistake("False is 0 in Python, so someone will write at slot 0. None can't be a slot.")
def no_is_false(runs: Runs, n: int) -> int | bool:
    found = first(runs, n)
    return False if found is None else found


@first_fit.mistake("0 is the first slot of the pool, so someone will write there. Return None.")
def no_is_zero(runs: Runs, n: int) -> int:
    found = first(runs, n)
    return 0 if found is None else found


@first_fit.mistake("That is the text 'None'. `None` without quotes is the value for nothing.")
def a_text(runs: Runs, n: int) -> int | str:
    found = first(runs, n)
    return "None" if found is None else found


@first_fit.mistake("It never returns what it found: is the `return` missing?")
def never_returns(runs: Runs, n: int) -> None:
    first(runs, n)


@first_fit.mistake("A run one slot too short was taken: at least n slots, so `length >= n`.")
def one_short(runs: Runs, n: int) -> int | None:
    return first(runs, n - 1)


@first_fit.mistake(
    "Runs were added up on the way, and the last of them was returned. A request needs one run."
)
def added_up(runs: Runs, n: int) -> int | None:
    room = 0
    for start, length in runs:
        room += length
        if room >= n:
            return start
    return None


@first_fit.mistake("Runs were removed while the loop went through the list, which skips some.")
def removes_while_looping(runs: Runs, n: int) -> int | None:
    for run in runs:
        if run[1] < n:
            runs.remove(run)
    return runs[0][0] if runs else None


@first_fit.mistake("Short runs were removed. The list is the pool's, and its slots would be lost.")
def removes_short_runs(runs: Runs, n: int) -> int | None:
    runs[:] = [run for run in runs if run[1] >= n]
    return runs[0][0] if runs else None


@first_fit.mistake("`max` of no runs raises. A full pool has none.")
def max_of_nothing(runs: Runs, n: int) -> int | None:
    return None if max(length for _, length in runs) < n else first(runs, n)


@first_fit.mistake("A slot after the run's start: first fit begins at the start itself.")
def one_further(runs: Runs, n: int) -> int | None:
    found = first(runs, n)
    return None if found is None else found + 1


@first_fit.mistake("The room between two runs was taken. It isn't free: the runs are.")
def between_runs(runs: Runs, n: int) -> int | None:
    end = 0
    for start, length in runs:
        if start - end >= n:
            return end
        end = start + length
    return None


@first_fit.mistake(
    "An exact fit was turned away (`>=`), and where no run fits the first came back."
)
def longer_else_the_first(runs: Runs, n: int) -> int | None:
    found = strictly_longer(runs, n)
    return runs[0][0] if found is None and runs else found


@first_fit.mistake("Where no run fits, the last one came back. None is the answer then.")
def else_the_last(runs: Runs, n: int) -> int | None:
    found = first(runs, n)
    return runs[-1][0] if found is None and runs else found


@first_fit.mistake("Where no run fits, the number of runs came back. None is the answer then.")
def else_how_many(runs: Runs, n: int) -> int:
    found = first(runs, n)
    return len(runs) if found is None else found


@first_fit.mistake("That is the last slot of the run. The request begins at its start.")
def the_last_slot(runs: Runs, n: int) -> int | None:
    return next((start + length - 1 for start, length in runs if length >= n), None)


@first_fit.mistake("A refusal is an everyday answer here: return None, don't raise.")
def raises(runs: Runs, n: int) -> int:
    found = first(runs, n)
    if found is None:
        raise MemoryError("no room")
    return found


@first_fit.mistake("`next` without a second argument raises StopIteration when no run fits.")
def next_raises(runs: Runs, n: int) -> int:
    return next(start for start, length in runs if length >= n)


@first_fit.mistake("Only the first run was looked at: the `return None` stands inside the loop.")
def first_run_only(runs: Runs, n: int) -> int | None:
    return runs[0][0] if runs and runs[0][1] >= n else None


@first_fit.mistake("The last run was never looked at.")
def all_but_the_last(runs: Runs, n: int) -> int | None:
    return first(runs[:-1], n)


@first_fit.mistake("The first run was never looked at.")
def all_but_the_first(runs: Runs, n: int) -> int | None:
    return first(runs[1:], n)


@first_fit.mistake("`runs[0]` isn't there when the pool is full and has no runs.")
def no_runs_crash(runs: Runs, n: int) -> int | None:
    return first(runs, n) if runs[0] else None


@first_fit.mistake("The run was shortened in the list. The caller cuts it, once the slot is taken.")
def takes_the_run(runs: Runs, n: int) -> int | None:
    for i, (start, length) in enumerate(runs):
        if length >= n:
            runs[i] = (start + n, length - n)
            return start
    return None


@first_fit.mistake(
    "The run was taken out of the list. The caller does that, once the slot is taken."
)
def pops_the_run(runs: Runs, n: int) -> int | None:
    for i, (start, length) in enumerate(runs):
        if length >= n:
            runs.pop(i)
            return start
    return None

"""Mistakes with account, as readers make them."""

from typing import Any

from workbook.checks.ch01.waste import account

Row = tuple[int, int, int]
Four = tuple[int, int, int, int]


def right(rows: list[Row], total: int) -> Four:
    """The account of chapter 01; the finished engine has none of this shape."""
    held = sum(row[0] for row in rows)
    now = sum(row[1] for row in rows)
    final = sum(row[2] for row in rows)
    return now, final - now, held - final, total - held


def by_counting(rows: list[Row], total: int) -> Four:
    states = [
        "used" if slot < now else "reserved" if slot < final else "internal"
        for held, now, final in rows
        for slot in range(held)
    ]
    used, reserved, internal = map(states.count, ("used", "reserved", "internal"))
    return used, reserved, internal, total - len(states)


account.finished = right
account.also_right += [by_counting]


@account.mistake("The `return` stands inside the loop: only the first row was counted.")
def first_row_only(rows: list[Row], total: int) -> Four:
    for row in rows:
        return right([row], total)
    return 0, 0, 0, total


@account.mistake(
    "The `return` stands inside the loop: only the first row was counted, and with no rows "
    "nothing comes back."
)
def first_row_or_none(rows: list[Row], total: int) -> Four | None:
    return right(rows[:1], total) if rows else None


@account.mistake("Only the last row was counted: the sums begin anew in every round (`+=`).")
def last_row_only(rows: list[Row], total: int) -> Four:
    return right(rows[-1:], total)


@account.mistake(
    "The sums of used, reserved and internal begin anew in every round; free was added up well."
)
def last_row_but_free(rows: list[Row], total: int) -> Four:
    return (*right(rows[-1:], total)[:3], right(rows, total)[3])


@account.mistake("Reserved holds all empty slots. Those that are never written are internal.")
def reserved_is_all_empty(rows: list[Row], total: int) -> Four:
    used, reserved, internal, free = right(rows, total)
    return used, reserved + internal, internal, free


@account.mistake(
    "Reserved holds all empty slots and internal none. Reserved ones will be written: "
    "`final - now`."
)
def no_internal(rows: list[Row], total: int) -> Four:
    used, reserved, internal, free = right(rows, total)
    return used, reserved + internal, 0, free


@account.mistake(
    "Reserved is `held`, the whole reservation. As a state of a slot it is what will be written "
    "and isn't yet."
)
def reserved_is_held(rows: list[Row], total: int) -> Four:
    used, reserved, internal, free = right(rows, total)
    return used, used + reserved + internal, internal, free


@account.mistake(
    "Reserved counts up to `final` from the beginning; the tokens written by now are used already."
)
def reserved_is_final(rows: list[Row], total: int) -> Four:
    used, reserved, internal, free = right(rows, total)
    return used, used + reserved, internal, free


@account.mistake(
    "Internal counts all empty slots (`held - now`). Those up to `final` will be written."
)
def internal_is_all_empty(rows: list[Row], total: int) -> Four:
    used, reserved, internal, free = right(rows, total)
    return used, reserved, reserved + internal, free


@account.mistake("Reserved and internal are swapped: reserved is what will still be written.")
def swapped(rows: list[Row], total: int) -> Four:
    used, reserved, internal, free = right(rows, total)
    return used, internal, reserved, free


@account.mistake("`final` was taken for used, and none is reserved: used is written by now.")
def final_as_used(rows: list[Row], total: int) -> Four:
    used, reserved, internal, free = right(rows, total)
    return used + reserved, 0, internal, free


@account.mistake("`final` was taken for used: those slots are written at the end, not now.")
def final_as_used_too(rows: list[Row], total: int) -> Four:
    used, reserved, internal, free = right(rows, total)
    return used + reserved, reserved, internal, free


@account.mistake("4 items are wanted, here are 3.")
def no_free(rows: list[Row], total: int) -> tuple[int, ...]:
    return right(rows, total)[:3]


@account.mistake("Free counts every slot that isn't written. What is promised isn't free.")
def empty_is_free(rows: list[Row], total: int) -> Four:
    used, reserved, internal, _ = right(rows, total)
    return used, reserved, internal, total - used


@account.mistake("Free counts internal slots, too. A request holds `held`, its whole reservation.")
def internal_is_free(rows: list[Row], total: int) -> Four:
    used, reserved, internal, free = right(rows, total)
    return used, reserved, internal, free + internal


@account.mistake("Free is `total`: what the requests hold was never taken away from it.")
def all_is_free(rows: list[Row], total: int) -> Four:
    return (*right(rows, total)[:3], total)


@account.mistake("The last number is what is held; free is the rest of the pool.")
def held_for_free(rows: list[Row], total: int) -> Four:
    used, reserved, internal, free = right(rows, total)
    return used, reserved, internal, total - free


@account.mistake("20 was written into the code. What a request holds is the first item of its row.")
def always_twenty(rows: list[Row], total: int) -> Four:
    return right([(20, now, final) for _, now, final in rows], total)


@account.mistake("64 was written into the code. The size of the pool is `total`.")
def always_64_slots(rows: list[Row], total: int) -> Four:
    return right(rows, 64)


@account.mistake("The order of a row is (held, now, final); `now` and `final` were swapped.")
def row_misread(rows: list[Row], total: int) -> Four:
    return right([(held, now, final) for held, final, now in rows], total)


@account.mistake("The order of a row is (held, now, final); here `now` was taken for the first.")
def held_misread(rows: list[Row], total: int) -> Four:
    return right([(held, now, final) for now, final, held in rows], total)


@account.mistake("The four counts come in another order: used, reserved, internal, free.")
def free_first(rows: list[Row], total: int) -> Four:
    used, reserved, internal, free = right(rows, total)
    return free, used, reserved, internal


@account.mistake("With no request there is no row to take apart. All slots are free then.")
def nobody_crashes(rows: list[Row], total: int) -> Four:
    held, now, final = (sum(column) for column in zip(*rows, strict=True))
    return now, final - now, held - final, total - held


def sums(
    rows: list[Row], total: int, reserved: Any, internal: Any, used: Any = lambda h, n, f: n
) -> Four:
    """Used, reserved and internal as these say of a row; what nobody holds is free."""
    held = sum(row[0] for row in rows)
    u, r, i = (sum(count(*row) for row in rows) for count in (used, reserved, internal))
    return u, r, i, total - held


@account.mistake("Reserved is `final - now`; the other way round it is below 0.")
def now_minus_final(rows: list[Row], total: int) -> Four:
    return sums(rows, total, lambda h, n, f: n - f, lambda h, n, f: h - f)


@account.mistake("Internal is `held - final`; the other way round it is below 0.")
def final_minus_held(rows: list[Row], total: int) -> Four:
    return sums(rows, total, lambda h, n, f: f - n, lambda h, n, f: f - h)


@account.mistake("Reserved took both `now` and `final` from `held`. It is what lies between them.")
def reserved_is_the_rest(rows: list[Row], total: int) -> Four:
    return sums(rows, total, lambda h, n, f: h - n - f, lambda h, n, f: h - f)


@account.mistake(
    "Reserved counts up to `final` from the beginning, and internal all empty slots. Reserved "
    "begins after `now`, internal after `final`."
)
def both_from_the_left(rows: list[Row], total: int) -> Four:
    return sums(rows, total, lambda h, n, f: f, lambda h, n, f: h - n)


@account.mistake("Used is `held`. What a request holds isn't written yet, or never will be.")
def held_as_used(rows: list[Row], total: int) -> Four:
    return sums(rows, total, lambda h, n, f: f - n, lambda h, n, f: h - f, lambda h, n, f: h)


@account.mistake("One slot too few is internal in each request: `held - final`, without a - 1.")
def one_too_few_internal(rows: list[Row], total: int) -> Four:
    return sums(rows, total, lambda h, n, f: f - n, lambda h, n, f: h - f - 1)


@account.mistake("Internal is `held - final`; here `now` was taken off once more.")
def internal_less_now(rows: list[Row], total: int) -> Four:
    return sums(rows, total, lambda h, n, f: f - n, lambda h, n, f: h - f - n)


@account.mistake("Free took one slot off for each request; each holds `held` of them.")
def requests_as_slots(rows: list[Row], total: int) -> Four:
    return (*right(rows, total)[:3], total - len(rows))


@account.mistake("Free is taken from 64, less what is used and reserved.")
def free_of_64(rows: list[Row], total: int) -> Four:
    used, reserved, internal, _ = right(rows, total)
    return used, reserved, internal, 64 - used - reserved


@account.mistake("Each row has its own four counts here. The pool has four, summed over all rows.")
def a_count_a_row(rows: list[Row], total: int) -> list[Four]:
    return [right([row], total) for row in rows]


@account.mistake("The rows were counted, not their slots: add up `now`, `final`, `held`.")
def rows_counted(rows: list[Row], total: int) -> Four:
    return len(rows), len(rows), len(rows), total - 3 * len(rows)


@account.mistake("Requests that are full were left out. Their slots are held all the same.")
def full_ones_skipped(rows: list[Row], total: int) -> Four:
    free = right(rows, total)[3]
    return (*right([row for row in rows if row[1] < row[2]], total)[:3], free)


@account.mistake("Free is what the last row leaves of the pool. All rows hold something.")
def free_after_the_last(rows: list[Row], total: int) -> Four:
    return (*right(rows, total)[:3], total - (rows[-1][0] if rows else 0))


@account.mistake("Free is what the first row leaves of the pool. All rows hold something.")
def free_after_the_first(rows: list[Row], total: int) -> Four:
    return (*right(rows, total)[:3], total - (rows[0][0] if rows else 0))


@account.mistake("The counts of each row stand one after the other. Add them up over all rows.")
def row_after_row(rows: list[Row], total: int) -> tuple[int, ...]:
    parts = [right([row], total)[:3] for row in rows]
    return (*(number for part in parts for number in part), right(rows, total)[3])


@account.mistake("Free took off `now` and `final`, which counts what is written twice.")
def now_and_final_off(rows: list[Row], total: int) -> Four:
    used, reserved, internal, _ = right(rows, total)
    return used, reserved, internal, total - 2 * used - reserved


@account.mistake("`max` was taken of a column. Its sum is wanted: all requests hold slots at once.")
def the_largest(rows: list[Row], total: int) -> Four:
    held, now, final = (max((row[i] for row in rows), default=0) for i in range(3))
    return now, final - now, held - final, total - held


@account.mistake("With no rows the whole pool is free: `total`, not 0.")
def zeros_for_nobody(rows: list[Row], total: int) -> Four:
    return right(rows, total) if rows else (0, 0, 0, 0)


@account.mistake("Internal is what no final reaches, free slots, too. It is `held - final`.")
def internal_of_total(rows: list[Row], total: int) -> Four:
    used, reserved, internal, free = right(rows, total)
    return used, reserved, internal + free, free


@account.mistake("Free is what is held and not used. Free is what nobody holds.")
def held_less_used(rows: list[Row], total: int) -> Four:
    used, reserved, internal, _ = right(rows, total)
    return used, reserved, internal, reserved + internal


@account.mistake("Reserved and internal are swapped, and free counts all that isn't written.")
def swapped_and_empty_is_free(rows: list[Row], total: int) -> Four:
    used, reserved, internal, _ = right(rows, total)
    return used, internal, reserved, total - used


@account.mistake("The order is used, reserved, internal, free; internal came first.")
def internal_first(rows: list[Row], total: int) -> Four:
    used, reserved, internal, free = right(rows, total)
    return internal, used, reserved, free


@account.mistake("Sums are wanted. These are averages over the rows.")
def averages(rows: list[Row], total: int) -> Four:
    many = max(len(rows), 1)
    used, reserved, internal, free = right(rows, total)
    return used // many, reserved // many, internal // many, free


def rest_is_free(rows: list[Row], total: int, used: Any, reserved: Any, internal: Any) -> Four:
    """Three counts as these say of a row; free is what they leave of ``total``."""
    u, r, i = (sum(count(*row) for row in rows) for count in (used, reserved, internal))
    return u, r, i, total - u - r - i


@account.mistake(
    "Reserved counts up to `final` from the beginning, so what is used was taken off twice."
)
def final_reserved(rows: list[Row], total: int) -> Four:
    return rest_is_free(rows, total, lambda h, n, f: n, lambda h, n, f: f, lambda h, n, f: h - f)


@account.mistake(
    "Internal is `held - now`, with what is reserved in it, which was taken off free twice."
)
def internal_and_reserved(rows: list[Row], total: int) -> Four:
    return rest_is_free(
        rows, total, lambda h, n, f: n, lambda h, n, f: f - n, lambda h, n, f: h - n
    )


@account.mistake(
    "Reserved is `held - now`, with what is internal in it, which was taken off free twice."
)
def reserved_and_internal(rows: list[Row], total: int) -> Four:
    return rest_is_free(
        rows, total, lambda h, n, f: n, lambda h, n, f: h - n, lambda h, n, f: h - f
    )


@account.mistake("Used is `final`, with what is reserved in it, which was taken off free twice.")
def used_and_reserved(rows: list[Row], total: int) -> Four:
    return rest_is_free(
        rows, total, lambda h, n, f: f, lambda h, n, f: f - n, lambda h, n, f: h - f
    )


@account.mistake("The order of a row is (held, now, final); `held` and `now` were swapped.")
def held_and_now_swapped(rows: list[Row], total: int) -> Four:
    return right([(held, now, final) for now, held, final in rows], total)


@account.mistake("The order is used, reserved, internal, free; the last two are swapped.")
def free_before_internal(rows: list[Row], total: int) -> Four:
    used, reserved, internal, free = right(rows, total)
    return used, reserved, free, internal


@account.mistake("Free leaves out what is reserved. That is held, too.")
def reserved_is_free(rows: list[Row], total: int) -> Four:
    used, reserved, internal, free = right(rows, total)
    return used, reserved, internal, free + reserved


@account.mistake("One slot too few is reserved in each request: `final - now`, without a - 1.")
def one_too_few(rows: list[Row], total: int) -> Four:
    return sums(rows, total, lambda h, n, f: f - n - 1, lambda h, n, f: h - f)


@account.mistake("Nothing is reserved here. It is `final - now`: what will still be written.")
def nothing_reserved(rows: list[Row], total: int) -> Four:
    return sums(rows, total, lambda h, n, f: 0, lambda h, n, f: h - f)


@account.mistake("A request that is full was counted as if one more token came.")
def one_more_to_come(rows: list[Row], total: int) -> Four:
    used, reserved, internal, free = right(rows, total)
    full = sum(1 for _, now, final in rows if now == final)
    return used, reserved + full, internal - full, free


@account.mistake("A list is as good to read, but a tuple was asked for: use ( ), not [ ].")
def a_list(rows: list[Row], total: int) -> list[int]:
    return list(right(rows, total))


@account.mistake("One slot too many is reserved in each request: `final - now`, without a + 1.")
def one_too_many(rows: list[Row], total: int) -> Four:
    used, reserved, internal, free = right(rows, total)
    return used, reserved + len(rows), internal - len(rows), free


@account.mistake(
    "Where nothing is reserved any more, the internal slots were counted as reserved as well: "
    "`final - now` may be 0, and 0 is right."
)
def zero_is_nothing(rows: list[Row], total: int) -> Four:
    used, _, internal, _ = right(rows, total)
    reserved = sum((final - now) or (held - now) for held, now, final in rows)
    return used, reserved, internal, total - used - reserved - internal


@account.mistake("The columns weren't summed: each count is one number for all rows together.")
def not_summed(rows: list[Row], total: int) -> tuple[Any, ...]:
    used = tuple(now for _, now, _ in rows)
    reserved = tuple(final - now for _, now, final in rows)
    internal = tuple(held - final for held, _, final in rows)
    return used, reserved, internal, total - sum(row[0] for row in rows)


@account.mistake(
    "`final` was taken for the tokens still to come. It is how many the request has at its end, "
    "those of now among them."
)
def final_on_top(rows: list[Row], total: int) -> Four:
    return right([(held, now, now + final) for held, now, final in rows], total)


@account.mistake(
    "A request that has written its last token was left out. While it has its row it holds its "
    "slots."
)
def running_only(rows: list[Row], total: int) -> Four:
    return right([row for row in rows if row[1] < row[2]], total)

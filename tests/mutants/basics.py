"""Wrong first exercises, as readers write them. (exercise, name, object, message fragment.)"""

import math

from paged_attention.tables import ceil_div


def one_more(a: int, b: int) -> int:
    return a // b + 1


def floor(a: int, b: int) -> int:
    return a // b


def rounded(a: int, b: int) -> int:
    return round(a / b)


def through_floats(a: int, b: int) -> int:
    return math.ceil(a / b)


def a_float(a: int, b: int) -> float:
    return -(-a / b // 1)


def no_rounding(a: int, b: int) -> float:
    return a / b


def at_least_one(a: int, b: int) -> int:
    return max(1, ceil_div(a, b))


def right_cached(p: int, k: int) -> int:
    return p + k - 1


def output_is_run(p: int, k: int) -> int:
    return p + k


def prompt_only(p: int, k: int) -> int:
    return p


def outputs_only(p: int, k: int) -> int:
    return k - 1


def two_short(p: int, k: int) -> int:
    return p + k - 2


def outputs(p: int, k: int) -> int:
    return k


def multiplied(p: int, k: int) -> int:
    return p * k


def capped(p: int, k: int) -> int:
    return min(p + k - 1, 128)


def right_runs(p: int, k: int, cache: bool) -> int:
    return p + k - 1 if cache else sum(range(p, p + k))


def no_growth(p: int, k: int, cache: bool) -> int:
    return right_runs(p, k, cache) if cache else p * k


def one_pass_more(p: int, k: int, cache: bool) -> int:
    return right_runs(p, k, cache) if cache else sum(range(p, p + k + 1))


def starts_late(p: int, k: int, cache: bool) -> int:
    return right_runs(p, k, cache) if cache else sum(range(p + 1, p + k + 1))


def never_cached(p: int, k: int, cache: bool) -> int:
    return sum(range(p, p + k))


def always_cached(p: int, k: int, cache: bool) -> int:
    return p + k - 1


def first_pass_free(p: int, k: int, cache: bool) -> int:
    return k - 1 + p * (k > 1) if cache else sum(range(p, p + k))


def last_growth_counts(p: int, k: int, cache: bool) -> int:
    return p + k - 1 if cache else k * p + min(k * (k - 1) // 2, 10)


MUTANTS = [
    ("ceil_div", "a // b + 1", one_more, "4 tokens fill 1 block, not 2"),
    ("ceil_div", "a // b", floor, "these three tokens have no home"),
    ("ceil_div", "round", rounded, "The fifth token has no home"),
    ("ceil_div", "math.ceil(a / b)", through_floats, "A float has 53 bits"),
    ("ceil_div", "a float", a_float, "a count is an int: 1, not 1.0"),
    ("ceil_div", "a / b", no_rounding, "`/` divides exactly"),
    ("ceil_div", "at least one", at_least_one, "A sequence without tokens needs no block"),
    ("cached", "p + k", output_is_run, "The newest token has no keys and values yet"),
    ("cached", "p", prompt_only, "Outputs are run, too"),
    ("cached", "k - 1", outputs_only, "their keys and values stay"),
    ("cached", "p + k - 2", two_short, "All 5 tokens of the prompt were run; one is missing"),
    ("cached", "k", outputs, "That is the number of outputs"),
    ("cached", "p * k", multiplied, "Tokens are added, not multiplied"),
    ("cached", "capped", capped, "100 and 99"),
    ("runs", "p * k", no_growth, "the second pass runs 6 tokens, not 5"),
    ("runs", "one pass more", one_pass_more, "One pass too many"),
    ("runs", "starts late", starts_late, "the first pass runs the prompt alone"),
    ("runs", "cache ignored", never_cached, "With one, no token runs twice: 9"),
    ("runs", "always cached", always_cached, "That is what a cache makes of it"),
    ("runs", "first pass free", first_pass_free, "A cache saves nothing on the first pass"),
    ("runs", "growth capped", last_growth_counts, "100 + 101 + … + 199"),
]
FINISHED = {"ceil_div": ceil_div, "cached": right_cached, "runs": right_runs}

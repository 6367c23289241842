"""Mistakes with cached, runs, as readers make them."""

from workbook.checks.ch00.passes import cached, runs


def right_cached(p: int, k: int) -> int:
    return p + k - 1


@cached.mistake("The newest token has no keys and values yet: it has not been run.")
def output_is_run(p: int, k: int) -> int:
    return p + k


@cached.mistake("Outputs are run, too: each but the last was the input for the next one.")
def prompt_only(p: int, k: int) -> int:
    return p


@cached.mistake("The tokens of the prompt were run, and their keys and values stay.")
def outputs_only(p: int, k: int) -> int:
    return k - 1


@cached.mistake("All 5 tokens of the prompt were run; one is missing.")
def two_short(p: int, k: int) -> int:
    return p + k - 2


@cached.mistake("That is the number of outputs; the prompt's tokens are what is cached.")
def outputs(p: int, k: int) -> int:
    return k


@cached.mistake("Tokens are added, not multiplied: each is cached once.")
def multiplied(p: int, k: int) -> int:
    return p * k


@cached.mistake("The sum is held at 128, and 100 + 99 tokens are more.")
def capped(p: int, k: int) -> int:
    return min(p + k - 1, 128)


def right_runs(p: int, k: int, cache: bool) -> int:
    return p + k - 1 if cache else sum(range(p, p + k))


@runs.mistake("The text grows: the second pass runs 6 tokens, not 5.")
def no_growth(p: int, k: int, cache: bool) -> int:
    return right_runs(p, k, cache) if cache else p * k


@runs.mistake("One pass too many: the fifth output comes out of a pass over 9 tokens.")
def one_pass_more(p: int, k: int, cache: bool) -> int:
    return right_runs(p, k, cache) if cache else sum(range(p, p + k + 1))


@runs.mistake("It starts late: the first pass runs the prompt alone, 5 tokens.")
def starts_late(p: int, k: int, cache: bool) -> int:
    return right_runs(p, k, cache) if cache else sum(range(p + 1, p + k + 1))


@runs.mistake("35 is without a cache. With one, no token runs twice: 9.")
def never_cached(p: int, k: int, cache: bool) -> int:
    return sum(range(p, p + k))


@runs.mistake("That is what a cache makes of it. Without one, each pass begins at the start.")
def always_cached(p: int, k: int, cache: bool) -> int:
    return p + k - 1


@runs.mistake("The first pass is missing: a cache is empty then, and the whole prompt is run.")
def first_pass_free(p: int, k: int, cache: bool) -> int:
    return k - 1 + p * (k > 1) if cache else sum(range(p, p + k))


@runs.mistake(
    "The growth stops after some passes, and every pass is one token longer than the one before."
)
def last_growth_counts(p: int, k: int, cache: bool) -> int:
    return p + k - 1 if cache else k * p + min(k * (k - 1) // 2, 10)


cached.finished = right_cached
runs.finished = right_runs

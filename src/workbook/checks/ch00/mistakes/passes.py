"""Mistakes with most_outputs, runs, as readers make them."""

from collections.abc import Callable

from workbook.checks.ch00.passes import most_outputs, runs


def right_outputs(p: int, room: int) -> int:
    return max(0, room - p + 1)


most_outputs.finished = right_outputs
most_outputs.mistake("The newest token has no keys and values yet: it needs no room.")(
    lambda p, room: max(0, room - p)
)
most_outputs.mistake(
    "When the prompt is larger than the room, the answer is 0, not a negative number."
)(lambda p, room: room - p + 1)
most_outputs.mistake("One output too many: only the newest token needs no room.")(
    lambda p, room: max(0, room - p + 2) if p <= room else 0
)
most_outputs.mistake("That is all the room: the prompt's tokens take some of it.")(
    lambda p, room: room
)
most_outputs.mistake("The prompt was left out: the room is its, too.")(lambda p, room: room + 1)
most_outputs.mistake("The two are swapped: room minus prompt, not prompt minus room.")(
    lambda p, room: max(0, p - room + 1)
)
most_outputs.mistake("That is how many tokens there are in all, the prompt's among them.")(
    lambda p, room: p + room - 1
)
most_outputs.mistake(
    "A prompt that fits always has one output, and you gave one to a prompt that doesn't."
)(lambda p, room: max(1, room - p + 1))
most_outputs.mistake("A prompt that fills the room exactly still has one output.")(
    lambda p, room: room - p + 1 if p < room else 0
)
most_outputs.mistake("An error isn't asked for: a prompt that doesn't fit has 0 outputs.")(
    lambda p, room: room - p + 1 if p <= room else 1 // 0
)
most_outputs.mistake(
    "The sign is lost: how far the prompt is over the room isn't what can come out."
)(lambda p, room: abs(room - p + 1))
most_outputs.mistake("The sign was dropped, and one was added after that: 0 is wanted below 0.")(
    lambda p, room: abs(room - p) + 1
)
most_outputs.mistake(
    "One was taken off on top: a prompt and its outputs fill the room, and one more comes out."
)(lambda p, room: max(0, room - p - 1))
most_outputs.mistake("−1 isn't a number of tokens: where none can come out, the answer is 0.")(
    lambda p, room: room - p + 1 if p <= room else -1
)
most_outputs.mistake("The prompt's tokens were counted with the outputs.")(
    lambda p, room: max(0, room - p + 1) + p
)
most_outputs.mistake("A division: each output needs a place of its own, not one as long as p.")(
    lambda p, room: room // p
)
most_outputs.mistake("The size of the prompt is 3 in the first case only.")(
    lambda p, room: max(0, room - 2)
)


def right_runs(p: int, k: int, cache: bool) -> int:
    return p + k - 1 if cache else sum(range(p, p + k))


def uncached(count: Callable[[int, int], float]) -> Callable[[int, int, bool], float]:
    """A solution whose branch with a cache is right, and the other ``count(p, k)``."""
    return lambda p, k, cache: p + k - 1 if cache else count(p, k)


runs.finished = right_runs
runs.mistake("The text grows: each pass has one token more than the one before.")(
    uncached(lambda p, k: p * k)
)
runs.mistake("One pass too many: the last output comes out of a pass without it.")(
    uncached(lambda p, k: sum(range(p, p + k + 1)))
)
runs.mistake("It starts late: the first pass runs the prompt alone.")(
    uncached(lambda p, k: sum(range(p + 1, p + k + 1)))
)
runs.mistake("The last pass is missing: `range` ends before its second number.")(
    uncached(lambda p, k: sum(range(p, p + k - 1)))
)
runs.mistake("Every pass was counted as long as the last one; the first runs the prompt alone.")(
    uncached(lambda p, k: k * (p + k - 1))
)
runs.mistake("Only the prompt's passes were summed, 1 to p: the text begins with all of p.")(
    uncached(lambda p, k: sum(range(p + 1)))
)
runs.mistake("The growth is right, and the prompt was counted once, not in each pass.")(
    uncached(lambda p, k: p + k * (k - 1) // 2)
)
runs.mistake("A pass per token was counted from 1: the first pass has the whole prompt in it.")(
    uncached(lambda p, k: sum(range(1, p + k)))
)
runs.mistake("The number is right, but a count of tokens is an int: use `//`.")(
    uncached(lambda p, k: k * (2 * p + k - 1) / 2)
)
runs.mistake("With a cache no token runs twice; that is the number without one.")(
    lambda p, k, cache: sum(range(p, p + k))
)
runs.mistake("That is what a cache makes of it. Without one, each pass begins at the start.")(
    lambda p, k, cache: p + k - 1
)
runs.mistake("The first pass is missing: a cache is empty then, and the whole prompt is run.")(
    lambda p, k, cache: k - 1 if cache else sum(range(p, p + k))
)
runs.mistake("With a cache the last output isn't run: nothing comes after it.")(
    lambda p, k, cache: p + k if cache else sum(range(p, p + k))
)
runs.mistake("Every pass was counted one longer than the last one is.")(
    uncached(lambda p, k: (p + k) * k)
)
runs.mistake("The first pass, over the prompt alone, is missing: the sum begins with p + 1.")(
    uncached(lambda p, k: sum(range(p + 1, p + k)))
)
runs.mistake("`range(p, k)` ends at k; there are k passes, from p on, so it ends at p + k.")(
    uncached(lambda p, k: sum(range(p, k)))
)
runs.mistake("Only the first pass was counted: did a `return` end the loop in its first turn?")(
    uncached(lambda p, k: p)
)
runs.mistake("With a cache one token a pass was counted; the first pass runs all of the prompt.")(
    lambda p, k, cache: k if cache else sum(range(p, p + k))
)
runs.mistake("With a cache one was added; the newest token isn't run, so one goes off.")(
    lambda p, k, cache: p + k + 1 if cache else sum(range(p, p + k))
)
runs.mistake("With a cache each pass was counted as long as the prompt; only the first one is.")(
    lambda p, k, cache: p * k if cache else sum(range(p, p + k))
)
most_outputs.mistake("Prompt minus room: what doesn't fit, not what comes out.")(
    lambda p, room: p - room
)
most_outputs.mistake("One for each prompt that fits: the rest of the room takes more.")(
    lambda p, room: 1 if p <= room else 0
)
runs.mistake("The two branches are swapped.")(
    lambda p, k, cache: sum(range(p, p + k)) if cache else p + k - 1
)
runs.mistake("With a cache only the prompt was counted; outputs are run, too.")(
    lambda p, k, cache: p if cache else sum(range(p, p + k))
)
most_outputs.mistake("The prompt's own tokens take places, too: `p` wasn't taken off.")(
    lambda p, room: room + 1 if p <= room else 0
)
runs.mistake("The growth is 0 + 1 + … + (k - 1): that is k (k - 1) / 2, not half of k squared.")(
    uncached(lambda p, k: p * k + k * k // 2)
)

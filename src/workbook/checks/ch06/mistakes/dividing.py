"""Mistakes with shares, as readers make them."""

from paged_attention.serving.budget import shares as finished
from workbook.checks.ch06.dividing import shares

shares.finished = finished
shares.probes += [([5, 1, 3, 1, 4], 8, 3), ([7, 7, 7], 7, 7), ([2, 1], 2, 1), ([3, 3], 5, 3)]


@shares.also_right.append
def two_passes(left: list[int], budget: int, chunk: int) -> list[int]:
    given = [1 if n == 1 else 0 for n in left]
    for i, n in enumerate(left):
        if n > 1:
            given[i] = max(0, min(n, chunk, budget - sum(given)))
    return given


@shares.mistake("Prompts came first, and one that was about to speak got nothing.")
def prompts_first(left: list[int], budget: int, chunk: int) -> list[int]:
    order = sorted(range(len(left)), key=lambda i: left[i] == 1)
    given = [0] * len(left)
    for i in order:
        given[i] = min(left[i], budget, chunk)
        budget -= given[i]
    return given


@shares.mistake("`chunk` was not looked at: one prompt took all that the others left.")
def no_chunk(left: list[int], budget: int, chunk: int) -> list[int]:
    return finished(left, budget, budget)


@shares.mistake(
    "Those who speak were not taken off the budget, so the step runs more tokens than it allows."
)
def speakers_not_subtracted(left: list[int], budget: int, chunk: int) -> list[int]:
    given = []
    for n in left:
        given.append(1 if n == 1 else min(n, budget, chunk))
        budget -= 0 if n == 1 else given[-1]
    return given


@shares.mistake("The newest reader was served first: the list goes from the oldest to the newest.")
def newest_first(left: list[int], budget: int, chunk: int) -> list[int]:
    return finished(left[::-1], budget, chunk)[::-1]


@shares.mistake(
    "The readers share evenly. Then every prompt ends late; the oldest first lets one end early, "
    "and no other later."
)
def evenly(left: list[int], budget: int, chunk: int) -> list[int]:
    readers = sum(n > 1 for n in left)
    budget -= left.count(1)
    each, more = divmod(budget, readers) if readers else (0, 0)
    given = []
    for n in left:
        part = 1 if n == 1 else min(n, chunk, each + (more > 0))
        more -= n > 1
        given.append(part)
    return given


@shares.mistake(
    "The readers share evenly, and what the division leaves is given to nobody. The oldest first: "
    "it ends early, and no other later."
)
def evenly_rounded_down(left: list[int], budget: int, chunk: int) -> list[int]:
    readers = sum(n > 1 for n in left)
    each = (budget - left.count(1)) // readers if readers else 0
    return [1 if n == 1 else min(n, chunk, each) for n in left]


@shares.mistake(
    "Those who speak were taken off the budget twice: put aside at first, and again in the walk."
)
def speakers_twice(left: list[int], budget: int, chunk: int) -> list[int]:
    budget -= left.count(1)
    given = []
    for n in left:
        given.append(1 if n == 1 else max(0, min(n, budget, chunk)))
        budget -= given[-1]
    return given


@shares.mistake(
    "The shares came in another order than the requests, those who speak first: share i is request "
    "i's."
)
def speakers_in_front(left: list[int], budget: int, chunk: int) -> list[int]:
    given = finished(left, budget, chunk)
    return [1] * left.count(1) + [g for n, g in zip(left, given, strict=True) if n > 1]


@shares.mistake("`chunk` was taken for the limit of all readers together; it is that of each.")
def chunk_for_all(left: list[int], budget: int, chunk: int) -> list[int]:
    return finished(left, min(budget, chunk + left.count(1)), chunk)


@shares.mistake(
    "The one with least left to run was served first. The list goes from the oldest to the newest."
)
def shortest_first(left: list[int], budget: int, chunk: int) -> list[int]:
    given = [0] * len(left)
    for i in sorted(range(len(left)), key=left.__getitem__):
        given[i] = min(left[i], budget, chunk)
        budget -= given[i]
    return given


@shares.mistake(
    "The one with most left to run was served first: the oldest is, whatever its length."
)
def longest_first(left: list[int], budget: int, chunk: int) -> list[int]:
    order = sorted(range(len(left)), key=left.__getitem__, reverse=True)
    budget -= left.count(1)
    given = [1 if n == 1 else 0 for n in left]
    for i in order:
        if left[i] > 1:
            given[i] = min(left[i], budget, chunk)
            budget -= given[i]
    return given


@shares.mistake("A share has no limit but the budget and the rest: `min(n, budget, chunk)`.")
def the_chunk_itself(left: list[int], budget: int, chunk: int) -> list[int]:
    budget -= left.count(1)
    given = []
    for n in left:
        given.append(1 if n == 1 else min(budget, chunk))
        budget -= 0 if n == 1 else given[-1]
    return given


@shares.mistake("What was given to one reader was not taken off the budget of the next.")
def budget_for_each(left: list[int], budget: int, chunk: int) -> list[int]:
    budget -= left.count(1)
    return [1 if n == 1 else min(n, budget, chunk) for n in left]


@shares.mistake("A share below 0: when the budget is spent, the share is 0, and so is the rest.")
def below_zero(left: list[int], budget: int, chunk: int) -> list[int]:
    budget -= left.count(1)
    given = []
    for n in left:
        given.append(1 if n == 1 else min(n, budget, chunk))
        budget -= 0 if n == 1 else given[-1] + 1
    return given


@shares.mistake(
    "The whole chunk was given or nothing: what is left of the budget is worth running."
)
def whole_chunks_only(left: list[int], budget: int, chunk: int) -> list[int]:
    budget -= left.count(1)
    given = []
    for n in left:
        part = 1 if n == 1 else min(n, chunk)
        if n > 1 and part > budget:
            part = 0
        budget -= part if n > 1 else 0
        given.append(part)
    return given


@shares.mistake("Requests that get nothing were left out: one share for each, 0 if it must be.")
def left_out(left: list[int], budget: int, chunk: int) -> list[int]:
    return [n for n in finished(left, budget, chunk) if n]


@shares.mistake("Only the first reader got something: the budget reaches further than that.")
def first_reader_only(left: list[int], budget: int, chunk: int) -> list[int]:
    given = finished(left, budget, chunk)
    first = next((i for i, n in enumerate(left) if n > 1), len(left))
    return [n if left[i] == 1 or i == first else 0 for i, n in enumerate(given)]


@shares.mistake("The tokens were handed out in the list's order, and a speaker came too late.")
def in_order(left: list[int], budget: int, chunk: int) -> list[int]:
    given = []
    for n in left:
        given.append(min(n, budget, chunk))
        budget -= given[-1]
    return given


@shares.mistake("The last token is kept back: a request with n left was given n - 1.")
def one_less(left: list[int], budget: int, chunk: int) -> list[int]:
    return finished([n - 1 if n > 1 else n for n in left], budget, chunk)


@shares.mistake("24 was written into the code as the budget: it is an argument.")
def constant_budget(left: list[int], budget: int, chunk: int) -> list[int]:
    return finished(left, 24, chunk)


@shares.mistake(
    "Every reader kept a token of the budget for itself, so less than the budget was handed out."
)
def one_for_all(left: list[int], budget: int, chunk: int) -> list[int]:
    budget -= len(left)
    given = []
    for n in left:
        part = max(0, min(n - 1, budget, chunk))
        budget -= part
        given.append(1 if n == 1 else part)
    return given


@shares.mistake("Only those who speak got a token: what they leave of the budget is for readers.")
def speakers_only(left: list[int], budget: int, chunk: int) -> list[int]:
    return [1 if n == 1 else 0 for n in left]


@shares.mistake(
    "Each got a whole chunk as long as there was budget, whatever it has left to run: a share is "
    "`min(n, budget, chunk)`."
)
def chunks_for_all(left: list[int], budget: int, chunk: int) -> list[int]:
    given = []
    for _ in left:
        given.append(min(chunk, budget))
        budget -= given[-1]
    return given


@shares.mistake(
    "Requests with as much left were taken for one another (`left.index`): go by their place in "
    "the list."
)
def by_value(left: list[int], budget: int, chunk: int) -> list[int]:
    budget -= left.count(1)
    given = [0] * len(left)
    for n in left:
        given[left.index(n)] = 1 if n == 1 else min(n, budget, chunk)
        budget -= 0 if n == 1 else given[left.index(n)]
    return given


@shares.mistake("Everybody got one token at least, and the budget was exceeded: a share may be 0.")
def one_at_least(left: list[int], budget: int, chunk: int) -> list[int]:
    budget -= left.count(1)
    given = []
    for n in left:
        given.append(1 if n == 1 else max(1, min(n, budget, chunk)))
        budget -= 0 if n == 1 else given[-1]
    return given


@shares.mistake(
    "A whole chunk was taken off the budget, or given beyond it, whatever was left: a share is "
    "`min(n, budget, chunk)`, and that is what the budget loses."
)
def in_whole_chunks(left: list[int], budget: int, chunk: int) -> list[int]:
    budget -= left.count(1)
    given = []
    for n in left:
        given.append(1 if n == 1 else min(n, chunk) if budget > 0 else 0)
        budget -= 0 if n == 1 else chunk
    return given


@shares.mistake(
    "A token was put aside for every request. Only those with one token left must have theirs; a "
    "share of the others may be 0."
)
def one_for_everybody(left: list[int], budget: int, chunk: int) -> list[int]:
    budget -= len(left)
    given = []
    for n in left:
        more = 0 if n == 1 else max(0, min(n - 1, budget, chunk - 1))
        given.append(1 + more)
        budget -= more
    return given


@shares.mistake(
    "The budget was divided in proportion to what is left. The oldest comes first, and whoever is "
    "about to speak has its token."
)
def in_proportion(left: list[int], budget: int, chunk: int) -> list[int]:
    every = sum(left) or 1
    return [1 if n == 1 else min(n, chunk, budget * n // every) for n in left]


@shares.mistake(
    "The budget lost a whole chunk even where less was given, and fell below 0: take off what was "
    "given."
)
def loses_chunks(left: list[int], budget: int, chunk: int) -> list[int]:
    budget -= left.count(1)
    given = []
    for n in left:
        given.append(1 if n == 1 else min(n, chunk, budget))
        budget -= 0 if n == 1 else min(n, chunk)
    return given


@shares.mistake(
    "The tokens of those who speak were taken off the budget one by one, as the walk came to them: "
    "readers before them had got those, too. Put them aside first."
)
def speakers_in_turn(left: list[int], budget: int, chunk: int) -> list[int]:
    given = []
    for n in left:
        given.append(1 if n == 1 else min(n, budget, chunk))
        budget = max(0, budget - given[-1])
    return given

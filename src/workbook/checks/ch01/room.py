"""Chapter 01: room for a request in one run, in blocks, and in a range that doubles."""

from collections.abc import Sequence
from typing import Any

from workbook.checks.framework import attempt, exercise, expect, shown

# fmt: off
REQUESTS = [188, 227, 481, 284, 298, 479, 422, 255, 220, 251, 470, 261, 499, 255, 425, 163,
            339, 307, 46, 200, 240, 392, 153, 91, 471, 410, 120, 254, 479, 423, 475, 346]
# fmt: on

first_fit = exercise(
    "first_fit",
    label="ex-01-3",
    title="First fit",
    stub="first_fit",
    takes="function",
    hints=(
        "A request lies in one run. Two runs that are long enough together are of no use to it.",
        "Return inside the loop as soon as a run is long enough, and `None` after it. Slot 0 is a "
        "place like any other, so never ask whether a start is true.",
    ),
)
paged_slots = exercise(
    "paged_slots",
    label="ex-01-4",
    title="What paging takes",
    stub="paged_slots",
    takes="function",
    hints=(
        "Two requests never share a block here. So round up for each request, not for the sum.",
        "`ceil_div(length, block_size)` is the number of blocks of one request; the answer is in "
        "slots.",
    ),
)
doubling = exercise(
    "doubling",
    label="ex-01-5",
    title="Grow like a list",
    stub="doubling",
    takes="function",
    hints=(
        "How often it doubles isn't known beforehand: that is a `while` loop, which stops as soon "
        "as the tokens fit.",
        "At each round the old range is full, so all its tokens move: add the old size to the "
        "copies, then double it.",
    ),
)


@first_fit.case(
    "a run at slot 0",
    tried="first_fit([(0, 20), (40, 24)], 20)",
    right="0",
    why="The first run has exactly 20 slots, and it begins at slot 0.",
)
def _at_zero(function: Any) -> None:
    got = function([(0, 20), (40, 24)], 20)
    expect(
        got is not None,
        got=shown(got),
        why="Slot 0 is a place, and it was lost: 0 counts as false. Compare with `is None`, or "
        "return inside the loop.",
    )
    expect(
        got != 40,
        got=shown(got),
        why="20 slots fit into 20: the comparison must let an exact fit pass.",
    )
    expect(not isinstance(got, tuple), got=shown(got), why="Only the start is wanted, not the run.")
    expect(type(got) is int and got == 0, got=shown(got))


first_fit.example(
    "an exact fit in the second run",
    [(0, 20), (40, 24)],
    24,
    right=40,
    why="The second run has exactly 24 slots, and it begins at slot 40.",
    when=[
        (1, "1 is the run's number in the list; slot 40 is where it begins."),
        (0, "The run at 0 has 20 slots: the last 4 tokens would overwrite whoever lies behind it."),
        (None, "24 slots fit into a run of 24."),
    ],
)


@first_fit.case(
    "the list stays as it was",
    tried="runs = [(0, 20), (40, 24)]; first_fit(runs, 10)",
    right="runs is still [(0, 20), (40, 24)]",
    why="To find is not to take: the pool cuts the run itself, and would lose these slots twice.",
)
def _unchanged(function: Any) -> None:
    runs = [(0, 20), (40, 24)]
    function(runs, 10)
    expect(runs == [(0, 20), (40, 24)], got=f"runs is {shown(runs)}")


@first_fit.case(
    "44 free, and still no",
    tried="first_fit([(0, 20), (40, 24)], 28)",
    right="None",
    why="No single run has 28 slots.",
)
def _refused(function: Any) -> None:
    outcome = attempt(function, [(0, 20), (40, 24)], 28)
    expect(
        outcome.error is None,
        got=str(outcome),
        why="A refusal is an everyday answer here: return None, don't raise.",
    )
    got = outcome.value
    expect(
        type(got) is not int or got >= 0,
        got=shown(got),
        why=f"{shown(got)} is an index in Python: someone will write there. None can't be one.",
    )
    expect(
        got is None,
        got=shown(got),
        why=f"44 are free, in runs of 20 and 24. 28 tokens from slot {shown(got)} on would "
        "overwrite B, who lies between them.",
    )


first_fit.example(
    "the first, not the tightest",
    [(0, 30), (40, 24)],
    24,
    right=0,
    why="First fit takes the first run that is long enough.",
    when=[(40, "That is best fit. First fit stops at the first run that is long enough.")],
)
first_fit.example("no run at all", [], 1, right=None, why="A full pool has no runs.")


paged_slots.example(
    "the five prompts, blocks of 4",
    [5, 3, 6, 4, 2],
    4,
    right=28,
    why="2 + 1 + 2 + 1 + 1 blocks of 4 slots.",
    when=[
        (32, "4 tokens fill one block exactly; a second one would stay empty."),
        (
            12,
            "The last, part-filled block of each request is missing: 20 tokens don't fit into 12.",
        ),
        (20, "The sum was rounded up, so two requests would share a block. Round each one."),
        (7, "7 is the number of blocks; each has 4 slots."),
        (28.0, "The number is right, but a number of slots is an int: divide with `//`."),
    ],
)


def _of_the_32(block_size: int, right: int, why: str, when: Sequence[tuple[int, str]]) -> None:
    @paged_slots.case(
        f"32 requests, blocks of {block_size:,}",
        tried=f"paged_slots(lengths, {block_size}), with the 32 lengths of this chapter",
        right=shown(right),
        why=why,
    )
    def body(function: Any) -> None:
        got = function(list(REQUESTS), block_size)
        better = next((text for wrong, text in when if got == wrong), None)
        expect(type(got) is int and got == right, got=shown(got), why=better)


_of_the_32(
    16,
    10_144,
    "634 blocks of 16.",
    [
        (9_964, "block_size is 16 here; these are blocks of 4."),
        (9_936, "The sum was rounded up, so two requests would share a block."),
    ],
)
_of_the_32(1, 9_924, "Blocks of one slot: nothing is empty, and every token needs an entry.", [])
_of_the_32(1_024, 32_768, "One block each, as long as the longest request: a reservation.", [])
paged_slots.example("no requests", [], 16, right=0, why="Nobody there, nothing held.")


doubling.example(
    "10 tokens",
    10,
    right=(16, 0),
    why="They fit into the first 16 slots, so nothing moves.",
)
doubling.example(
    "16 tokens",
    16,
    right=(16, 0),
    why="16 tokens fit into 16 slots.",
    when=[((32, 16), "16 tokens fit into 16 slots: grow when the 17th comes, not before.")],
)
doubling.example(
    "17 tokens",
    17,
    right=(32, 16),
    why="One growth, from 16 to 32; the 16 tokens move.",
    when=[
        ((32, 32), "The old tokens move; the new range has 32 slots, but only 16 are written."),
        ((32, 17), "When it grows, the 17th token isn't there yet: 16 move."),
        ((16, 32), "The slots at the end come first, then the tokens copied."),
        ((16, 16), "The slots at the end come first, then the tokens copied."),
    ],
)
doubling.example(
    "46 tokens",
    46,
    right=(64, 48),
    why="16, 32, 64: 16 tokens move, then 32.",
    when=[
        ((64, 32), "Only the last move was counted; the 16 before it moved, too."),
        ((48, 48), "Ranges of 16, 32, 48 grow by 16 each time. Doubling goes 16, 32, 64."),
        ((64, 2), "2 is how often it grew; tokens copied are wanted."),
    ],
)


@doubling.case(
    "the 32 requests",
    tried="doubling(n) for each of the 32 requests of this chapter, added up",
    right="(12352, 11840)",
    why="12,352 slots at the end and 11,840 copies on the way.",
)
def _all_32(function: Any) -> None:
    pairs = [function(length) for length in REQUESTS]
    got = tuple(sum(column) for column in zip(*pairs, strict=True))
    expect(got == (12_352, 11_840), got=shown(got))

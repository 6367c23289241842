"""Chapter 04: what a whole step costs, before it is paid."""

import random
from typing import Any

from workbook.checks.framework import exercise, expect, shown
from workbook.checks.toolboxes.known_tokens import state, write, written

step_cost = exercise(
    "step_cost",
    label="ex-04-3",
    title="The price of a step",
    stub="step_cost",
    takes="function",
    hints=(
        "Play a step with three writers by hand, one `reserve` after the other. Who finds a count "
        "of 1, and needs no copy?",
        "New blocks add up over the sequences. Copies are counted for each block: `w` sequences of "
        "this step want to write into it, `refs` hold it. If `w < refs`, all `w` copy; else "
        "the last one finds itself alone. `min(w, refs - 1)` says both.",
    ),
)


def _price(tokens: int, writers: str, right: int, why: str, **when: str) -> None:
    @step_cost.case(
        f"{len(writers)} of 3 write, {tokens} tokens each",
        tried=f"{tokens} tokens, forks b and c; step_cost(cache, "
        f"{shown(dict.fromkeys(writers, 1))})",
        right=shown(right),
        why=why,
    )
    def _case(function: Any) -> None:
        cache = written(tokens)
        for child in "bc":
            cache.fork("a", child)
        before = state(cache)
        got = function(cache, dict.fromkeys(writers, 1))
        expect(state(cache) == before, got=f"{shown(got)}, and now {state(cache)}", why=_LOOK)
        expect(type(got) is int and got == right, got=shown(got), why=when.get(f"got_{got}"))


_LOOK = "The question changed the cache. Whoever asks for a price has not bought yet."
_price(
    6,
    "a",
    1,
    "One writer, one copy.",
    got_2="Two other holders, yet only one sequence writes: it copies, and the others stay.",
)
_price(
    6,
    "ab",
    2,
    "c stays in the old block, so both writers copy.",
    got_1="The block is the same, but each of the two needs a copy of its own.",
)
_price(
    6,
    "abc",
    2,
    "When a and b have their copies, c is alone in block 1.",
    got_3="Asked alone, each of them needs a copy. Together they don't: the last finds itself the "
    "only holder. A sum refuses steps that fit.",
)
_price(
    8,
    "abc",
    3,
    "Nothing is copied, and each begins a block of its own.",
    got_0="Copies aren't all: position 8 has no block yet, in any of the three.",
)


@step_cost.case(
    "exact in 300 random states",
    tried="4 forks in random states, a random step; then reserve_many",
    right="the price is what reserve_many takes",
    why="Too low, and the step fails half-way. Too high, and it waits although it fits.",
)
def _exact(function: Any) -> None:
    draw = random.Random(4)
    for _ in range(300):
        cache = written(draw.randint(0, 9), num_blocks=80)
        for child in "bcd":
            cache.fork("a", child)
        for _ in range(draw.randint(0, 4)):
            seq = draw.choice("abcd")
            if draw.random() < 0.7:
                write(cache, {seq: [0] * draw.randint(1, 5)})
            else:
                cache.truncate(seq, draw.randint(0, cache.lengths[seq]))
        step = {seq: draw.randint(0, 5) for seq in draw.sample("abcd", draw.randint(1, 4))}
        before = f"{state(cache)} lengths {shown(dict(cache.lengths))}"
        got, free = function(cache, dict(step)), cache.allocator.num_free
        cache.reserve_many(step)
        right = free - cache.allocator.num_free
        expect(
            got == right,
            tried=f"{before}; step_cost(cache, {shown(step)})",
            got=shown(got),
            right=shown(right),
        )

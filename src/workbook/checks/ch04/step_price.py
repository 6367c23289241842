"""Chapter 04: what a whole step costs, before it is paid."""

import random
from collections.abc import Iterator
from typing import Any, NamedTuple

from workbook.checks.framework import exercise, expect, shown
from workbook.checks.toolboxes.growth import small_cache
from workbook.checks.toolboxes.known_tokens import state, written
from workbook.checks.toolboxes.refusals import Snapshot

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


def _price(tokens: int, writers: str, right: int, why: str) -> None:
    @step_cost.case(
        f"{len(writers)} of 3 write, {tokens} tokens each",
        tried=f"{tokens} tokens, forks b and c; step_cost(cache, "
        f"{shown(dict.fromkeys(writers, 1))})",
        right=shown(right),
        why=why,
    )
    def _case(function: Any) -> None:
        cache = written(tokens, ids=(5, 2, 7, 0, 3, 1, 6, 4))
        for child in "bc":
            cache.fork("a", child)
        before = Snapshot.of(cache)
        got = function(cache, dict.fromkeys(writers, 1))
        if change := before.change(Snapshot.of(cache)):
            expect(False, got=f"{shown(got)}, and {change[0]}", right=change[1], why=_LOOK)
        expect(type(got) is int and got == right, got=shown(got))


_LOOK = "The question changed the cache. Whoever asks for a price has not bought yet."
_price(
    6,
    "a",
    1,
    "One writer, one copy. The two others stay where they are.",
)
_price(
    6,
    "ab",
    2,
    "c stays in the old block, so both writers copy.",
)
_price(
    6,
    "abc",
    2,
    "When a and b have their copies, c is alone in the old block.",
)
_price(
    8,
    "abc",
    3,
    "Nothing is copied, and each begins a block of its own.",
)


@step_cost.case(
    "exact in 300 random states",
    tried="4 forks in random states, a random step; then reserve_many",
    right="the price is what reserve_many takes",
    why="Too low, and the step fails half-way. Too high, and it waits although it fits.",
)
def _exact(function: Any) -> None:
    wrong: list[tuple[int, str, str, str, set[str]]] = []
    states = _kept.copy() or _priced_states()
    _kept.clear()  # whoever changes a state, or fails in one, is the last who sees them
    for cache, step, tried, before, price in states:
        got = function(cache, dict(step))
        after = _seen(cache)
        expect(after == before, tried=tried, got=after, right=before, why=_LOOK)
        if type(got) is not int or got != price:
            new = _new_blocks(cache, step)
            said = f"{price}: {new} new, {price - new} copies"
            wrong.append((len(step), tried, shown(got), said, _traits(cache, step)))
    _kept.extend(states)
    if wrong:
        _, tried, got, right, _ = min(wrong, key=lambda row: row[0])
        common = set.intersection(*(row[-1] for row in wrong))
        why = f"In every wrong state {', and '.join(sorted(common))}." if common else None
        got = f"{got}, and {len(wrong)} of 300 are wrong"
        expect(False, tried=tried, got=got, right=right, why=why)


class _Priced(NamedTuple):
    """A state, a step, both in words, what is seen, and what ``reserve_many`` took for the step."""

    cache: Any
    step: dict[str, int]
    tried: str
    seen: str
    price: int


_kept: list[_Priced] = []  # the same for every function: a failure is compared with fifty mistakes


def _priced_states() -> list[_Priced]:
    def paid(cache: Any, step: dict[str, int]) -> int:
        free: int = cache.allocator.num_free
        cache.reserve_many(step)
        return free - int(cache.allocator.num_free)

    return [
        _Priced(cache, step, _question(cache, step), _seen(cache), paid(twin, step))
        for (cache, step), (twin, _) in zip(_states_and_steps(), _states_and_steps(), strict=True)
    ]


def _states_and_steps() -> Iterator[tuple[Any, dict[str, int]]]:
    draw = random.Random(4)
    for _ in range(300):
        cache = _random_state(draw)
        yield cache, {seq: draw.randint(0, 5) for seq in draw.sample("abcd", draw.randint(1, 4))}


def _seen(cache: Any) -> str:
    return f"{cache.lengths}, {state(cache)}"


def _question(cache: Any, step: dict[str, int]) -> str:
    lengths = shown(dict(cache.lengths))
    return (
        f"blocks of {cache.block_size}, {state(cache)} lengths {lengths}; "
        f"step_cost(cache, {shown(step)})"
    )


def _new_blocks(cache: Any, step: dict[str, int]) -> int:
    """Blocks that the tokens need and the tables lack."""
    needed = {seq: -(-(cache.lengths[seq] + n) // cache.block_size) for seq, n in step.items()}
    return sum(max(0, count - len(cache.tables[seq])) for seq, count in needed.items())


def _traits(cache: Any, step: dict[str, int]) -> set[str]:
    """What a price may stumble over in this state and step."""
    size, lengths, refs = cache.block_size, cache.lengths, cache.allocator.refs
    ends = {seq: lengths[seq] // size for seq, n in step.items() if n and lengths[seq] % size}
    written = [cache.tables[seq][at] for seq, at in ends.items()]
    found = {
        "a sequence asks for 0 tokens": 0 in step.values(),
        "a writer's last block is full": any(
            n and not lengths[seq] % size for seq, n in step.items()
        ),
        "a writer has room from earlier": any(
            len(cache.tables[seq]) * size >= lengths[seq] + size for seq in step
        ),
        "somebody asks for more than 1 token": max(step.values()) > 1,
        "two write into one block": len(set(written)) < len(written),
        "a block that is written has other holders": any(refs[block] > 1 for block in written),
        "blocks have 3 slots": size == 3,
    }
    return {words for words, holds in found.items() if holds}


def _random_state(draw: random.Random) -> Any:
    """Four forks that have written, been cut, or reserved ahead."""

    def take(cache: Any, seq: str, tokens: int) -> None:
        """As if they had been written: whoever asks for a price looks at no key."""
        cache.reserve(seq, tokens)
        cache.lengths[seq] += tokens

    size = draw.choice([3, 4])
    cache = small_cache(60, size)
    cache.create("a")
    take(cache, "a", draw.randint(0, 9))
    if draw.random() < 0.3:
        cache.reserve("a", draw.randint(1, 9))  # the last block of a table may be room
    for child in "bcd":
        cache.fork("a", child)
    for _ in range(draw.randint(0, 4)):
        seq, what = draw.choice("abcd"), draw.random()
        if what < 0.5:
            take(cache, seq, draw.randint(1, 5))
        elif what < 0.75:
            cache.reserve(seq, draw.randint(1, 9))
        else:
            cache.truncate(seq, draw.randint(0, cache.lengths[seq]))
    return cache

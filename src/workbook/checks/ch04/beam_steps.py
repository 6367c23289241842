"""Chapter 04: one step of beam search on a cache that forks."""

import random
from typing import Any

from paged_attention.allocator import BlockAllocator
from workbook.checks.framework import CheckFailed, attempt, exercise, expect, shown
from workbook.checks.toolboxes.known_tokens import expect_counted, read, state, used, write, written

beam_step = exercise(
    "beam_step",
    label="ex-04-4",
    title="A step of beam search",
    stub="beam_step",
    takes="function",
    answers=False,
    hints=(
        "How long is each old beam needed? And what makes a count fall to 1, so that a survivor "
        "may write in place?",
        "Three passes, in this order: fork every survivor from its parent, free every old beam, "
        "then call `append` once.",
    ),
)


class _Watched(BlockAllocator):
    """Remembers how many blocks were held at most."""

    peak = 0

    def allocate(self) -> int:
        return self.allocate_many(1)[0]

    def allocate_many(self, n: int) -> list[int]:
        taken = super().allocate_many(n)
        self.peak = max(self.peak, self.num_held)
        return taken


def _beams() -> Any:
    """Three beams of 7 tokens: a [0, 2], b [0, 3], c [0, 1]; a neighbour n holds block 4."""
    cache = written(6, num_blocks=16)
    watched = _Watched(16)
    watched.allocate_many(2)
    cache.allocator = watched
    for child in "bc":
        cache.fork("a", child)
    for seq, token in (("a", 61), ("b", 62), ("c", 63)):
        write(cache, {seq: [token]})
    cache.create("n")
    write(cache, {"n": [90]})
    return cache


_SURVIVORS = {"d": ("a", 71), "e": ("a", 72), "f": ("c", 73)}
_TRIED = "a [0, 2], b [0, 3], c [0, 1]; survivors d and e of a, f of c"


def _diary(cache: Any) -> list[tuple[Any, ...]]:
    """What is called from now on: ("fork", parent, child) or ("free", sequence)."""
    diary: list[tuple[Any, ...]] = []

    def noted(name: str) -> None:
        real = getattr(cache, name)

        def call(*args: Any, **named: Any) -> Any:
            by_name = (named[key] for key in ("parent", "child", "seq") if key in named)
            diary.append((name, *args, *by_name))
            return real(*args, **named)

        setattr(cache, name, call)

    noted("fork")
    noted("free")
    return diary


def _cause(diary: list[tuple[Any, ...]], calls: list[Any]) -> str | None:
    """The first call that can't be right, in words."""
    freed: list[Any] = []
    forked: set[Any] = set()
    for call, first, *rest in diary:
        if call == "fork" and not rest:
            continue
        if call == "fork" and (rest[0] not in _SURVIVORS or rest[0] in forked):
            return f"`fork({first!r}, {rest[0]!r})`: a survivor is forked once, under its own name."
        if call == "fork" and first != _SURVIVORS[rest[0]][0]:
            if first not in _SURVIVORS:
                return f"{rest[0]} was forked from {first}; its parent is the first of its pair."
        elif call == "free" and first in freed:
            return f"{first} was freed twice: free each of `beams` once."
        if call == "fork" and first in freed:
            return "A parent was freed before its last survivor had been forked from it."
        forked |= set(rest)
        freed += [first] * (call == "free")
    return _cause_at_the_end(set(freed), forked, calls) if diary else None


def _cause_at_the_end(freed: set[Any], forked: set[Any], calls: list[Any]) -> str | None:
    """What was freed too much, left out, or given to append."""
    if lost := sorted(freed & _SURVIVORS.keys()):
        return f"{lost[0]} was freed: it is a survivor, and goes on."
    if left_out := sorted(_SURVIVORS.keys() - forked):
        return f"{left_out[0]} was never forked: every survivor is, from its parent."
    right = {child: [token] for child, (_, token) in _SURVIVORS.items()}
    if len(calls) == 1 and calls[0].keys() != right.keys():
        return f"append got {shown(list(calls[0]))}; the survivors are d, e and f."
    if len(calls) == 1 and calls[0] != right:
        child = next(child for child in right if calls[0][child] != right[child])
        return f"append got {calls[0][child]} for {child}, whose own token is {right[child][0]}."
    return None if calls else "append was never called: each survivor ends with its own token."


@beam_step.case(
    "each survivor has its parent's tokens and its own",
    tried=_TRIED,
    right="d: a's 7 tokens and 71; e: a's and 72; f: c's and 73",
    why="A beam is one text. Its history is that of its parent, and one token more.",
)
def _texts(function: Any) -> None:
    cache, calls = _beams(), list[Any]()
    diary = _diary(cache)

    def counted(cache: Any, tokens: dict[Any, list[int]]) -> None:
        calls.append(dict(tokens))
        for new in tokens.values():
            expect(
                isinstance(new, list) and all(isinstance(token, int) for token in new),
                got=f"append(cache, {shown(tokens)})",
                right="append(cache, {'d': [71], 'e': [72], 'f': [73]})",
                why="append wants a list of tokens for each sequence, and each of them is a "
                "number. A survivor's token is the second of its pair.",
            )
        write(cache, tokens)

    outcome = attempt(function, cache, list("abc"), dict(_SURVIVORS), counted)
    if isinstance(outcome.error, CheckFailed):
        raise outcome.error
    cause = _cause(diary, calls)
    expect(
        outcome.error is None,
        got=f"{outcome}{' (in append)' if calls else ''}"
        + (f"; sequences {shown(list(cache.tables))}" if outcome.raised(KeyError) else ""),
        why=cause,
    )
    for child, (parent, token) in _SURVIVORS.items():
        right = [*range(6), 61 if parent == "a" else 63, token]
        expect(child in cache.tables, got=f"no sequence {child}; {state(cache)}", why=cause)
        got, length = read(cache, child), cache.lengths[child]
        late = len(got) > len(right) and got[:7] == right[:7] and got[7] != right[7]
        expect(
            got == right and length == len(right),
            got=f"{child} reads {shown(got)}, length {length}; append got {shown(calls)}",
            right=f"{shown(right)}, length {len(right)}",
            why=f"{child} holds a token of another beam: its parent had been written to before "
            f"{child} was forked."
            if late and not cause
            else cause,
        )
    expect(
        len(calls) == 1,
        got=f"append was called {len(calls)} times",
        right="once, with all survivors",
        why="A step is all or nothing: the second call may find no room when the first has "
        "written.",
    )


@beam_step.case(
    "nobody else is left, and nobody else is hurt",
    tried=f"{_TRIED}; n is another request",
    right="the sequences d, e, f and n",
    why="An old beam that stays holds its blocks for ever.",
)
def _left(function: Any) -> None:
    cache = _beams()
    function(cache, list("abc"), dict(_SURVIVORS), write)
    got = sorted(cache.tables)
    expect(
        got == list("defn"),
        got=f"the sequences {', '.join(got)}",
        why="n was no beam of this search; its user gets no answer now."
        if "n" not in got
        else f"{' and '.join(s for s in got if s in 'abc')} had no more to do. "
        f"{used(cache)} blocks are held.",
    )
    expect_counted(cache)


@beam_step.case(
    "one copy, and no more blocks than before",
    tried=f"{_TRIED}; n holds block 4",
    right="5 blocks before (4 of the beams, 1 of n), 5 at the peak, 5 at the end",
    why="d and e share a's last block, so one of them copies it. f is c's only survivor: it needs "
    "no copy.",
)
def _peak(function: Any) -> None:
    cache = _beams()
    cache.allocator.peak = 0
    function(cache, list("abc"), dict(_SURVIVORS), write)
    peak = max(cache.allocator.peak, used(cache))
    expect(
        peak == 5,
        got=f"{peak} blocks at the peak, {used(cache)} at the end",
        why=f"{peak - 5} blocks too many. While the old beams still hold their blocks, each "
        "survivor's tail has a second holder, and is copied for nothing.",
    )


@beam_step.case(
    "12 steps, every beam equal to a plain list",
    tried="width 3, 12 steps, survivors drawn at random, seed 5",
    right="each history equals its own list at every step; all blocks free in the end",
    why="What is shared and copied underneath must not show.",
)
def _twelve(function: Any) -> None:
    draw, cache = random.Random(5), written(6, num_blocks=40)
    texts: dict[Any, list[int]] = {"a": list(range(6))}
    for step in range(1, 13):
        tokens = draw.sample(range(100, 1000), 3)
        survivors = {(step, i): (draw.choice(list(texts)), tokens[i]) for i in range(3)}
        function(cache, list(texts), dict(survivors), write)
        texts = {child: [*texts[p], token] for child, (p, token) in survivors.items()}
        for child, text in texts.items():
            got = read(cache, child)
            expect(got == text, got=f"step {step}: {shown(got[6:])}", right=shown(text[6:]))
        expect_counted(cache)
    for child in texts:
        cache.free(child)
    expect(cache.allocator.num_free == 40, got=f"{cache.allocator.num_free} of 40 free")

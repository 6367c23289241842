"""Chapter 11: a request begins, with what the index knows of it."""

from typing import Any

from workbook.checks.framework import attempt, exercise, expect, shown
from workbook.checks.toolboxes.admission_world import asked, memory_of, ran, unchanged

begin = exercise(
    "begin",
    label="ex-11-1",
    title="Begin",
    stub="begin",
    takes="function",
    hints=(
        "Which of the calls changes something? Ask everything that changes nothing first, and "
        "decide. And when is it known how many tokens are left to run: before the blocks that were "
        "found are attached, or after?",
        "`hits = match(…)`; `idle` of them have one holder. None if `memory.blocks(len(tokens)) - "
        "len(hits) + idle > memory.room() - keep`. Then attach, note what was found if this is the "
        "first time, and swap in. Only now `n = min(len(tokens) - memory.cache.lengths[name], "
        "most)`; reserve n and return it. Salt and adapter go into match and attach.",
    ),
)

P13 = [7, 3, 9, 1, 4, 4, 8, 2, 6, 5, 3, 7, 2]


def begins(function: Any, memory: Any, request: Any, keep: int = 0, most: int = 64) -> str:
    """Call it, and say how everything stands then."""
    came = attempt(function, memory, request, keep, most)
    if came.error is not None:
        return str(came)
    name, cache = request.name, memory.cache
    if name not in cache.tables:
        return f"{shown(came.value)}; it has no table"
    found = cache.lengths[name]
    blocks = "block" if len(cache.tables[name]) == 1 else "blocks"
    return (
        f"{shown(came.value)}; {len(cache.tables[name])} {blocks}, {found} tokens found; "
        f"cached_tokens {request.stats.cached_tokens}"
    )


def expect_says(got: str, right: str) -> None:
    """Pass if the call and what came of it were told as ``right`` tells them."""
    expect(got == right, got=got, right=right)


def _expect_refused(function: Any, memory: Any, tokens: list[int]) -> None:
    request, still = asked("B", tokens), unchanged(memory)
    got = f"{begins(function, memory, request)}; {still()}"
    expect_says(got, "None; it has no table; nothing changed")


@begin.case(
    "nothing is known yet",
    tried="13 tokens, blocks of 4, 11 free: begin(memory, A, 2, 64)",
    right="13; 4 blocks, 0 tokens found; cached_tokens 0",
    why="All of them are to be run, and each has a slot by then.",
)
def _fresh(function: Any) -> None:
    memory = memory_of(11)
    got = begins(function, memory, asked("A", P13), keep=2)
    expect_says(got, "13; 4 blocks, 0 tokens found; cached_tokens 0")


@begin.case(
    "the same 13 tokens again",
    tried="A has run them and runs on; B brings the same: begin(memory, B, 0, 64)",
    right="1; 4 blocks, 12 tokens found; cached_tokens 12",
    why="Twelve are in the cache, so one is left to run, and 13 tokens fill four blocks. "
    "(GeeeekExplorer/nano-vllm#207, #210)",
)
def _again(function: Any) -> None:
    memory = memory_of(11)
    ran(memory, asked("A", P13))
    got = begins(function, memory, asked("B", P13))
    expect_says(got, "1; 4 blocks, 12 tokens found; cached_tokens 12")


@begin.case(
    "no room",
    tried="A holds 4 of 6 blocks; B brings 9 other tokens, which need 3",
    right="None; it has no table; nothing changed",
    why="Who is refused waits as before. Whatever it took would be owed by nobody. "
    "(jundot/omlx#1450)",
)
def _refused(function: Any) -> None:
    memory = memory_of(6)
    ran(memory, asked("A", P13))
    _expect_refused(function, memory, [5] * 9)


@begin.case(
    "no room, and a hit",
    tried="A holds 4 of 6 blocks; B brings A's first 8 tokens and 13 others, which need 4 more",
    right="None; it has no table; nothing changed",
    why="What was found is found again when there is room. Until then B holds nothing.",
)
def _refused_hit(function: Any) -> None:
    memory = memory_of(6)
    ran(memory, asked("A", P13))
    _expect_refused(function, memory, P13[:8] + [5] * 13)


@begin.case(
    "found, and only the index holds them",
    tried="6 blocks: C holds 2, the index alone 2 with B's first 8 tokens; 12 more need 3",
    right="None; it has no table; nothing changed",
    why="The two that were found are among the four blocks of room. Once B holds them, two are "
    "left for three.",
)
def _idle(function: Any) -> None:
    memory = memory_of(6)
    old = asked("old", P13[:8])
    ran(memory, old)
    memory.free(old)
    ran(memory, asked("C", [5] * 5))
    _expect_refused(function, memory, P13[:8] + [6] * 12)


@begin.case(
    "found, and somebody who runs holds them",
    tried="6 blocks: A holds 3, two of them with B's first 8 tokens; 12 more need 3",
    right="12; 5 blocks, 8 tokens found; cached_tokens 8",
    why="Blocks that A holds are no room anyway: B shares them, and the three free ones suffice.",
)
def _held(function: Any) -> None:
    memory = memory_of(6)
    ran(memory, asked("A", P13[:9]))
    got = begins(function, memory, asked("B", P13[:8] + [6] * 12))
    expect_says(got, "12; 5 blocks, 8 tokens found; cached_tokens 8")


@begin.case(
    "cached blocks are room",
    tried="6 blocks: 3 of them only the index holds; B brings 21 other tokens",
    right="21; 6 blocks, 0 tokens found; cached_tokens 0",
    why="A block that only the index holds can be evicted, so it counts as room.",
)
def _room(function: Any) -> None:
    memory = memory_of(6)
    old = asked("old", P13)
    ran(memory, old)
    memory.free(old)
    got = begins(function, memory, asked("B", [6] * 21))
    expect_says(got, "21; 6 blocks, 0 tokens found; cached_tokens 0")


@begin.case(
    "blocks that are kept for others",
    tried="5 blocks are free, keep is 3: B with 25 tokens, C with 10, D with 6",
    right="B None; it has no table, C None; it has no table, D 6; 2 blocks, 0 tokens found; "
    "cached_tokens 0",
    why="Three of the five belong to those who run. Who needs two fits, to the last block.",
)
def _keep(function: Any) -> None:
    said = [
        f"{name} {begins(function, memory_of(5), asked(name, [6] * tokens), keep=3)}"
        for name, tokens in {"B": 25, "C": 10, "D": 6}.items()
    ]
    expect_says(
        ", ".join(said),
        "B None; it has no table, C None; it has no table, D 6; 2 blocks, 0 tokens found; "
        "cached_tokens 0",
    )


@begin.case(
    "a step that has only five tokens left",
    tried="13 tokens, nothing known: begin(memory, A, 0, 5)",
    right="5; 2 blocks, 0 tokens found; cached_tokens 0",
    why="The step runs five tokens, and they need two blocks. The others come with later steps.",
)
def _chunk(function: Any) -> None:
    got = begins(function, memory_of(11), asked("A", P13), most=5)
    expect_says(got, "5; 2 blocks, 0 tokens found; cached_tokens 0")


@begin.case(
    "a first piece does not make a large request small",
    tried="13 tokens for 3 free blocks: begin(memory, A, 0, 5)",
    right="None; it has no table",
    why="Who begins is promised the blocks of all its tokens. Half-read prompts hold each other up "
    "for ever. (vllm-project/vllm#45388)",
)
def _whole(function: Any) -> None:
    got = begins(function, memory_of(3), asked("A", P13), most=5)
    expect_says(got, "None; it has no table")


@begin.case(
    "every block is known",
    tried="A has run 12 tokens, three blocks; B brings the same 12",
    right="4; 3 blocks, 8 tokens found; cached_tokens 8",
    why="Somebody must compute the logits after the last token; keys and values don't hold them.",
)
def _all(function: Any) -> None:
    memory = memory_of(11)
    ran(memory, asked("A", P13[:12]))
    got = begins(function, memory, asked("B", P13[:12]))
    expect_says(got, "4; 3 blocks, 8 tokens found; cached_tokens 8")


@begin.case(
    "salts and adapters",
    tried="13 tokens have been run by A with salt x and adapter law, and by S with neither; B "
    "brings them with y and law, C with x alone, D with x and law",
    right="found: B 0, C 0, D 12",
    why="Only who has the same salt and the same adapter may learn what A has asked.",
)
def _salts(function: Any) -> None:
    memory = memory_of(31)
    ran(memory, asked("A", P13, salt="x", adapter="law"))
    ran(memory, asked("S", P13))
    found = []
    for name, salt, adapter in (("B", "y", "law"), ("C", "x", None), ("D", "x", "law")):
        came = attempt(function, memory, asked(name, P13, salt=salt, adapter=adapter), 0, 64)
        expect(came.error is None, got=f"{name}: {came}")
        found.append(f"{name} {memory.cache.lengths.get(name)}")
    expect_says(f"found: {', '.join(found)}", "found: B 0, C 0, D 12")

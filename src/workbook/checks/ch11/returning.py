"""Chapter 11: a request that ran before begins again, from the index or from host memory."""

from typing import Any

from workbook.checks.ch11.beginning import P13, begin, begins, expect_says
from workbook.checks.framework import shown
from workbook.checks.toolboxes.admission_world import asked, memory_of, ran


@begin.case(
    "a return",
    tried="B, salt x, ran 8 tokens, has said 6 and was preempted; its blocks are in the index. A "
    "stranger without a salt has the same tokens",
    right="2; 4 blocks, 12 tokens found; cached_tokens 0; its own blocks",
    why="Prompt and answer are known, 14 tokens, and twelve of them are found, under its own salt. "
    "What it finds of itself is no hit. (vllm-project/vllm#25780: 30 % for 0.2 %)",
)
def _return(function: Any) -> None:
    memory, tokens = memory_of(24), [*P13, 9]
    ran(memory, asked("stranger", tokens))
    request = asked("B", tokens[:8], salt="x")
    request.tokens += tokens[8:]
    ran(memory, request)
    own = memory.cache.tables["B"][:3]
    memory.preempt(request)
    request.stats.cached_tokens, request.stats.preemptions = 0, 1
    got = begins(function, memory, request)
    theirs = memory.cache.tables.get("B", [])[:3]
    got += (
        "; its own blocks"
        if theirs == own
        else f"; blocks {shown(theirs)}, its own are {shown(own)}"
    )
    expect_says(got, "2; 4 blocks, 12 tokens found; cached_tokens 0; its own blocks")


@begin.case(
    "a hit, and then a return",
    tried="B found 8 tokens of A's when it first came, was preempted, and finds 12 now",
    right="1; 4 blocks, 12 tokens found; cached_tokens 8",
    why="How much the index spares newcomers is asked once, when they come.",
)
def _twice(function: Any) -> None:
    memory = memory_of(24)
    ran(memory, asked("A", P13[:8]))
    request = asked("B", P13)
    ran(memory, request)
    memory.preempt(request)
    request.stats.cached_tokens, request.stats.preemptions = 8, 2
    got = begins(function, memory, request)
    expect_says(got, "1; 4 blocks, 12 tokens found; cached_tokens 8")


@begin.case(
    "a return from host memory",
    tried="B ran 13 tokens, said one, and was copied to host memory; the index has lost its blocks",
    right="1; 4 blocks, 13 tokens found; cached_tokens 0; in host memory: nothing",
    why="Thirteen tokens come back over the bus, so that one is left to run. What came back needs "
    "no copy any more.",
)
def _copy(function: Any) -> None:
    _comes_back(function, forgotten=3)


@begin.case(
    "a copy, of which the index has the beginning",
    tried="the same, and the index still has two of B's blocks",
    right="1; 4 blocks, 13 tokens found; cached_tokens 0; in host memory: nothing",
    why="Two blocks are found and two come back. Together they are all that was written.",
)
def _both(function: Any) -> None:
    _comes_back(function, forgotten=1)


def _comes_back(function: Any, forgotten: int) -> None:
    """B's three full blocks were known; the index has lost ``forgotten`` of them."""
    memory = memory_of(9, host=5)
    request = asked("B", P13)
    ran(memory, request)
    memory.preempt(request)
    memory.prefix.evict(forgotten)
    request.add(9)
    request.stats.preemptions = 1
    got = begins(function, memory, request)
    kept = ", ".join(memory.host.kept) or "nothing"
    expect_says(
        f"{got}; in host memory: {kept}",
        "1; 4 blocks, 13 tokens found; cached_tokens 0; in host memory: nothing",
    )

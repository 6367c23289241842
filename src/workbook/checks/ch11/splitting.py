"""Chapter 11: other samples of a request fork off."""

from typing import Any

from workbook.checks.framework import attempt, exercise, expect
from workbook.checks.toolboxes.sample_world import (
    World,
    engine_with,
    give_way,
    played,
    wrong_texts,
)

split = exercise(
    "split",
    label="ex-11-2",
    title="Let samples split off",
    stub="split",
    takes="function",
    hints=(
        "From when on are there logits that all samples can share? And where in the queue does a "
        "sample belong, if nobody is to overtake?",
        "If the row doesn't say, the answer is []. Else take `request.others` away, fork each from "
        "the request, put them into the queue right behind it, in their order, and return the "
        "request and them.",
    ),
)


@split.case(
    "a prompt in one piece",
    tried="A has 6 tokens and two other samples, B waits: a row of all 6",
    right="A, A.1, A.2 speak; queue A, A.1, A.2, B; tables of 2 blocks, 3 holders each; 6 tokens",
    why="One prompt is run, and three answers begin with its logits. No block is taken.",
)
def _whole(function: Any) -> None:
    world = World(function, samples=3)
    got = f"{world.run(6)}; {world.tables()}"
    expect(
        got
        == "A, A.1, A.2 speak; queue A, A.1, A.2, B; tables of 2 blocks, 3 holders each; 6 tokens",
        got=got,
    )


@split.case(
    "a prompt in two pieces",
    tried="the same A, first a row of 4 tokens, then one of 2",
    right="nobody speaks; queue A, B, then A, A.1, A.2 speak; queue A, A.1, A.2, B",
    why="After four tokens there is nothing to say yet. Who forks then runs the rest of the prompt "
    "once for each sample.",
)
def _pieces(function: Any) -> None:
    world = World(function, samples=3)
    got = f"{world.run(4)}, then {world.run(2)}"
    expect(
        got == "nobody speaks; queue A, B, then A, A.1, A.2 speak; queue A, A.1, A.2, B", got=got
    )


@split.case(
    "a request without other samples",
    tried="A has 6 tokens and no other samples: rows of 4, 2 and 1",
    right="nobody speaks; queue A, B, then A speaks; queue A, B, then A speaks; queue A, B",
    why="Every row that says has a speaker: the request itself.",
)
def _single(function: Any) -> None:
    world = World(function, samples=1)
    got = f"{world.run(4)}, then {world.run(2)}, then {world.run(1)}"
    expect(
        got == "nobody speaks; queue A, B, then A speaks; queue A, B, then A speaks; queue A, B",
        got=got,
    )


@split.case(
    "its next word",
    tried="A with two other samples has said its first word; a row of 1 token",
    right="A speaks; queue A, A.1, A.2, B",
    why="The others have begun. They have rows of their own by now.",
)
def _next(function: Any) -> None:
    world = World(function, samples=3)
    world.run(6)
    got = world.run(1)
    expect(got == "A speaks; queue A, A.1, A.2, B", got=got)


@split.case(
    "somebody older runs, somebody younger waits",
    tried="queue Z, A, B; A has three other samples: a row of all 6 tokens",
    right="A, A.1, A.2, A.3 speak; queue Z, A, A.1, A.2, A.3, B",
    why="Samples are as old as their request: younger than Z, older than B. Running are always the "
    "oldest.",
)
def _middle(function: Any) -> None:
    world = World(function, samples=4, older=True)
    got = world.run(6)
    expect(
        got == "A, A.1, A.2, A.3 speak; queue Z, A, A.1, A.2, A.3, B",
        got=got,
    )


@split.case(
    "the whole engine",
    tried="A with 3 samples, 9 tokens read four at a time, 5 new ones; B with 3 and 3; 20 blocks",
    right="each as alone; 26 tokens run",
    why="Nine prompt tokens are run once, then four words of each sample, and B's five.",
)
def _engine(function: Any) -> None:
    _ends(engine_with(function, 20, chunk=4), "each as alone; 26 tokens run")


@split.case(
    "the first word is the last",
    tried="A with 3 samples and one new token each",
    right="each as alone; 14 tokens run",
    why="All three end with the words of this very row, and all give their blocks back.",
)
def _one_word(function: Any) -> None:
    _ends(engine_with(function, 20, new=1), "each as alone; 14 tokens run")


@split.case(
    "preempted before it has said anything",
    tried="A has read 4 of its 9 tokens, loses its blocks and comes back",
    right="each as alone; 30 tokens run",
    why="Nothing had split off yet, so all of it does when the prompt has been read at last.",
)
def _before(function: Any) -> None:
    engine = engine_with(function, 20, chunk=4)
    _steps(engine, 1)
    give_way(engine)
    _ends(engine, "each as alone; 30 tokens run")


@split.case(
    "preempted after the split",
    tried="A and its samples have said two words each, lose their blocks and come back",
    right="each as alone; 56 tokens run",
    why="Each comes back alone and runs eleven tokens: without an index nothing is shared again.",
)
def _after(function: Any) -> None:
    engine = engine_with(function, 20)
    _steps(engine, 2)
    give_way(engine)
    _ends(engine, "each as alone; 56 tokens run")


@split.case(
    "no room for the copies",
    tried="A with 3 samples in a pool of 5 blocks, three of them for its 9 tokens",
    right="each as alone",
    why="The third block is shared, and not full: whoever writes into it needs one of its own, and "
    "the newest gives way.",
)
def _tight(function: Any) -> None:
    _ends(engine_with(function, 5), "each as alone")


def _steps(engine: Any, steps: int) -> None:
    for _ in range(steps):
        came = attempt(engine.step)
        expect(came.error is None, got=str(came))


def _ends(engine: Any, right: str) -> None:
    came = attempt(played, engine)
    got = str(came) if came.error is not None else f"{wrong_texts(engine)}; {came.value}"
    expect(got.startswith(right), got=got, right=right)

"""Chapter 06: who gives way when blocks run out."""

from typing import Any

from workbook.checks.framework import attempt, exercise, expect
from workbook.checks.toolboxes.line_world import (
    ask_all,
    drain,
    engine_with,
    random_run,
    told,
    wrong_texts,
)

make_room = exercise(
    "make_room",
    label="ex-06-3",
    title="Make room",
    stub="make_room",
    takes="function",
    hints=(
        "From which end of `running` do you take? And when the one that needs a block is itself "
        "the newest: who gives way then, and does it get a row?",
        "Keep a list `still` of those who run yet. For each request that is in it: `while not "
        "plan.fits(request, n)`: pop the last of `still`, let it give back; if that was the "
        "request itself, `break`. Python's `while … else` runs the `else` when there was no "
        "`break`: add the row there.",
    ),
)

THREE = {"A": [1] * 8, "B": [2] * 8, "C": [3] * 8}


def _second_step(function: Any, num_blocks: int, prompts: dict[str, list[int]]) -> str:
    engine = engine_with(function, num_blocks)
    ask_all(engine, prompts, 6)
    engine.step()
    came = attempt(engine.step)
    if came.error is not None:
        return str(came)
    engine.check()
    return told(engine.plans[-1])


@make_room.case(
    "nobody gives way while there is room",
    tried="A, B and C with 8 tokens each in a pool of 16 blocks, step 2",
    right="A 8+1!, B 8+1!, C 8+1!",
    why="Each speaks, and each gets a row.",
)
def _room(function: Any) -> None:
    got = _second_step(function, 16, THREE)
    expect(got == "A 8+1!, B 8+1!, C 8+1!", got=got)


@make_room.case(
    "the newest gives way",
    tried="the three in a pool of 6 blocks, all full: step 2",
    right="A 8+1!, B 8+1!; out C",
    why="Each needs a third block, and none is free. C has waited least, and has least to lose.",
)
def _newest(function: Any) -> None:
    got = _second_step(function, 6, THREE)
    expect(got == "A 8+1!, B 8+1!; out C", got=got)


@make_room.case(
    "the one that needs the block is the newest",
    tried="A and B in a pool of 5 blocks: step 2",
    right="A 8+1!; out B",
    why="A takes the last block. B needs one too, and nobody is newer: it gives way itself, and "
    "has no row in this step.",
)
def _itself(function: Any) -> None:
    got = _second_step(function, 5, {"A": [1] * 8, "B": [2] * 8})
    expect(got == "A 8+1!; out B", got=got)


@make_room.case(
    "as many as it takes",
    tried="A has 3 blocks of 8, B to F have one each; A has 12 tokens to run, the others one",
    right="A 12+12!, B 4+1!; out F, E, D, C",
    why="One block was not enough. (huggingface/transformers#46587: one eviction a step)",
)
def _several(function: Any) -> None:
    engine = engine_with(function, 8, max_running=6, budget=30)
    prompts = {"A": [0] * 12} | {name: [1] * 4 for name in "BCDEF"}
    ask_all(engine, prompts, 14)
    engine.step()
    engine.scheduler.running["A"].tokens += [4] * 11  # as if they had been said elsewhere
    came = attempt(engine.step)
    got = str(came) if came.error is not None else told(engine.plans[-1])
    expect(got == "A 12+12!, B 4+1!; out F, E, D, C", got=got)


@make_room.case(
    "from the first step to the last",
    tried="the three, six new tokens each, in 6 blocks",
    right="out: step 2 C, step 6 B; 12 steps, 59 tokens run; and each says what it says alone",
    why="Who gives way loses keys and values, and no word.",
)
def _whole(function: Any) -> None:
    engine = engine_with(function, 6)
    ask_all(engine, THREE, 6)
    came = attempt(drain, engine)
    got = str(came) if came.error is not None else came.value
    expect(got == "out: step 2 C, step 6 B; 12 steps, 59 tokens run", got=got)
    wrong = wrong_texts(engine, THREE, 6)
    expect(not wrong, got=f"{', '.join(wrong)}: another text than alone")


@make_room.case(
    "forty random loads",
    tried="five requests with random prompts in pools of 5 to 8 blocks",
    right="every text as alone, and every request ends",
    why="The oldest is never preempted, so it ends; then the next one is the oldest.",
)
def _random(function: Any) -> None:
    for seed in range(40):
        came = attempt(random_run, function, seed)
        wrong = str(came) if came.error is not None else came.value
        expect(wrong is None, got=f"load {seed}: {wrong}")

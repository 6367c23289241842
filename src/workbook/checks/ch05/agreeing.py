"""Chapter 05, third part: how far a prompt goes on as a run does."""

from typing import Any

from workbook.checks.framework import exercise, expect, shown

agrees = exercise(
    "agrees",
    label="ex-05-5",
    title="How far they agree",
    stub="agrees",
    takes="function",
    hints=(
        "How many blocks could agree at most? No more than the run has, and no more than the "
        "prompt has left. One `packed.startswith(…, at)` says whether all of those do.",
        "If not, `bisect_left(range(1, room), True, key=…)` finds the first number of blocks that "
        "don't agree any more; its place in `range(1, room)` is the number that still do.",
    ),
)

agrees.example(
    "all of the run",
    b"123456789999",
    b"1234567899995555",
    0,
    4,
    right=3,
    why="The prompt says what the run says, three blocks long, and then goes on.",
)
agrees.example(
    "up to where they part",
    b"12345678999900001111",
    b"12345678555500001111",
    0,
    4,
    right=2,
    why="What comes after the first difference has another history, and so other keys and values, "
    "also where its own tokens are equal.",
)
agrees.example(
    "whole blocks only",
    b"123456789999",
    b"123456789991",
    0,
    4,
    right=2,
    why="In 9999 and 9991 three tokens agree. A block is shared whole or not at all: the next "
    "token would be written into it.",
)
agrees.example(
    "nothing at all",
    b"12345678",
    b"92345678",
    0,
    4,
    right=0,
    why="They part in the first block.",
)
agrees.example(
    "the prompt ends first",
    b"123456789999",
    b"1234567899",
    0,
    4,
    right=2,
    why="Of its third block the prompt has two tokens: that block isn't full.",
)
agrees.example(
    "the run lies deep in the prompt",
    b"56789999",
    b"0000111156789999",
    8,
    4,
    right=2,
    why="`at` is the place in the prompt, in bytes, where the run's first token would stand.",
)
agrees.example(
    "nothing of the prompt is left",
    b"56789999",
    b"00001111",
    8,
    4,
    right=0,
    why="At `at` the prompt is over.",
)


@agrees.case(
    "wherever they part",
    tried="a run of 37 blocks of 12 bytes behind 5 others, and prompts that leave it after "
    "0, 1, 2 … 37 blocks",
    right="0, 1, 2 … 37",
    why="Half of what is left is looked at in each step; at its end there is one place.",
)
def _everywhere(function: Any) -> None:
    width, blocks, skip = 12, 37, 5
    tokens = bytes(range(1, 245)) * 2
    run, before = tokens[: blocks * width], b"\xff" * skip * width
    for agreed in range(blocks + 1):
        for last in (0, width - 1):  # which byte of the next block is another
            other = bytearray(run)
            if agreed < blocks:
                other[agreed * width + last] ^= 0xFF
            got = function(run, before + bytes(other) + before, skip * width, width)
            expect(
                type(got) is int and got == agreed,
                tried=f"37 blocks, of which the first {agreed} agree",
                got=shown(got),
                right=shown(agreed),
            )

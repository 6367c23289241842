"""Chapter 11: what a preempted request's return costs, copied or run again."""

from typing import Any

from workbook.checks.framework import attempt, exercise, expect, shown

prices = exercise(
    "prices",
    label="ex-11-3",
    title="Price a return",
    stub="prices",
    takes="function",
    hints=(
        "What crosses the bus, and how often? Going out nobody knows yet what will be found on the "
        "way back. And in how many places does a block lie, if each layer has a pool for keys and "
        "one for values?",
        "`blocks` is ⌈written / size⌉, and `blocks - found // size` come back. A block is "
        "`2 * layers` pieces of `size * kv_heads * head_dim * bytes` bytes; each costs `piece` and "
        "its bytes over `bus`. Running again: `2 * parameters / flops` for each token not found.",
    ),
)

SMALL = (1_000.0, 3, 6, 2, 5, 2)
SLOW = (1e6, 1e6, 7e-6)
CASES: tuple[tuple[str, tuple[Any, ...], tuple[Any, ...], tuple[Any, ...], str], ...] = (
    (
        "nothing will be found",
        (13, 0, 4),
        SMALL,
        SLOW,
        "Four blocks go out and four come back, 6 pieces of 80 bytes each: 8 · 6 · 87 µs. Or 13 "
        "tokens are run, 2,000 operations each.",
    ),
    (
        "two blocks will be found",
        (13, 8, 4),
        SMALL,
        SLOW,
        "What the index still has when it returns needn't be copied back, nor run again. It was "
        "copied out all the same: then nobody knew.",
    ),
    (
        "the last block is full",
        (12, 4, 4),
        SMALL,
        SLOW,
        "Three blocks go out, two come back; eight tokens are run again.",
    ),
    (
        "a longer bus, quicker pieces",
        (27, 16, 8),
        (5_000.0, 2, 8, 4, 3, 2),
        (3e6, 2e5, 1e-6),
        "Four blocks go out, two come back, each in four pieces of 192 bytes.",
    ),
    (
        "four bytes a number",
        (10, 0, 4),
        (1_000.0, 3, 6, 2, 5, 4),
        SLOW,
        "A number's bytes are the model's, two in bfloat16, four in float32.",
    ),
    (
        "a model of 8 billion parameters",
        (1_000, 0, 16),
        (8e9, 32, 32, 8, 128, 2),
        (400e12, 25e9, 4e-6),
        "63 blocks of 64 pieces of 32,768 bytes, out and in; or a thousand tokens, 16 billion "
        "operations each.",
    ),
)


def expected(numbers: tuple[Any, ...], model: tuple[Any, ...], box: tuple[Any, ...]) -> str:
    """The right answer, in words."""
    written, found, size = numbers
    parameters, layers, _, kv_heads, head_dim, width = model
    flops, bus, piece = box
    blocks = -(-written // size)
    one = 2 * layers * (piece + size * kv_heads * head_dim * width / bus)
    return in_ms((2 * blocks - found // size) * one, (written - found) * 2 * parameters / flops)


def in_ms(swap: float, again: float) -> str:
    """Both prices, as a check shows them."""
    return f"swap {swap * 1e3:.4f} ms, run again {again * 1e3:.4f} ms"


def _told(answer: Any) -> str:
    if type(answer) is tuple and [isinstance(x, int | float) for x in answer] == [True, True]:
        return in_ms(*answer)
    return shown(answer)


def _add(title: str, numbers: Any, model: Any, box: Any, why: str) -> None:
    written, found, size = numbers
    right = expected(numbers, model, box)

    def body(function: Any) -> None:
        from workbook.prices import Machine, Shape

        came = attempt(function, written, found, size, Shape(*model), Machine(*box))
        got = str(came) if came.error is not None else _told(came.value)
        expect(got == right, got=got)

    prices.case(
        title,
        tried=f"prices({written}, {found}, {size}, shape, machine) with {model[1]} layers, "
        f"{model[3]} KV heads of {model[4]} numbers, {model[5]} bytes each, "
        f"{model[0]:,.0f} parameters; {box[0]:,.0f} operations and {box[1]:,.0f} bytes a second, "
        f"{box[2] * 1e6:.0f} µs a piece",
        right=right,
        why=why,
    )(body)


for case in CASES:
    _add(*case)

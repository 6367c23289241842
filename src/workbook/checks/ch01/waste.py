"""Chapter 01: what a token costs, and the four states of a slot."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from workbook.checks.framework import exercise, expect, shown


@dataclass(frozen=True)
class Sizes:
    """The four sizes of a model that its cache depends on, or seems to."""

    layers: int
    heads: int
    kv_heads: int
    head_dim: int


kv_bytes = exercise(
    "kv_bytes",
    label="ex-01-1",
    title="Bytes of a token",
    stub="kv_bytes",
    takes="function",
    hints=(
        "How many tensors does a layer keep for its history? There is more than one.",
        "Which heads have keys and values of their own? Look at the shapes above: the query heads "
        "only read.",
    ),
)
account = exercise(
    "account",
    label="ex-01-2",
    title="Four states of a slot",
    stub="account",
    takes="function",
    hints=(
        "Take one request at first. Of its `held` slots, which will be written after now? Those up "
        "to `final` that aren't written yet.",
        "Per request: `now` are used, `final - now` are reserved, `held - final` are internal. "
        "Free is what no request holds: `total` minus the sum of `held`.",
    ),
)

_SMOLLM2 = Sizes(layers=30, heads=9, kv_heads=3, head_dim=64)

kv_bytes.example(
    "SmolLM2 in float32",
    _SMOLLM2,
    4,
    right=46_080,
    why="Keys and values, in every layer, for every KV head, head_dim numbers of 4 bytes.",
    when=[
        (23_040, "That is half: a token leaves a key and a value."),
        (138_240, "9 heads read, 3 are stored: query heads keep no history."),
        (1_536, "1,536 bytes are one layer's. A token leaves keys and values in all 30."),
        (45, "That is KiB; bytes were asked for."),
        (45.0, "That is KiB; bytes were asked for."),
        (46_080.0, "The number is right, but a count of bytes is an int: multiply, don't divide."),
        (11_520, "That many numbers; each of them has 4 bytes."),
    ],
)
kv_bytes.example(
    "SmolLM2 in bfloat16",
    _SMOLLM2,
    2,
    right=23_040,
    why="Half the bytes a number, half the bytes a token.",
    when=[(46_080, "bytes_per_number is 2 here: bfloat16 takes half of float32.")],
)
kv_bytes.example(
    "one layer",
    Sizes(layers=1, heads=9, kv_heads=3, head_dim=64),
    4,
    right=1_536,
    why="All the sizes come from the argument.",
    when=[(46_080, "This model has one layer: read its sizes from the argument.")],
)
kv_bytes.example(
    "every query head with its own KV head",
    Sizes(layers=2, heads=4, kv_heads=4, head_dim=16),
    2,
    right=512,
    why="2 tensors, 2 layers, 4 KV heads, 16 numbers, 2 bytes.",
)


def _accounting(
    title: str, rows: list[tuple[int, int, int]], total: int, right: tuple[int, ...], why: str
) -> Callable[[Any], None]:
    """One case; the commonest slips are told by what the four numbers add up to."""

    @account.case(title, tried=f"account({rows}, {total})", right=shown(right), why=why)
    def body(function: Any) -> None:
        got = function(list(rows), total)
        expect(
            isinstance(got, (tuple, list)) and all(type(number) is int for number in got),
            got=shown(got),
            why="Return the four counts together: (used, reserved, internal, free).",
        )
        expect(tuple(got) == right, got=shown(got), why=_slip(rows, total, tuple(got)) or why)

    return body


def _slip(rows: list[tuple[int, int, int]], total: int, got: tuple[int, ...]) -> str | None:
    """What probably went wrong, told by the numbers that came."""
    held, now, final = (sum(column) for column in zip(*rows, strict=True)) if rows else (0, 0, 0)
    if len(got) != 4:
        return (
            "Four numbers are wanted: used, reserved, internal, free. "
            f"Here are {len(got)}, which add up to {sum(got)} of {total} slots."
        )
    used, reserved, internal, free = got
    if used == final != now:
        return f"{final} will be used at the end; {now} slots are written now."
    if free == total - now and held != now:
        return (
            f"{free} slots are empty, but {held - now} of them are promised: only what nobody "
            "holds is free."
        )
    if reserved == held - now != final - now:
        return (
            f"reserved counts all {reserved} empty slots. Some will never be written; those are "
            "internal, and you counted them twice."
        )
    if internal == held - now != held - final:
        return (
            f"internal counts all {internal} empty slots, so the four add up to {sum(got)}, not "
            f"{total}. Those that will be written are reserved."
        )
    return None


_accounting(
    "step 0: A, B and C have their prompts",
    [(20, 5, 11), (20, 3, 7), (20, 6, 14)],
    64,
    (14, 18, 28, 4),
    "Each slot is in exactly one state, so the four numbers add up to 64.",
)
_accounting(
    "step 8: C is full",
    [(20, 14, 14), (20, 7, 9), (20, 3, 6)],
    64,
    (24, 5, 31, 4),
    "C has written its last token: none of its slots is reserved, 6 are internal.",
)
_accounting(
    "reservations of different lengths",
    [(8, 8, 8), (24, 2, 9)],
    40,
    (10, 7, 15, 8),
    "What a request holds is the first number of its row; it need not be 20.",
)
_accounting(
    "nobody is there",
    [],
    16,
    (0, 0, 0, 16),
    "No request holds a slot: all 16 are free.",
)

"""Chapter 01: what a token costs, and the four states of a slot."""

from typing import Any, NamedTuple

from workbook.checks.framework import exercise, expect, shown


class Sizes(NamedTuple):
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
        "Which heads have keys and values of their own? Look at what was laid out above: the query "
        "heads only read.",
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
    "a small model in float32",
    Sizes(layers=13, heads=35, kv_heads=7, head_dim=11),
    4,
    right=8_008,
    why="Keys and values, in every layer, for every KV head, head_dim numbers of 4 bytes.",
)
kv_bytes.example(
    "SmolLM2 in bfloat16",
    _SMOLLM2,
    2,
    right=23_040,
    why="Half the bytes a number, half the bytes a token: float32 has 46,080.",
)
kv_bytes.example(
    "one layer",
    Sizes(layers=1, heads=9, kv_heads=3, head_dim=64),
    4,
    right=1_536,
    why="All the sizes come from the argument.",
)
kv_bytes.example(
    "every query head with its own KV head",
    Sizes(layers=2, heads=4, kv_heads=4, head_dim=16),
    1,
    right=256,
    why="2 tensors, 2 layers, 4 KV heads, 16 numbers, 1 byte.",
)


def _accounting(
    title: str, rows: list[tuple[int, int, int]], total: int, right: tuple[int, ...], why: str
) -> None:
    """One case; four numbers that don't add up break a law, whatever they are."""

    @account.case(title, tried=f"account({rows}, {total})", right=shown(right), why=why)
    def body(function: Any) -> None:
        got = function(list(rows), total)
        counted = isinstance(got, tuple) and all(type(number) is int for number in got)
        lost = (
            f"The four add up to {sum(got)}, and the pool has {total} slots: each is in one state."
            if counted and len(got) == 4 and sum(got) != total
            else None
        )
        expect(counted and got == right, got=shown(got), why=lost)


_accounting(
    "two requests, reservations of different lengths",
    [(9, 4, 7), (20, 5, 16)],
    40,
    (9, 14, 6, 11),
    "Used is written now; reserved will be; internal never; free is what nobody holds.",
)
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
    "a reservation without waste, in a full pool",
    [(8, 6, 8), (24, 2, 9)],
    32,
    (8, 9, 15, 0),
    "The first request will fill its reservation: it has no internal slot.",
)
_accounting(
    "nobody is there",
    [],
    16,
    (0, 0, 0, 16),
    "No request holds a slot: all 16 are free.",
)

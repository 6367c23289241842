"""Chapter 08: operations for each byte, the number that places a kernel on a roofline."""

import math
from collections.abc import Sequence
from typing import Any

from workbook.checks.framework import exercise, expect, shown

intensity = exercise(
    "intensity",
    label="ex-08-1",
    title="Operations for each byte",
    stub="intensity",
    takes="function",
    hints=(
        "Count for one sequence first: pairs of a query and a key, numbers in the keys, and as "
        "many again in the values. Which of the arguments stand both above and below the line?",
        "Operations: `4 * queries * length * heads * head_dim`. Bytes: "
        "`2 * length * kv_heads * head_dim * itemsize`. `batch` multiplies both.",
    ),
)

Known = Sequence[tuple[float, str]]


def _place(title: str, right: float, why: str, known: Known = (), **given: int) -> None:
    sizes = {
        "heads": 9,
        "kv_heads": 3,
        "head_dim": 64,
        "length": 1024,
        "itemsize": 2,
        "queries": 1,
        "batch": 1,
    } | given

    @intensity.case(
        title,
        tried=f"intensity({', '.join(f'{name}={size}' for name, size in sizes.items())})",
        right=shown(right),
        why=why,
    )
    def _case(function: Any) -> None:
        got = function(**sizes)
        is_number = isinstance(got, (int, float)) and not isinstance(got, bool)
        better = (
            text for wrong, text in known if is_number and math.isclose(got, wrong, rel_tol=1e-6)
        )
        close = is_number and math.isclose(got, right, rel_tol=1e-9)
        expect(close, got=shown(got), why=next(better, None))


_place(
    "SmolLM2 decodes in bfloat16",
    3.0,
    "4 operations for each pair and number of the head, 4 bytes for a key's number and a value's: "
    "what is left is the size of the group, 9 / 3.",
    [
        (1.0, "You counted keys for every query head. Three of them share a KV head, and its keys "
         "are read once."),
        (1.5, "Only half of the work: a multiplication and an addition are two operations, and "
         "there are two products, q·k and p·v."),
        (6.0, "Half of the bytes are missing: the values are read, too."),
        (1 / 3, "That is bytes for each operation, upside down."),
        (3072.0, "The length is missing below the line: each of the 1,024 keys is read."),
    ],
)  # fmt: skip
_place(
    "the same in float32",
    1.5,
    "The same operations on twice the bytes.",
    [(3.0, "`itemsize` is the bytes of one number: 2 in bfloat16, 4 in float32.")],
    itemsize=4,
)
_place(
    "Llama's shape, 8,192 tokens",
    4.0,
    "32 / 8, at any length: each token brings its own operations and its own bytes.",
    heads=32,
    kv_heads=8,
    head_dim=128,
    length=8192,
)
_place(
    "a batch of 64",
    3.0,
    "64 sequences have 64 histories: operations and bytes grow alike.",
    [
        (192.0, "A batch multiplies the bytes, too. Sequences share weights; keys they do not."),
        (3 / 64, "A batch multiplies the operations, too: each sequence has its own query."),
    ],
    batch=64,
)
_place(
    "69 queries of one sequence at once",
    207.0,
    "All 69 meet each key that is read. That is prefill, chapter 9.",
    [(3.0, "Each of the `queries` meets every key, and a key that has been read serves them all.")],
    queries=69,
)

"""Chapter 08: operations for each byte, the number that places a kernel on a roofline."""

import math
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


def _place(title: str, right: float, why: str, **given: int) -> None:
    sizes = {
        "heads": 32,
        "kv_heads": 8,
        "head_dim": 128,
        "length": 8192,
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
        expect(is_number and math.isclose(got, right, rel_tol=1e-9), got=shown(got))


_place(
    "Llama's shape decodes in bfloat16",
    4.0,
    "4 operations for each pair and number of the head, 4 bytes for a key's number and a value's: "
    "what is left is the size of the group, 32 / 8.",
)
_place(
    "SmolLM2, 1,024 tokens",
    3.0,
    "9 / 3, at any length: each token brings its own operations and its own bytes.",
    heads=9,
    kv_heads=3,
    head_dim=64,
    length=1024,
)
_place(
    "the same in float32",
    1.5,
    "6 operations for each number that is read, two for each of three heads, and 4 bytes: it "
    "needn't be a whole number.",
    heads=9,
    kv_heads=3,
    head_dim=64,
    length=1024,
    itemsize=4,
)
_place(
    "a batch of 64",
    4.0,
    "64 sequences have 64 histories: operations and bytes grow alike.",
    batch=64,
)
_place(
    "69 queries of one sequence at once",
    276.0,
    "All 69 meet each key that is read. That is prefill, chapter 9.",
    queries=69,
)

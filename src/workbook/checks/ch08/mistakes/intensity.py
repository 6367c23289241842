"""Mistakes with intensity, as readers make them."""

import math
from collections.abc import Callable

from workbook.checks.ch08.intensity import intensity


def right(
    heads: int,
    kv_heads: int,
    head_dim: int,
    length: int,
    itemsize: int,
    queries: int,
    batch: int,
) -> float:
    operations = 4 * batch * queries * length * heads * head_dim
    return operations / (2 * batch * length * kv_heads * head_dim * itemsize)


def counted(change: Callable[[dict[str, int]], float]) -> Callable[..., float]:
    """The right intensity times what ``change`` makes of the sizes."""

    def wrong(**sizes: int) -> float:
        return right(**sizes) * change(sizes)

    return wrong


def _query_heads(sizes: dict[str, int]) -> float:
    return sizes["kv_heads"] / sizes["heads"]


KNOWN: tuple[tuple[str, Callable[[dict[str, int]], float]], ...] = (
    (
        "Keys were counted for every query head. A group shares a KV head, and its keys are read "
        "once.",
        _query_heads,
    ),
    (
        "Operations were counted for KV heads. Each *query* head multiplies, with the keys of its "
        "group's KV head.",
        _query_heads,
    ),
    (
        "Only half of the work: a multiplication and an addition are two operations, and there are "
        "two products, q·k and p·v.",
        lambda _: 0.5,
    ),
    (
        "Half of the pairs were counted, a triangle. Here all `queries` see all `length` tokens.",
        lambda _: 0.5,
    ),
    ("Bits were counted, not bytes: `itemsize` is in bytes already.", lambda _: 0.125),
    (
        "The bytes of the queries were counted, too. Only those of keys and values do here.",
        lambda s: (
            2
            * s["length"]
            * s["kv_heads"]
            / (2 * s["length"] * s["kv_heads"] + s["queries"] * s["heads"])
        ),
    ),
    (
        "The bytes of queries and answers were counted, too. Only those of keys and values do "
        "here.",
        lambda s: (
            s["length"] * s["kv_heads"] / (s["length"] * s["kv_heads"] + s["queries"] * s["heads"])
        ),
    ),
    (
        "A quarter of the work: of four operations for each number (two products, each with "
        "multiplication and addition) one was counted.",
        lambda _: 0.25,
    ),
    ("Half of the bytes are missing: the values are read, too.", lambda _: 2),
    ("The length is missing below the line: every key is read.", lambda s: s["length"]),
    ("The length is missing above the line: every key is met.", lambda s: 1 / s["length"]),
    (
        "The head size is missing below the line: a key has `head_dim` numbers.",
        lambda s: s["head_dim"],
    ),
    (
        "The head size is missing above the line: each number of a key is multiplied.",
        lambda s: 1 / s["head_dim"],
    ),
    (
        "`itemsize` is the bytes of one number: 2 in bfloat16, 4 in float32.",
        lambda s: s["itemsize"] / 2,
    ),
    ("Numbers were counted, not bytes: each takes `itemsize` of them.", lambda s: s["itemsize"]),
    ("`itemsize` multiplies the bytes, it doesn't divide them.", lambda s: s["itemsize"] ** 2),
    (
        "A batch multiplies the bytes, too. Sequences share weights; keys they do not.",
        lambda s: s["batch"],
    ),
    (
        "A batch multiplies the operations, too: each sequence has its own query.",
        lambda s: 1 / s["batch"],
    ),
    (
        "Each of the `queries` meets every key, and a key that has been read serves them all.",
        lambda s: 1 / s["queries"],
    ),
    ("The queries were counted twice: each meets every key once.", lambda s: s["queries"]),
    ("KV heads are missing below the line: each has keys of its own.", lambda s: s["kv_heads"]),
    ("Query heads are missing above the line: each of them multiplies.", lambda s: 1 / s["heads"]),
    (
        "The length was put in where it cancels: each token brings its own operations and its own "
        "bytes.",
        lambda s: s["length"] / 8192,
    ),
)
for says, change in KNOWN:
    intensity.mistake(says)(counted(change))
intensity.mistake("That is bytes for each operation, upside down.")(
    lambda **sizes: 1 / right(**sizes)
)
intensity.mistake("`//` cuts the fraction off; divide with `/`.")(
    lambda **sizes: math.floor(right(**sizes))
)
intensity.finished = right

"""Mistakes with intensity, as readers make them."""

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


intensity.mistake(
    "You counted keys for every query head. Three of them share a KV head, and its keys are read "
    "once."
)(counted(_query_heads))
intensity.mistake(
    "Only half of the work: a multiplication and an addition are two operations, and there are "
    "two products, q·k and p·v."
)(counted(lambda _: 0.5))
intensity.mistake("Half of the bytes are missing: the values are read, too.")(counted(lambda _: 2))
intensity.mistake("That is bytes for each operation, upside down.")(
    lambda **sizes: 1 / right(**sizes)
)
intensity.mistake("The length is missing below the line: each of the 1,024 keys is read.")(
    counted(lambda s: s["length"])
)
intensity.mistake("`itemsize` is the bytes of one number: 2 in bfloat16, 4 in float32.")(
    counted(lambda s: s["itemsize"] / 2)
)
intensity.mistake("A batch multiplies the bytes, too. Sequences share weights; keys they do not.")(
    counted(lambda s: s["batch"])
)
intensity.mistake("A batch multiplies the operations, too: each sequence has its own query.")(
    counted(lambda s: 1 / s["batch"])
)
intensity.mistake(
    "Each of the `queries` meets every key, and a key that has been read serves them all."
)(counted(lambda s: 1 / s["queries"]))
intensity.mistake(
    "The length was put in where it cancels: 32 / 8, at any length, for each token brings its own"
    " operations and its own bytes."
)(counted(lambda s: s["length"] / 1024))
intensity.finished = right

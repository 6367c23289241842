"""Mistakes with kv_bytes, account, as readers make them."""

from typing import Any

from paged_attention.model.config import ModelConfig
from workbook.checks.ch01.waste import account, kv_bytes

Row = tuple[int, int, int]


@kv_bytes.mistake("That is half: a token leaves a key and a value.")
def one_tensor(sizes: Any, size: int) -> int:
    return int(sizes.layers * sizes.kv_heads * sizes.head_dim * size)


@kv_bytes.mistake("9 heads read, 3 are stored: query heads keep no history.")
def query_heads(sizes: Any, size: int) -> int:
    return int(2 * sizes.layers * sizes.heads * sizes.head_dim * size)


@kv_bytes.mistake("1,536 bytes are one layer's. A token leaves keys and values in all 30.")
def one_layer(sizes: Any, size: int) -> int:
    return int(2 * sizes.kv_heads * sizes.head_dim * size)


@kv_bytes.mistake("That is KiB; bytes were asked for.")
def kibibytes(sizes: Any, size: int) -> float:
    return float(one_tensor(sizes, size) * 2 / 1024)


@kv_bytes.mistake("The number is right, but a count of bytes is an int: multiply, don't divide.")
def a_float(sizes: Any, size: int) -> float:
    return one_tensor(sizes, size) / 0.5


@kv_bytes.mistake("That many numbers; each of them has 4 bytes.")
def numbers(sizes: Any, size: int) -> int:
    return one_tensor(sizes, 2)


@kv_bytes.mistake("bytes_per_number is 2 here: bfloat16 takes half of float32.")
def always_float32(sizes: Any, size: int) -> int:
    return one_tensor(sizes, 8)


@kv_bytes.mistake("This model has one layer: read its sizes from the argument.")
def always_30_layers(sizes: Any, size: int) -> int:
    return int(2 * 30 * sizes.kv_heads * sizes.head_dim * size)


@kv_bytes.mistake(
    "3 KV heads were written into the code; this model has 4: read its sizes from the argument."
)
def always_3_heads(sizes: Any, size: int) -> int:
    return int(2 * sizes.layers * 3 * sizes.head_dim * size)


def right(rows: list[Row], total: int) -> tuple[int, int, int, int]:
    """The account of chapter 01; the finished engine has none of this shape."""
    held = sum(row[0] for row in rows)
    now = sum(row[1] for row in rows)
    final = sum(row[2] for row in rows)
    return now, final - now, held - final, total - held


@account.mistake(
    "reserved counts all 46 empty slots. Some will never be written; those are internal, and you "
    "counted them twice."
)
def reserved_is_all_empty(rows: list[Row], total: int) -> tuple[int, int, int, int]:
    used, reserved, internal, free = right(rows, total)
    return used, reserved + internal, internal, free


@account.mistake(
    "internal counts all 46 empty slots, so the four add up to 82, not 64. Those that will be "
    "written are reserved."
)
def internal_is_all_empty(rows: list[Row], total: int) -> tuple[int, int, int, int]:
    used, reserved, internal, free = right(rows, total)
    return used, reserved, reserved + internal, free


@account.mistake(
    "Your function returned nothing (None): is a `return` missing, or inside an `if` that wasn't "
    "taken?"
)
def forgets_return(rows: list[Row], total: int) -> None:
    right(rows, total)


@account.mistake("32 will be used at the end; 14 slots are written now.")
def final_as_used(rows: list[Row], total: int) -> tuple[int, int, int, int]:
    used, reserved, internal, free = right(rows, total)
    return used + reserved, 0, internal, free


@account.mistake(
    "Four numbers are wanted: used, reserved, internal, free. Here are 3, which add up to 60 of "
    "64 slots."
)
def no_free(rows: list[Row], total: int) -> tuple[int, ...]:
    return right(rows, total)[:3]


@account.mistake("50 slots are empty, but 46 of them are promised: only what nobody holds is free.")
def empty_is_free(rows: list[Row], total: int) -> tuple[int, int, int, int]:
    used, reserved, internal, _ = right(rows, total)
    return used, reserved, internal, total - used


@account.mistake(
    "20 was written into the code. What a request holds is the first number of its row."
)
def always_twenty(rows: list[Row], total: int) -> tuple[int, int, int, int]:
    return right([(20, now, final) for _, now, final in rows], total)


@account.mistake(
    "With no request there are no columns to add up: zip(*[]) is empty. All 16 slots are free then."
)
def nobody_crashes(rows: list[Row], total: int) -> tuple[int, int, int, int]:
    held, now, final = (sum(column) for column in zip(*rows, strict=True))
    return now, final - now, held - final, total - held


@account.mistake("C has written its last token: none of its slots is reserved, 6 are internal.")
def one_more_to_come(rows: list[Row], total: int) -> tuple[int, int, int, int]:
    used, reserved, internal, free = right(rows, total)
    full = sum(1 for _, now, final in rows if now == final)
    return used, reserved + full, internal - full, free


kv_bytes.finished = lambda sizes, size: ModelConfig.kv_bytes_per_token(sizes, size)
account.finished = right

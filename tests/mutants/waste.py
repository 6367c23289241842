"""Wrong accounts of memory, as readers write them. (exercise, name, object, message fragment.)"""

from typing import Any

from paged_attention.model.config import ModelConfig

Row = tuple[int, int, int]


def one_tensor(sizes: Any, size: int) -> int:
    return int(sizes.layers * sizes.kv_heads * sizes.head_dim * size)


def query_heads(sizes: Any, size: int) -> int:
    return int(2 * sizes.layers * sizes.heads * sizes.head_dim * size)


def one_layer(sizes: Any, size: int) -> int:
    return int(2 * sizes.kv_heads * sizes.head_dim * size)


def kibibytes(sizes: Any, size: int) -> float:
    return float(one_tensor(sizes, size) * 2 / 1024)


def a_float(sizes: Any, size: int) -> float:
    return one_tensor(sizes, size) / 0.5


def numbers(sizes: Any, size: int) -> int:
    return one_tensor(sizes, 2)


def always_float32(sizes: Any, size: int) -> int:
    return one_tensor(sizes, 8)


def always_30_layers(sizes: Any, size: int) -> int:
    return int(2 * 30 * sizes.kv_heads * sizes.head_dim * size)


def always_3_heads(sizes: Any, size: int) -> int:
    return int(2 * sizes.layers * 3 * sizes.head_dim * size)


def right(rows: list[Row], total: int) -> tuple[int, int, int, int]:
    """The account of chapter 01; the finished engine has none of this shape."""
    held = sum(row[0] for row in rows)
    now = sum(row[1] for row in rows)
    final = sum(row[2] for row in rows)
    return now, final - now, held - final, total - held


def reserved_is_all_empty(rows: list[Row], total: int) -> tuple[int, int, int, int]:
    used, reserved, internal, free = right(rows, total)
    return used, reserved + internal, internal, free


def internal_is_all_empty(rows: list[Row], total: int) -> tuple[int, int, int, int]:
    used, reserved, internal, free = right(rows, total)
    return used, reserved, reserved + internal, free


def forgets_return(rows: list[Row], total: int) -> None:
    right(rows, total)


def final_as_used(rows: list[Row], total: int) -> tuple[int, int, int, int]:
    used, reserved, internal, free = right(rows, total)
    return used + reserved, 0, internal, free


def no_free(rows: list[Row], total: int) -> tuple[int, ...]:
    return right(rows, total)[:3]


def empty_is_free(rows: list[Row], total: int) -> tuple[int, int, int, int]:
    used, reserved, internal, _ = right(rows, total)
    return used, reserved, internal, total - used


def always_twenty(rows: list[Row], total: int) -> tuple[int, int, int, int]:
    return right([(20, now, final) for _, now, final in rows], total)


def nobody_crashes(rows: list[Row], total: int) -> tuple[int, int, int, int]:
    held, now, final = (sum(column) for column in zip(*rows, strict=True))
    return now, final - now, held - final, total - held


def one_more_to_come(rows: list[Row], total: int) -> tuple[int, int, int, int]:
    used, reserved, internal, free = right(rows, total)
    full = sum(1 for _, now, final in rows if now == final)
    return used, reserved + full, internal - full, free


MUTANTS = [
    ("kv_bytes", "no factor 2", one_tensor, "a token leaves a key and a value"),
    ("kv_bytes", "query heads", query_heads, "9 heads read, 3 are stored"),
    ("kv_bytes", "no layers", one_layer, "1,536 bytes are one layer's"),
    ("kv_bytes", "KiB", kibibytes, "That is KiB"),
    ("kv_bytes", "a float", a_float, "The number is right, but a count of bytes is an int"),
    ("kv_bytes", "numbers, not bytes", numbers, "each of them has 4 bytes"),
    ("kv_bytes", "always float32", always_float32, "bytes_per_number is 2 here"),
    ("kv_bytes", "always 30 layers", always_30_layers, "This model has one layer"),
    ("kv_bytes", "always 3 KV heads", always_3_heads, "2 tensors, 2 layers, 4 KV heads"),
    ("account", "reserved is all empty", reserved_is_all_empty, "you counted them twice"),
    ("account", "internal is all empty", internal_is_all_empty, "add up to 82, not 64"),
    ("account", "final as used", final_as_used, "14 slots are written now"),
    ("account", "forgets to return", forgets_return, "Return the four counts together"),
    ("account", "free omitted", no_free, "Here are 3, which add up to 60 of 64 slots"),
    ("account", "empty is free", empty_is_free, "50 slots are empty, but 46 of them are promised"),
    ("account", "always 20 held", always_twenty, "it need not be 20"),
    ("account", "crashes on nobody", nobody_crashes, "all 16 are free"),
    ("account", "one more to come", one_more_to_come, "none of its slots is reserved"),
]
FINISHED = {
    "kv_bytes": lambda sizes, size: ModelConfig.kv_bytes_per_token(sizes, size),
    "account": right,
}
